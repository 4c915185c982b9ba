//! A caller that keeps its key never pays twice.

use super::RefundContractStore;
use super::given::{
    Ask, balance, customer, id, key, principal, processed, refunds, refused, replayed,
};
use refund_domain::ports::RefundReader;

/// Case R-038: the receipt comes back as it was, its balance included.
pub async fn a_retry_gets_its_first_receipt<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    let ask = Ask::new(1, "25.5").key("order-7/line-1");
    let first = processed(ask.of(&store).await);
    let other = processed(Ask::new(1, "10").of(&store).await);
    assert_eq!(replayed(ask.of(&store).await), first);
    // The value counts, not its spelling.
    let spelled = Ask::new(1, "25.500").key("order-7/line-1");
    assert_eq!(replayed(spelled.of(&store).await), first);
    assert_eq!(balance(&store, 1).await, 6_450);
    assert_eq!(refunds(&store, 1).await, [other, first]);
}

/// Case R-040.
pub async fn lost_replies_sent_again_pay_nothing_twice<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    let asks = ["a", "b", "c"].map(|key| Ask::new(1, "10").key(key));
    for ask in &asks {
        let _lost = processed(ask.of(&store).await);
    }
    for ask in &asks {
        let _again = replayed(ask.of(&store).await);
    }
    assert_eq!(refunds(&store, 1).await.len(), 3);
    assert_eq!(balance(&store, 1).await, 7_000);
}

/// Case R-041: a key lives as long as its refund, and a clock that goes back changes nothing.
pub async fn a_key_does_not_age<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    let ask = Ask::new(1, "10").key("K");
    let first = processed(ask.of(&store).await);
    for days in [1, 2, 400, 36_500, -2, -10_000] {
        let later = ask.clone().days_later(days);
        assert_eq!(replayed(later.of(&store).await), first, "{days} days");
    }
    assert_eq!(balance(&store, 1).await, 9_000);
}

/// Case R-044: another amount, reason or customer is another refund.
pub async fn a_key_with_other_arguments_is_a_conflict<F: RefundContractStore>() {
    let customers = vec![customer(1, 10_000, "USD"), customer(2, 10_000, "USD")];
    let made = F::with(customers).await;
    let store = made.store();
    let ask = Ask::new(1, "10").key("K");
    let first = processed(ask.of(&store).await);
    for other in [
        Ask::new(1, "20").key("K"),
        Ask::new(2, "10").key("K"),
        Ask::new(99_999, "10").key("K"),
        ask.clone().reason("the item never arrived"),
    ] {
        let refusal = refused(other.of(&store).await);
        assert_eq!(refusal.code(), "IDEMPOTENCY_CONFLICT");
        assert!(refusal.to_string().contains(&first.id.to_string()));
    }
    assert_eq!(balance(&store, 1).await, 9_000);
    assert_eq!(balance(&store, 2).await, 10_000);
    assert_eq!(replayed(ask.of(&store).await), first);
}

/// Case R-044: two principals that use the same key make two refunds, and see only their own.
pub async fn a_key_belongs_to_its_principal<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    let ours = processed(Ask::new(1, "10").key("K").by("ours").of(&store).await);
    let found = store.refund_by_key(&principal("theirs"), &key("K")).await;
    assert_eq!(found.unwrap(), None);
    let theirs = processed(Ask::new(1, "20").key("K").by("theirs").of(&store).await);
    for (name, refund) in [("ours", &ours), ("theirs", &theirs)] {
        let found = store.refund_by_key(&principal(name), &key("K")).await;
        assert_eq!(found.unwrap().as_ref(), Some(refund));
    }
    // Keys are compared to the letter.
    let _third = processed(Ask::new(1, "30").key("k").by("ours").of(&store).await);
    assert_eq!(balance(&store, 1).await, 4_000);
}

/// The balance may have been topped up since.
pub async fn a_refusal_does_not_use_up_its_key<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 5_000, "USD")]).await;
    let store = made.store();
    let refusal = refused(Ask::new(1, "60").key("K").of(&store).await);
    assert_eq!(refusal.code(), "EXCEEDS_BALANCE");
    let found = store.refund_by_key(&principal("local"), &key("K")).await;
    assert_eq!(found.unwrap(), None);
    let refund = processed(Ask::new(1, "50").key("K").of(&store).await);
    assert_eq!(refunds(&store, 1).await, [refund]);
}

/// Case R-046, for stores that keep anything.
pub async fn a_key_survives_reopening<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let ask = Ask::new(1, "10").key("K");
    let first = processed(ask.of(&made.store()).await);
    if let Some(made) = made.reopen().await {
        let store = made.store();
        assert_eq!(store.refund(first.id).await.unwrap().as_ref(), Some(&first));
        assert_eq!(replayed(ask.of(&store).await), first);
        assert_eq!(balance(&store, 1).await, 9_000);
        let page = store.refunds_of(id(1), 10, None).await.unwrap().unwrap();
        assert_eq!((page.total, page.refunds), (1, vec![first]));
    }
}
