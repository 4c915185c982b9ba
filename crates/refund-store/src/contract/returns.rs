//! An order is returned once, whoever asks and however often.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use refund_domain::ports::{OrderReader, ReturnWriter};
use refund_domain::returns::Ineligible;
use refund_domain::settled::Outcome;
use refund_domain::{ReturnsRefusal, Role};
use tokio::task::JoinSet;

use super::ContractStore;
use super::given::{Ask, balance, customer};
use super::given_orders::{
    AskReturn, AskTurn, EXPIRED, OPEN, id, order, processed, refused, replayed,
};

/// Rounds of calls that race for one order.
const ROUNDS: usize = 50;
/// Polls after which a call is dropped, at most.
const POLLS: u32 = 24;

fn why<T: std::fmt::Debug>(outcome: Outcome<T>) -> Ineligible {
    match refused(outcome) {
        ReturnsRefusal::NotEligible { reason, .. } => reason,
        other => panic!("{other}"),
    }
}

/// With the message that was written for it, and without moving money.
pub async fn a_return_marks_its_order_and_moves_no_money<F: ContractStore>() {
    let lines = vec![order("A-1", 1, OPEN), order("A-2", 1, OPEN)];
    let made = F::with_orders(vec![customer(1, 3_600, "JPY")], lines).await;
    let store = made.store();
    let reason = "返品のため — \"quoted\"; DROP TABLE returns; --\n🎉\0 second line";
    let ask = AskReturn::new("A-1").reason(&format!("  {reason} "));
    let accepted = processed(ask.of(&store).await);
    assert_eq!(accepted.order_return.order_id, id("A-1"));
    assert_eq!(accepted.order_return.reason.as_str(), reason);
    let at = accepted.order_return.processed_at;
    assert_eq!(at.to_string(), "2026-08-11T03:04:05.678Z");
    let message = &accepted.notification;
    assert_eq!(message.to.as_str(), "Customer.1@Example.com");
    assert_eq!(message.subject, "en: コーラ (500ml) 12本入り");
    assert_eq!(message.body, "Alice Johnson, order A-1, 2026-08-11");
    assert_eq!(message.sent_at, at);
    for (order_id, returned) in [("A-1", true), ("A-2", false)] {
        let details = store.order(&id(order_id)).await.unwrap().unwrap();
        assert_eq!(details.order.returned, returned, "{order_id}");
    }
    assert_eq!(balance(&store, 1).await, 3_600);
}

/// The second of two gives nothing new, and says that the order has been returned even where its last
/// day has passed as well.
pub async fn an_order_is_returned_once<F: ContractStore>() {
    let made = F::with_orders(vec![customer(1, 0, "JPY")], vec![order("A-1", 1, OPEN)]).await;
    let store = made.store();
    let _first = processed(AskReturn::new("A-1").of(&store).await);
    for ask in [
        AskReturn::new("A-1"),
        AskReturn::new("A-1").key("K"),
        AskReturn::new("A-1").by("somebody-else"),
        AskReturn::new("A-1").on("2027-01-01"),
    ] {
        assert_eq!(why(ask.of(&store).await), Ineligible::AlreadyReturned);
    }
}

/// A returned order that came with the data was returned as well.
pub async fn an_order_that_came_as_returned_stays_so<F: ContractStore>() {
    let mut line = order("A-1", 1, OPEN);
    line.order.returned = true;
    let made = F::with_orders(vec![customer(1, 0, "JPY")], vec![line]).await;
    let again = AskReturn::new("A-1").of(&made.store()).await;
    assert_eq!(why(again), Ineligible::AlreadyReturned);
}

