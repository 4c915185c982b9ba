//! What the rules turn down moves nothing and leaves no refund.

use super::RefundContractStore;
use super::given::{Ask, balance, customer, refunds, refused, suspended};

/// No such customer.
pub async fn an_unknown_customer_is_refused<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 5_000, "USD")]).await;
    let refusal = refused(Ask::new(99_999, "10").of(&made.store()).await);
    assert_eq!(refusal.code(), "CUSTOMER_NOT_FOUND");
    assert_eq!(balance(&made.store(), 1).await, 5_000);
}

/// Not active.
pub async fn a_suspended_customer_is_refused<F: RefundContractStore>() {
    let made = F::with(vec![suspended(2, 20_000, "USD")]).await;
    let refusal = refused(Ask::new(2, "10").of(&made.store()).await);
    assert_eq!(refusal.code(), "CUSTOMER_SUSPENDED");
    assert_eq!(balance(&made.store(), 2).await, 20_000);
    assert_eq!(refunds(&made.store(), 2).await, []);
}

/// Cases: one cent too much, then everything, then one cent of nothing.
pub async fn more_than_the_balance_is_refused<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 5_000, "USD")]).await;
    let store = made.store();
    let refusal = refused(Ask::new(1, "50.01").of(&store).await);
    assert_eq!(
        refusal.to_string(),
        "Refund of 50.01 USD exceeds the refundable balance of 50.00 USD for customer CUST-00001."
    );
    assert_eq!(balance(&store, 1).await, 5_000);
    let refund = super::given::processed(Ask::new(1, "50").of(&store).await);
    assert!(refund.remaining_refundable_balance.is_zero());
    assert_eq!(balance(&store, 1).await, 0);
    let refusal = refused(Ask::new(1, "0.01").of(&store).await);
    assert_eq!(refusal.code(), "EXCEEDS_BALANCE");
    assert_eq!(refunds(&store, 1).await, [refund]);
}

/// Case R-010: never a rounding.
pub async fn decimals_that_the_currency_lacks_are_refused<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 9_899, "JPY")]).await;
    let refusal = refused(Ask::new(1, "100.5").of(&made.store()).await);
    assert_eq!(refusal.code(), "CURRENCY_PRECISION");
    assert_eq!(balance(&made.store(), 1).await, 9_899);
}
