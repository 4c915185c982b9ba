//! A clock that jumps takes nothing away: keys replay, lists stay in their order, messages go out, and
//! every instant has a day (T-12).

use std::collections::HashSet;

use refund_domain::ports::{
    CustomerWriter, EscalationWriter, Outbox, RefundReader, RefundWriter, ReturnWriter,
};
use refund_domain::returns::Verdict;
use refund_domain::{
    Calendar, Clock, CountTurn, IdSource, IssueRefund, ProcessReturn, RefundId, ReturnId,
    ReturnsDesk, TimeZone, Timestamp,
};

use super::ContractStore;
use super::given::{self, Ask, adjust, balance, clocks, customer, key, refunds};
use super::given_orders::{self, AskReturn, AskTurn, OPEN, order};

fn refund(ask: &Ask, at: Timestamp) -> IssueRefund {
    IssueRefund {
        at,
        ..ask.command()
    }
}

fn return_of(ask: &AskReturn, at: Timestamp) -> ProcessReturn {
    ProcessReturn {
        at,
        ..ask.command()
    }
}

fn turn(ask: &AskTurn, at: Timestamp) -> CountTurn {
    CountTurn {
        at,
        ..ask.command()
    }
}

/// A store that sends mail, with an order for each of the clocks.
async fn with_orders<F: ContractStore>() -> F {
    let lines = (0..clocks().len()).map(|number| order(&format!("A-{number}"), 1, OPEN));
    F::with_orders(vec![customer(1, 10_000, "JPY")], lines.collect()).await
}

/// What was done under one clock is done under any other, for every kind of call that takes a key.
pub async fn keys_replay_under_every_clock<F: ContractStore>() {
    let made = with_orders::<F>().await;
    let store = made.store();
    for (number, then) in clocks().into_iter().enumerate() {
        let name = |kind: &str| format!("{kind}-{number}");
        let asked = Ask::new(1, "1").key(&name("R"));
        let settled = store.issue_refund(refund(&asked, then)).await.unwrap();
        let refunded = given::processed(settled.outcome);
        assert_eq!(refunded.processed_at, then);

        let returning = AskReturn::new(&name("A")).key(&name("A"));
        let settled = store.process_return(return_of(&returning, then)).await;
        let returned = given_orders::processed(settled.unwrap().outcome);
        assert_eq!(returned.order_return.processed_at, then);

        let turning = AskTurn::new(&name("T")).key(&name("T"));
        let settled = store.count_turn(turn(&turning, then)).await.unwrap();
        let turned = given_orders::processed(settled.outcome);

        let mut correction = adjust(1, "1");
        correction.idempotency_key = Some(key(&name("C")));
        correction.at = then;
        let corrected = store.adjust_balance(correction.clone()).await.unwrap();
        assert_eq!(
            (corrected.as_str(), corrected.replayed),
            ("adjusted", false)
        );

        for now in clocks() {
            let settled = store.issue_refund(refund(&asked, now)).await.unwrap();
            let again = given::replayed(settled.outcome);
            assert_eq!(again, refunded, "{then}, then {now}");
            let settled = store.process_return(return_of(&returning, now)).await;
            let again = given_orders::replayed(settled.unwrap().outcome);
            assert_eq!(again, returned, "{then}, then {now}");
            let settled = store.count_turn(turn(&turning, now)).await.unwrap();
            let again = given_orders::replayed(settled.outcome);
            assert_eq!(again, turned, "{then}, then {now}");
            correction.at = now;
            let again = store.adjust_balance(correction.clone()).await.unwrap();
            assert!(again.replayed, "{then}, then {now}");
            assert_eq!(again.outcome, corrected.outcome, "{then}, then {now}");
        }
    }
    assert_eq!(balance(&store, 1).await, 10_000);
}

