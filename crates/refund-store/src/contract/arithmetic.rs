//! Sums are exact, however small the parts.

use refund_domain::Outcome;
use tokio::task::JoinSet;

use super::RefundContractStore;
use super::given::{Ask, balance, customer, processed, refunds, refused};

/// Refunds in flight at once.
const IN_FLIGHT: usize = 250;

async fn empties<F: RefundContractStore>(amount: &str, count: usize) {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    let mut calls = JoinSet::new();
    for _ in 0..count {
        if calls.len() >= IN_FLIGHT
            && let Some(outcome) = calls.join_next().await
        {
            let _refund = processed(outcome.unwrap());
        }
        let (store, ask) = (store.clone(), Ask::new(1, amount));
        calls.spawn(async move { ask.of(&store).await });
    }
    while let Some(outcome) = calls.join_next().await {
        assert!(matches!(outcome.unwrap(), Outcome::Processed(_)));
    }
    assert_eq!(balance(&store, 1).await, 0);
    let refusal = refused(Ask::new(1, amount).of(&store).await);
    assert_eq!(refusal.code(), "EXCEEDS_BALANCE");
    let refunds = refunds(&store, 1).await;
    assert_eq!(refunds.len(), count);
    let sum: i64 = refunds.iter().map(|refund| refund.amount.minor()).sum();
    assert_eq!(sum, 10_000);
}

/// 1,000 refunds of 0.1 from 100.
pub async fn a_thousand_tenths_leave_exactly_nothing<F: RefundContractStore>() {
    empties::<F>("0.1", 1_000).await;
}

/// Case R-014: 10,000 refunds of 0.01 from 100.
pub async fn ten_thousand_cents_leave_exactly_nothing<F: RefundContractStore>() {
    empties::<F>("0.01", 10_000).await;
}

/// Cases: nothing is multiplied or divided by a hundred out of habit.
pub async fn every_currency_counts_in_its_own_units<F: RefundContractStore>() {
    let customers = vec![
        customer(1, 9_899, "JPY"),
        customer(2, 9_899, "JPY"),
        customer(3, 35_200, "KWD"),
        customer(4, 99_999, "CLF"),
        customer(5, 999_999_999_999_999, "USD"),
    ];
    let made = F::with(customers).await;
    for (number, amount, moved, left) in [
        (1, "500", 500, 9_399),
        (2, "5800", 5_800, 4_099),
        (3, "1.255", 1_255, 33_945),
        (4, "0.0001", 1, 99_998),
        (5, "1000000", 100_000_000, 999_999_899_999_999),
    ] {
        let refund = processed(Ask::new(number, amount).of(&made.store()).await);
        assert_eq!(refund.amount.minor(), moved, "{amount}");
        assert_eq!(
            refund.remaining_refundable_balance.minor(),
            left,
            "{amount}"
        );
        assert_eq!(balance(&made.store(), number).await, left, "{amount}");
    }
}
