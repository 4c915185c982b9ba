//! Balances corrected by hand, and customers found otherwise than by id.

use refund_domain::ports::{CustomerDirectory, CustomerWriter};
use refund_domain::{Caller, EmailAddress, IdempotencyKey, Outcome, Principal, Role};
use tokio::task::JoinSet;

use super::ContractStore;
use super::given::{Ask, adjust, balance, customer, id, processed, suspended};

/// And what was refunded before stays as its receipt says.
pub async fn a_balance_goes_up_and_down<F: ContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD"), suspended(2, 0, "KWD")]).await;
    let store = made.store();
    let ask = Ask::new(1, "40").key("K");
    let refund = processed(ask.of(&store).await);
    for (number, by, before, after) in [
        (1, "-60", 6_000, 0),
        (1, "+25.50", 0, 2_550),
        (2, "0.001", 0, 1),
    ] {
        let settled = store.adjust_balance(adjust(number, by)).await.unwrap();
        let adjustment = settled.outcome.unwrap();
        assert_eq!(adjustment.before.minor(), before, "{by}");
        assert_eq!(adjustment.after.minor(), after, "{by}");
        assert_eq!(balance(&store, number).await, after, "{by}");
    }
    assert_eq!(ask.of(&store).await, Outcome::Replayed(refund));
    let refund = processed(Ask::new(1, "25.5").of(&store).await);
    assert!(refund.remaining_refundable_balance.is_zero());
}

/// Once for a key, whoever sends it again; anything else with the key is refused, and keys are their
/// principal's and their tool's.
pub async fn a_correction_with_a_key_is_made_once<F: ContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    let with_key = |by: &str, key: &str| {
        let mut command = adjust(1, by);
        command.idempotency_key = Some(IdempotencyKey::new(key).unwrap());
        command
    };
    let first = store.adjust_balance(with_key("5", "A")).await.unwrap();
    assert_eq!((first.as_str(), first.replayed), ("adjusted", false));
    let _other = store.adjust_balance(adjust(1, "1")).await.unwrap();
    let again = store.adjust_balance(with_key("5.00", "A")).await.unwrap();
    assert_eq!((again.as_str(), again.replayed), ("replayed", true));
    assert_eq!(again.outcome, first.outcome);
    assert_eq!(balance(&store, 1).await, 10_600);

    let _refund = processed(Ask::new(1, "1").key("R").of(&store).await);
    for (by, key) in [("6", "A"), ("5", "R")] {
        let settled = store.adjust_balance(with_key(by, key)).await.unwrap();
        assert_eq!(settled.as_str(), "IDEMPOTENCY_CONFLICT");
    }
    let refund = Ask::new(1, "1").key("A").of(&store).await;
    assert_eq!(refund.as_str(), "IDEMPOTENCY_CONFLICT");
    let mut theirs = with_key("5", "A");
    theirs.caller = Caller::new(Principal::new("somebody").unwrap(), Role::Agent);
    let settled = store.adjust_balance(theirs).await.unwrap();
    assert_eq!(settled.as_str(), "adjusted");
    // A refusal does not use the key up.
    let refused = store.adjust_balance(with_key("-500", "B")).await.unwrap();
    assert_eq!(refused.as_str(), "BALANCE_BELOW_ZERO");
    let settled = store.adjust_balance(with_key("-1", "B")).await.unwrap();
    assert_eq!(settled.as_str(), "adjusted");
    assert_eq!(balance(&store, 1).await, 10_900);

    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let (store, command) = (made.store(), with_key("2", "C"));
        calls.spawn(async move { store.adjust_balance(command).await.unwrap().replayed });
    }
    let replayed = calls.join_all().await;
    assert_eq!(replayed.iter().filter(|replayed| !**replayed).count(), 1);
    assert_eq!(balance(&store, 1).await, 11_100);
}

/// Never below zero, never beyond what the currency can express, never to nobody.
pub async fn a_correction_that_cannot_be_changes_nothing<F: ContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    for (number, by, code) in [
        (1, "-100.01", "BALANCE_BELOW_ZERO"),
        (1, "0.001", "CURRENCY_PRECISION"),
        (1, "9999999999999.99", "BALANCE_TOO_LARGE"),
        (2, "1", "CUSTOMER_NOT_FOUND"),
    ] {
        let settled = store.adjust_balance(adjust(number, by)).await.unwrap();
        assert_eq!(settled.as_str(), code);
        assert_eq!(settled.outcome.unwrap_err().code(), code);
    }
    assert_eq!(balance(&store, 1).await, 10_000);
}

/// Each sees what the one before left.
pub async fn corrections_and_refunds_at_once_lose_nothing<F: ContractStore>() {
    let made = F::with(vec![customer(1, 100_000, "USD")]).await;
    let mut calls = JoinSet::new();
    for call in 0..200 {
        let store = made.store();
        calls.spawn(async move {
            match call % 4 {
                0 => store
                    .adjust_balance(adjust(1, "3"))
                    .await
                    .unwrap()
                    .outcome
                    .is_ok(),
                1 => store
                    .adjust_balance(adjust(1, "-1"))
                    .await
                    .unwrap()
                    .outcome
                    .is_ok(),
                _ => matches!(Ask::new(1, "0.5").of(&store).await, Outcome::Processed(_)),
            }
        });
    }
    while let Some(done) = calls.join_next().await {
        assert!(done.unwrap());
    }
    let expected = 100_000 + 50 * 300 - 50 * 100 - 100 * 50;
    assert_eq!(balance(&made.store(), 1).await, expected);
}

/// An address is compared without regard to case; pages go by id.
pub async fn customers_are_found_by_address_and_in_pages<F: ContractStore>() {
    let all = vec![
        customer(0, 1, "USD"),
        customer(7, 2, "JPY"),
        suspended(99_999, 3, "KWD"),
    ];
    let made = F::with(vec![all[2].clone(), all[0].clone(), all[1].clone()]).await;
    let store = made.store();
    let address = EmailAddress::new("CUSTOMER.7@example.COM").unwrap();
    let found = store.customer_by_email(&address).await.unwrap();
    assert_eq!(found.as_ref(), all.get(1));
    let nobody = EmailAddress::new("customer.8@example.com").unwrap();
    assert_eq!(store.customer_by_email(&nobody).await.unwrap(), None);
    assert_eq!(store.customers(100, None).await.unwrap(), all);
    assert_eq!(store.customers(2, None).await.unwrap(), all[..2]);
    assert_eq!(store.customers(2, Some(id(7))).await.unwrap(), all[2..]);
    assert_eq!(store.customers(2, Some(id(99_999))).await.unwrap(), []);
}