/// Unknown, expired, on the last day, and the day after it. A refusal leaves the order as it was.
pub async fn the_rules_are_asked_before_anything_is_saved<F: ContractStore>() {
    let lines = vec![order("A-1", 1, EXPIRED), order("A-2", 1, "2026-01-31")];
    let made = F::with_orders(vec![customer(1, 0, "JPY")], lines).await;
    let store = made.store();
    for unknown in ["A-3", "a-1", "A-1 ", " A-1", "A-1\0"] {
        let refusal = refused(AskReturn::new(unknown).of(&store).await);
        assert_eq!(refusal.code(), "ORDER_NOT_FOUND", "{unknown:?}");
    }
    assert_eq!(
        why(AskReturn::new("A-1").of(&store).await),
        Ineligible::Expired
    );
    let late = AskReturn::new("A-2").on("2026-03-01");
    assert_eq!(why(late.of(&store).await), Ineligible::Expired);
    for order_id in ["A-1", "A-2"] {
        let details = store.order(&id(order_id)).await.unwrap().unwrap();
        assert!(!details.order.returned);
    }
    let _last_day = processed(AskReturn::new("A-2").on("2026-02-28").of(&store).await);
}

/// However many ask at once: one gets it, the others are told why not.
pub async fn of_two_at_once_one_gets_it<F: ContractStore>() {
    let lines = (0..ROUNDS).map(|round| order(&format!("A-{round}"), 1, OPEN));
    let made = F::with_orders(vec![customer(1, 0, "JPY")], lines.collect()).await;
    for round in 0..ROUNDS {
        let mut calls = JoinSet::new();
        for caller in ["one", "two", "three"] {
            let ask = AskReturn::new(&format!("A-{round}")).by(caller);
            let store = made.store();
            calls.spawn(async move { ask.of(&store).await });
        }
        let mut gotten = 0;
        while let Some(outcome) = calls.join_next().await {
            match outcome.unwrap() {
                Outcome::Processed(_) => gotten += 1,
                outcome => assert_eq!(why(outcome), Ineligible::AlreadyReturned),
            }
        }
        assert_eq!(gotten, 1);
    }
}

/// The first answer comes back as it was, the message in the language of that time included.
pub async fn a_retry_gets_its_first_return<F: ContractStore>() {
    let lines = vec![order("A-1", 1, OPEN), order("A-2", 1, OPEN)];
    let made = F::with_orders(vec![customer(1, 0, "JPY")], lines).await;
    let store = made.store();
    let ask = AskReturn::new("A-1").key("K");
    let first = processed(ask.of(&store).await);
    for again in [
        ask.clone(),
        ask.clone().reason("  it leaks  "),
        ask.clone().language("ja"),
        ask.clone().on("2028-01-01"),
        ask.clone().on("2020-01-01"),
    ] {
        assert_eq!(replayed(again.of(&store).await), first);
    }
    for other in [
        AskReturn::new("A-2").key("K"),
        AskReturn::new("A-3").key("K"),
        ask.clone().reason("it does not leak"),
    ] {
        let refusal = refused(other.of(&store).await);
        assert_eq!(refusal.code(), "IDEMPOTENCY_CONFLICT");
        let text = refusal.to_string();
        assert!(text.contains(&first.order_return.id.to_string()), "{text}");
    }
    // Another principal's key is another key.
    let theirs = AskReturn::new("A-2").key("K").by("theirs");
    let theirs_first = processed(theirs.of(&store).await);
    assert_eq!(replayed(theirs.of(&store).await), theirs_first);
    assert_eq!(replayed(ask.of(&store).await), first);
}

/// Many retries at once are one return too.
pub async fn twenty_calls_with_one_key_are_one_return<F: ContractStore>() {
    let made = F::with_orders(vec![customer(1, 0, "JPY")], vec![order("A-1", 1, OPEN)]).await;
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let (store, ask) = (made.store(), AskReturn::new("A-1").key("K"));
        calls.spawn(async move { ask.of(&store).await });
    }
    let (mut new, mut ids) = (0, std::collections::HashSet::new());
    while let Some(outcome) = calls.join_next().await {
        let accepted = match outcome.unwrap() {
            Outcome::Processed(accepted) => {
                new += 1;
                accepted
            }
            Outcome::Replayed(accepted) => accepted,
            Outcome::Refused(refusal) => panic!("{refusal}"),
        };
        ids.insert(accepted.order_return.id);
    }
    assert_eq!((new, ids.len()), (1, 1));
}

