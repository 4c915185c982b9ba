//! Many at once, and callers that go away.

use std::collections::HashSet;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use refund_domain::Outcome;
use refund_domain::ports::RefundWriter;
use tokio::task::JoinSet;

use super::RefundContractStore;
use super::given::{Ask, balance, customer, processed, refunds};

/// Calls of the storm.
const CALLS: i64 = 400;
/// Rounds of two calls that race.
const ROUNDS: i64 = 100;
/// Polls after which a call is dropped, at most.
const POLLS: u32 = 24;

/// 400 calls for far more than there is: what was granted is gone, the rest is there.
pub async fn a_storm_never_overdraws<F: RefundContractStore>() {
    const OPENING: i64 = 100_000;
    let made = F::with(vec![
        customer(1, OPENING, "USD"),
        customer(2, OPENING, "USD"),
    ])
    .await;
    let store = made.store();
    let mut calls = JoinSet::new();
    for call in 0..CALLS {
        let number = if call % 4 == 0 { 2 } else { 1 };
        let ask = Ask::new(number, &format!("{}.{:02}", 1 + call % 97, call % 100));
        let store = store.clone();
        calls.spawn(async move { (number, ask.of(&store).await) });
    }
    let mut granted = [0, 0];
    let mut ids = HashSet::new();
    while let Some(call) = calls.join_next().await {
        match call.unwrap() {
            (number, Outcome::Processed(refund)) => {
                granted[number as usize - 1] += refund.amount.minor();
                assert!(ids.insert(refund.id));
            }
            (_, Outcome::Refused(refusal)) => assert_eq!(refusal.code(), "EXCEEDS_BALANCE"),
            (_, Outcome::Replayed(_)) => panic!("no key was used"),
        }
    }
    for (number, granted) in [1, 2].into_iter().zip(granted) {
        let refunds = refunds(&store, number).await;
        let saved: i64 = refunds.iter().map(|refund| refund.amount.minor()).sum();
        assert_eq!(saved, granted, "what was answered is what was saved");
        assert_eq!(balance(&store, number).await, OPENING - saved);
        assert!(saved <= OPENING);
        // Each receipt continues where the one before ended.
        let mut left = OPENING;
        for refund in refunds.iter().rev() {
            left -= refund.amount.minor();
            assert_eq!(refund.remaining_refundable_balance.minor(), left);
        }
    }
}

/// Case R-001: two of 60.00 from 100.00.
pub async fn two_that_fit_only_alone<F: RefundContractStore>() {
    let numbers = 0..ROUNDS as u32;
    let customers = numbers
        .clone()
        .map(|number| customer(number, 10_000, "USD"));
    let made = F::with(customers.collect()).await;
    for number in numbers {
        let [one, two] = [(); 2].map(|()| {
            let (store, ask) = (made.store(), Ask::new(number, "60"));
            tokio::spawn(async move { ask.of(&store).await })
        });
        let mut words = [one.await.unwrap().as_str(), two.await.unwrap().as_str()];
        words.sort_unstable();
        assert_eq!(words, ["EXCEEDS_BALANCE", "processed"]);
        assert_eq!(balance(&made.store(), number).await, 4_000);
    }
}

/// Case R-043.
pub async fn fifty_calls_with_one_key_are_one_refund<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let mut calls = JoinSet::new();
    for _ in 0..50 {
        let (store, ask) = (made.store(), Ask::new(1, "10").key("K"));
        calls.spawn(async move { ask.of(&store).await });
    }
    let mut processed = 0;
    let mut ids = HashSet::new();
    while let Some(outcome) = calls.join_next().await {
        match outcome.unwrap() {
            Outcome::Processed(refund) => {
                processed += 1;
                ids.insert(refund.id);
            }
            Outcome::Replayed(refund) => {
                ids.insert(refund.id);
            }
            Outcome::Refused(refusal) => panic!("{refusal}"),
        }
    }
    assert_eq!((processed, ids.len()), (1, 1));
    assert_eq!(balance(&made.store(), 1).await, 9_000);
}

/// A call that is dropped after any number of polls is there or not, its key tells which, and the
/// next call works. One that was never polled did nothing.
pub async fn an_abandoned_call_is_whole_or_nothing<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 1_000_000, "USD")]).await;
    let store = made.store();
    for polls in 0..POLLS {
        let ask = Ask::new(1, "10").key(&format!("K-{polls}"));
        {
            let mut call = pin!(store.issue_refund(ask.command()));
            let mut context = Context::from_waker(Waker::noop());
            for _ in 0..polls {
                if let Poll::Ready(settled) = call.as_mut().poll(&mut context) {
                    let _refund = processed(settled.unwrap().outcome);
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
        let refunds = refunds(&store, 1).await;
        assert_eq!(refunds.len(), polls as usize + 1, "one refund a key");
        let left = 1_000_000 - 1_000 * (i64::from(polls) + 1);
        assert_eq!(balance(&store, 1).await, left);
    }
}