/// The newest is the one that was made last, and a page that was begun goes on where it ended.
pub async fn lists_do_not_follow_the_clock<F: ContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    let mut all = Vec::new();
    for at in clocks() {
        let settled = store.issue_refund(refund(&Ask::new(1, "1"), at)).await;
        all.insert(0, given::processed(settled.unwrap().outcome));
    }
    assert_eq!(refunds(&store, 1).await, all);
    let (mut read, mut before) = (Vec::new(), None);
    for at in clocks() {
        let page = store.refunds_of(given::id(1), 1, before).await;
        let page = page.unwrap().unwrap();
        read.extend(page.refunds);
        before = page.next;
        // Meanwhile somebody makes another one.
        let settled = store.issue_refund(refund(&Ask::new(1, "1"), at)).await;
        let _newer = given::processed(settled.unwrap().outcome);
    }
    assert_eq!((read, before), (all, None));
}

/// By a clock that is right again, each goes out once, whatever the clock said when it was written; and
/// whoever claims one by a clock that is wrong does not keep it for good.
pub async fn messages_of_every_clock_go_out<F: ContractStore>() {
    let made = with_orders::<F>().await;
    let store = made.sending_mail();
    for (number, at) in clocks().into_iter().enumerate() {
        let ask = AskReturn::new(&format!("A-{number}"));
        let settled = store.process_return(return_of(&ask, at)).await.unwrap();
        let _return = given_orders::processed(settled.outcome);
    }
    for wrong in clocks() {
        let _abandoned = store.claim_message(wrong).await.unwrap();
    }
    let mut now = Timestamp::parse("2026-08-11T03:04:05.678Z").unwrap();
    let mut delivered = HashSet::new();
    for _ in 0..200 {
        now = now.later(60_000);
        while let Some(claimed) = store.claim_message(now).await.unwrap() {
            assert!(delivered.insert(claimed.return_id), "handed out twice");
            store.message_delivered(claimed, now).await.unwrap();
        }
        if delivered.len() == clocks().len() {
            break;
        }
    }
    assert_eq!(delivered.len(), clocks().len());
    for later in clocks() {
        assert_eq!(store.claim_message(later).await.unwrap(), None);
    }
}

/// The clock and the ids of a desk.
#[derive(Debug, Clone, Copy)]
struct Fixed(Timestamp);

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        self.0
    }
}

impl IdSource for Fixed {
    fn refund_id(&self) -> RefundId {
        Ask::new(1, "1").command().refund_id
    }

    fn return_id(&self) -> ReturnId {
        AskReturn::new("A").command().return_id
    }
}

/// Orders at both edges of the calendar are judged by clocks at both edges of time, in the zones that
/// are furthest from UTC; what is said of a return is what is done.
pub async fn every_instant_has_a_day<F: ContractStore>() {
    let dates = ["0001-01-01", "1970-01-01", OPEN, "9999-12-31"];
    for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
        let calendar = Calendar {
            zone: TimeZone::new(zone).unwrap(),
            pinned: None,
        };
        let lines = dates.map(|date| order(date, 1, date));
        let made = F::with_orders(vec![customer(1, 0, "JPY")], lines.to_vec()).await;
        let mut returned = 0;
        for at in clocks() {
            for date in dates {
                let desk = ReturnsDesk::new(made.store(), Fixed(at), Fixed(at), calendar);
                let judged = desk.eligibility(given_orders::id(date)).await.unwrap();
                let ask = AskReturn::new(date);
                let command = ProcessReturn {
                    today: calendar.today(at),
                    ..return_of(&ask, at)
                };
                let settled = made.store().process_return(command).await.unwrap();
                match judged.verdict {
                    Verdict::Ok => {
                        let _return = given_orders::processed(settled.outcome);
                        returned += 1;
                    }
                    Verdict::Ineligible(reason) => {
                        let refusal = given_orders::refused(settled.outcome).to_string();
                        assert!(refusal.ends_with(reason.as_str()), "{refusal}");
                    }
                }
            }
        }
        // Each was in time by one of the clocks.
        assert_eq!(returned, dates.len());
    }
}