/// A refused return leaves its key free.
pub async fn a_refused_return_does_not_use_up_its_key<F: ContractStore>() {
    let lines = vec![order("A-1", 1, EXPIRED), order("A-2", 1, OPEN)];
    let made = F::with_orders(vec![customer(1, 0, "JPY")], lines).await;
    let store = made.store();
    let refused = AskReturn::new("A-1").key("K").of(&store).await;
    assert_eq!(why(refused), Ineligible::Expired);
    let _other = processed(AskReturn::new("A-2").key("K").of(&store).await);
}

/// A key that one tool used is no key for another, in every direction.
pub async fn a_key_belongs_to_one_tool<F: ContractStore>() {
    let lines = vec![order("A-1", 1, OPEN), order("A-2", 1, OPEN)];
    let made = F::with_orders(vec![customer(1, 10_000, "JPY")], lines).await;
    let store = made.store();
    let refund = Ask::new(1, "100").key("of-a-refund");
    let _refund = super::given::processed(refund.of(&store).await);
    let _return = processed(AskReturn::new("A-1").key("of-a-return").of(&store).await);
    let _turn = processed(AskTurn::new("S").key("of-a-turn").of(&store).await);
    for (key, owner) in [
        ("of-a-refund", "trigger_refund"),
        ("of-a-return", "process_return"),
        ("of-a-turn", "escalate_to_human"),
    ] {
        if owner != "trigger_refund" {
            let other = Ask::new(1, "100").key(key).of(&store).await;
            let refusal = super::given::refused(other);
            assert_eq!(refusal.code(), "IDEMPOTENCY_CONFLICT");
            assert!(refusal.to_string().contains(owner), "{refusal}");
        }
        if owner != "process_return" {
            let refusal = refused(AskReturn::new("A-2").key(key).of(&store).await);
            assert_eq!(refusal.code(), "IDEMPOTENCY_CONFLICT");
            assert!(refusal.to_string().contains(owner), "{refusal}");
        }
        if owner != "escalate_to_human" {
            let refusal = refused(AskTurn::new("S").key(key).of(&store).await);
            assert_eq!(refusal.code(), "IDEMPOTENCY_CONFLICT");
            assert!(refusal.to_string().contains(owner), "{refusal}");
        }
    }
    assert_eq!(balance(&store, 1).await, 9_900);
    let details = store.order(&id("A-2")).await.unwrap().unwrap();
    assert!(!details.order.returned);
}

/// For stores that keep anything.
pub async fn a_return_survives_reopening<F: ContractStore>() {
    let made = F::with_orders(vec![customer(1, 0, "JPY")], vec![order("A-1", 1, OPEN)]).await;
    let ask = AskReturn::new("A-1").key("K");
    let first = processed(ask.of(&made.store()).await);
    if let Some(made) = made.reopen().await {
        let store = made.store();
        assert_eq!(replayed(ask.of(&store).await), first);
        let without = AskReturn::new("A-1").of(&store).await;
        assert_eq!(why(without), Ineligible::AlreadyReturned);
    }
}

/// A call that is dropped after any number of polls is there or not, and its key tells which.
pub async fn an_abandoned_return_is_whole_or_nothing<F: ContractStore>() {
    let lines = (0..POLLS).map(|polls| order(&format!("A-{polls}"), 1, OPEN));
    let made = F::with_orders(vec![customer(1, 0, "JPY")], lines.collect()).await;
    let store = made.store();
    for polls in 0..POLLS {
        let ask = AskReturn::new(&format!("A-{polls}")).key(&format!("K-{polls}"));
        {
            let command = ask.command();
            assert_eq!(command.caller.role, Role::Agent);
            let mut call = pin!(store.process_return(command));
            let mut context = Context::from_waker(Waker::noop());
            for _ in 0..polls {
                if let Poll::Ready(settled) = call.as_mut().poll(&mut context) {
                    let _return = processed(settled.unwrap().outcome);
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        match ask.of(&store).await {
            Outcome::Processed(_) => {}
            Outcome::Replayed(_) => assert_ne!(polls, 0, "nobody asked for it"),
            Outcome::Refused(refusal) => panic!("{refusal}"),
        }
    }
}
