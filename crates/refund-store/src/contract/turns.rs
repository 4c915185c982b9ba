//! The turns of a conversation are counted once each, up to the last.

use std::collections::HashSet;

use refund_domain::ReturnsRefusal;
use refund_domain::settled::Outcome;
use tokio::task::JoinSet;

use super::ContractStore;
use super::given::customer;
use super::given_orders::{AskReturn, AskTurn, OPEN, order, processed, refused, replayed};

/// 1 to 10, and then nothing more, for this conversation alone.
pub async fn ten_turns_and_then_the_session_is_closed<F: ContractStore>() {
    let made = F::with(vec![]).await;
    let store = made.store();
    let ask = AskTurn::new("S");
    for number in 1..=10 {
        let turn = processed(ask.of(&store).await);
        assert_eq!(turn.turn_count.number(), number);
        assert_eq!(turn.session_id.as_str(), "S");
    }
    for _ in 0..3 {
        let refusal = refused(ask.of(&store).await);
        assert!(matches!(refusal, ReturnsRefusal::SessionClosed { .. }));
    }
    for (other, by) in [("s", "local"), ("S ", "local"), ("S", "somebody-else")] {
        let turn = processed(AskTurn::new(other).by(by).of(&store).await);
        assert_eq!(turn.turn_count.number(), 1, "{other:?} by {by}");
    }
}

/// Case R-182 within the bound of ten turns: 20 calls at once count 1 to 10, each number once, and the
/// other ten find the session closed.
pub async fn parallel_turns_are_counted_one_by_one<F: ContractStore>() {
    let made = F::with(vec![]).await;
    let mut calls = JoinSet::new();
    for call in 0..20 {
        let store = made.store();
        let ask = AskTurn::new("S").key(&format!("K-{call}"));
        calls.spawn(async move { ask.of(&store).await });
    }
    let (mut numbers, mut closed) = (HashSet::new(), 0);
    while let Some(outcome) = calls.join_next().await {
        match outcome.unwrap() {
            Outcome::Processed(turn) => assert!(numbers.insert(turn.turn_count.number())),
            Outcome::Refused(ReturnsRefusal::SessionClosed { .. }) => closed += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((numbers, closed), ((1..=10).collect(), 10));
}

/// Case R-178: a turn that is delivered five times with one key counts once, even after the last.
pub async fn a_repeated_turn_counts_once<F: ContractStore>() {
    let made = F::with(vec![]).await;
    let store = made.store();
    let _first = processed(AskTurn::new("S").of(&store).await);
    let second = AskTurn::new("S").key("K");
    let counted = processed(second.of(&store).await);
    assert_eq!(counted.turn_count.number(), 2);
    for _ in 0..4 {
        assert_eq!(replayed(second.of(&store).await), counted);
    }
    let third = processed(AskTurn::new("S").of(&store).await);
    assert_eq!(third.turn_count.number(), 3);
    for other in [
        second.clone().message("something else"),
        AskTurn::new("T").key("K"),
    ] {
        let refusal = refused(other.of(&store).await);
        assert_eq!(refusal.code(), "IDEMPOTENCY_CONFLICT");
    }
    for _ in 4..=10 {
        let _turn = processed(AskTurn::new("S").of(&store).await);
    }
    assert_eq!(replayed(second.of(&store).await), counted);
    // Another principal's key and conversation are their own.
    let theirs = processed(second.by("theirs").of(&store).await);
    assert_eq!(theirs.turn_count.number(), 1);
    // A refusal leaves the key free.
    let closed = refused(AskTurn::new("S").key("L").of(&store).await);
    assert_eq!(closed.code(), "SESSION_CLOSED");
    let _elsewhere = processed(AskTurn::new("T").key("L").of(&store).await);
}

/// Case R-179: nothing else resets the count.
pub async fn other_calls_leave_the_count_alone<F: ContractStore>() {
    let lines = vec![order("A-1", 1, OPEN)];
    let made = F::with_orders(vec![customer(1, 10_000, "JPY")], lines).await;
    let store = made.store();
    for number in 1..=5 {
        let turn = processed(AskTurn::new("A-1").of(&store).await);
        assert_eq!(turn.turn_count.number(), number);
        let _return = AskReturn::new("A-1").of(&store).await;
        let _refund = super::given::Ask::new(1, "1").of(&store).await;
        let _other = processed(AskTurn::new(&format!("S-{number}")).of(&store).await);
    }
}

/// For stores that keep anything.
pub async fn a_count_survives_reopening<F: ContractStore>() {
    let made = F::with(vec![]).await;
    let keyed = AskTurn::new("S").key("K");
    let first = processed(keyed.of(&made.store()).await);
    if let Some(made) = made.reopen().await {
        let store = made.store();
        assert_eq!(replayed(keyed.of(&store).await), first);
        let second = processed(AskTurn::new("S").of(&store).await);
        assert_eq!(second.turn_count.number(), 2);
    }
}
