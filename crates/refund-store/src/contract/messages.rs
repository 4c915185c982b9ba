//! Messages are handed out to one at a time, until they are delivered.

use std::collections::HashSet;

use refund_domain::outbox::LONGEST_PAUSE;
use refund_domain::ports::Outbox;
use refund_domain::{ClaimedMessage, DeliveryFailure, Timestamp};
use tokio::task::JoinSet;

use super::ContractStore;
use super::given::customer;
use super::given_orders::{AskReturn, OPEN, order, processed, refused, replayed};

/// When the message of an [`AskReturn`] is first due, and so many seconds later.
fn at(seconds: i64) -> Timestamp {
    let first = Timestamp::parse("2026-08-11T03:04:05.678Z").unwrap();
    first.later(seconds * 1_000)
}

fn failure(is_refusal: bool) -> DeliveryFailure {
    DeliveryFailure {
        is_refusal,
        what: "the server said no",
        code: Some(451),
    }
}

/// A store that sends mail, with so many orders.
async fn with_orders<F: ContractStore>(count: usize) -> F {
    let lines = (0..count).map(|number| order(&format!("A-{number}"), 1, OPEN));
    F::with_orders(vec![customer(1, 0, "JPY")], lines.collect()).await
}

/// There is one for each return that was made, and none for one that was refused or repeated.
pub async fn a_return_has_one_message<F: ContractStore>() {
    let made = with_orders::<F>(2).await;
    let store = made.sending_mail();
    assert!(!store.message_is_due(at(0)).await.unwrap());
    assert_eq!(store.claim_message(at(0)).await.unwrap(), None);
    let ask = AskReturn::new("A-0").key("K");
    let accepted = processed(ask.of(&store).await);
    let _again = replayed(ask.of(&store).await);
    let _refused = refused(AskReturn::new("A-0").of(&store).await);
    assert!(!store.message_is_due(at(-1)).await.unwrap());
    assert!(store.message_is_due(at(0)).await.unwrap());
    let claimed = store.claim_message(at(0)).await.unwrap().unwrap();
    assert_eq!(claimed.return_id, accepted.order_return.id);
    assert_eq!(claimed.message, accepted.notification);
    assert_eq!(claimed.attempt, 1);
    assert!(!store.message_is_due(at(0)).await.unwrap());
    assert_eq!(store.claim_message(at(0)).await.unwrap(), None);
    store.message_delivered(claimed, at(1)).await.unwrap();
    for later in [1, 3_600, 36_000_000] {
        assert!(!store.message_is_due(at(later)).await.unwrap());
        assert_eq!(store.claim_message(at(later)).await.unwrap(), None);
    }
    // The receipt is what it was.
    assert_eq!(replayed(ask.of(&store).await), accepted);
}

/// Without a mail transport nothing ever waits, for nobody.
pub async fn a_simulated_message_is_never_handed_out<F: ContractStore>() {
    let made = with_orders::<F>(1).await;
    let ask = AskReturn::new("A-0").key("K");
    let accepted = processed(ask.of(&made.store()).await);
    assert_eq!(replayed(ask.of(&made.sending_mail()).await), accepted);
    for later in [0, 36_000_000] {
        let claimed = made.sending_mail().claim_message(at(later)).await;
        assert_eq!(claimed.unwrap(), None);
    }
}

/// Whoever claims a message has it alone until the claim runs out; then the next one may try.
pub async fn a_claim_runs_out<F: ContractStore>() {
    let made = with_orders::<F>(1).await;
    let store = made.sending_mail();
    let _return = processed(AskReturn::new("A-0").of(&store).await);
    let first = store.claim_message(at(0)).await.unwrap().unwrap();
    let claim = ClaimedMessage::CLAIM / 1_000;
    assert_eq!(store.claim_message(at(claim - 1)).await.unwrap(), None);
    let second = store.claim_message(at(claim)).await.unwrap().unwrap();
    assert_eq!(second.attempt, 2);
    // The first one's failure does not take the message away from the second.
    let late = store.message_failed(first.clone(), failure(true), at(claim));
    late.await.unwrap();
    assert_eq!(store.claim_message(at(2 * claim - 1)).await.unwrap(), None);
    // But what was delivered was delivered, and stays so.
    store.message_delivered(first, at(claim)).await.unwrap();
    let failed = store.message_failed(second, failure(false), at(claim));
    failed.await.unwrap();
    assert!(!store.message_is_due(at(36_000_000)).await.unwrap());
}

/// Later after each failure, seldom after a refusal, and never not at all.
pub async fn a_failed_message_is_tried_again_later<F: ContractStore>() {
    let made = with_orders::<F>(1).await;
    let store = made.sending_mail();
    let _return = processed(AskReturn::new("A-0").of(&store).await);
    let mut now = 0;
    for (attempt, pause) in [(1, 10), (2, 20), (3, 40), (4, 80)] {
        let claimed = store.claim_message(at(now)).await.unwrap().unwrap();
        assert_eq!(claimed.attempt, attempt);
        let failed = store.message_failed(claimed, failure(false), at(now));
        failed.await.unwrap();
        assert_eq!(
            store.claim_message(at(now + pause - 1)).await.unwrap(),
            None
        );
        now += pause;
    }
    let claimed = store.claim_message(at(now)).await.unwrap().unwrap();
    let refused = store.message_failed(claimed, failure(true), at(now));
    refused.await.unwrap();
    assert!(!store.message_is_due(at(now + 3_599)).await.unwrap());
    assert!(store.message_is_due(at(now + 3_600)).await.unwrap());
}

/// Case R-163: a clock that went back far holds nothing up.
pub async fn a_clock_that_goes_back_holds_no_message_up<F: ContractStore>() {
    let made = with_orders::<F>(1).await;
    let store = made.sending_mail();
    let _return = processed(AskReturn::new("A-0").of(&store).await);
    let longest = LONGEST_PAUSE / 1_000;
    assert!(!store.message_is_due(at(-longest)).await.unwrap());
    assert!(store.message_is_due(at(-longest - 1)).await.unwrap());
    let claimed = store.claim_message(at(-longest - 1)).await.unwrap();
    assert_eq!(claimed.unwrap().attempt, 1);
}

/// Many that deliver at once, and each message goes to one of them.
pub async fn each_message_goes_to_one_of_many<F: ContractStore>() {
    let made = with_orders::<F>(20).await;
    for number in 0..20 {
        let ask = AskReturn::new(&format!("A-{number}"));
        let _return = processed(ask.of(&made.sending_mail()).await);
    }
    let mut couriers = JoinSet::new();
    for _ in 0..4 {
        let store = made.sending_mail();
        couriers.spawn(async move {
            let mut claimed = Vec::new();
            while let Some(message) = store.claim_message(at(0)).await.unwrap() {
                claimed.push(message.return_id);
                store.message_delivered(message, at(0)).await.unwrap();
            }
            claimed
        });
    }
    let mut all = HashSet::new();
    while let Some(claimed) = couriers.join_next().await {
        for id in claimed.unwrap() {
            assert!(all.insert(id), "handed out twice");
        }
    }
    assert_eq!(all.len(), 20);
}

/// For stores that keep anything.
pub async fn a_message_survives_reopening<F: ContractStore>() {
    let made = with_orders::<F>(1).await;
    let accepted = processed(AskReturn::new("A-0").of(&made.sending_mail()).await);
    if let Some(made) = made.reopen().await {
        // Whoever sends mail now finds it.
        let claimed = made.store().claim_message(at(0)).await.unwrap().unwrap();
        assert_eq!(claimed.message, accepted.notification);
    }
}
