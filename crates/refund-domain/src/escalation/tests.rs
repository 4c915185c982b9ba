//! Cases of the turn rules.

use super::*;
use crate::{Principal, Role, ToolName};

fn command(session: &str, message: &str, key: Option<&str>) -> CountTurn {
    CountTurn {
        request: TurnRequest {
            session_id: SessionId::new(session).unwrap(),
            user_message: UserMessage::new(message).unwrap(),
            idempotency_key: key.map(|key| IdempotencyKey::new(key).unwrap()),
        },
        caller: Caller::new(Principal::new("local").unwrap(), Role::Agent),
        at: Timestamp::parse("2026-08-11T00:00:00Z").unwrap(),
    }
}

// Case R-181.
#[test]
fn ten_turns_and_no_more() {
    use EscalationStatus::{Active, ConfirmClose, ForceClosed};
    let mut so_far = None;
    for (number, status, guidance, left) in [
        (1, Active, Guidance::Answer, 9),
        (2, Active, Guidance::Answer, 8),
        (3, Active, Guidance::Answer, 7),
        (4, Active, Guidance::Answer, 6),
        (5, ConfirmClose, Guidance::ConfirmClose, 5),
        (6, Active, Guidance::GoOn, 4),
        (7, Active, Guidance::GoOn, 3),
        (8, Active, Guidance::GoOn, 2),
        (9, Active, Guidance::OneTurnLeft, 1),
        (10, ForceClosed, Guidance::Closed, 0),
    ] {
        let next = turn(so_far).unwrap();
        assert_eq!(
            (next.number(), next.status(), next.guidance(), next.left()),
            (number, status, guidance, left)
        );
        so_far = Some(next);
    }
    assert_eq!(turn(so_far), None);

    for number in [0, 11, 266, u32::MAX] {
        assert_eq!(TurnCount::new(number), Err(TurnCountError));
    }
    for status in EscalationStatus::ALL {
        assert_eq!(EscalationStatus::from_word(status.as_str()), Some(status));
    }
}

#[test]
fn a_closed_conversation_takes_no_turn() {
    let facts = Facts {
        so_far: Some(TurnCount::new(10).unwrap()),
        key_use: None,
    };
    let settled = command("s", "hello", None).settle(&facts);
    assert_eq!(settled.outcome.as_str(), "SESSION_CLOSED");
    assert_eq!(settled.trace, ["session.closed"]);
}

// Case R-178.
#[test]
fn a_turn_that_is_sent_again_counts_once() {
    let start = Facts {
        so_far: None,
        key_use: None,
    };
    let Outcome::Processed(first) = command("s", "hello", Some("K")).settle(&start).outcome else {
        panic!("a new turn was expected");
    };
    assert_eq!(first.turn_count.number(), 1);
    // The conversation has gone on since, and is even closed: the answer is that of the time.
    let mut later = Facts {
        so_far: Some(TurnCount::new(10).unwrap()),
        key_use: Some(KeyUse::ThisTool(first.clone())),
    };
    let again = command("s", "hello", Some("K")).settle(&later);
    assert_eq!(again.outcome, Outcome::Replayed(first));
    for other in [
        command("s", "hello ", Some("K")),
        command("t", "hello", Some("K")),
    ] {
        assert_eq!(
            other.settle(&later).outcome.as_str(),
            "IDEMPOTENCY_CONFLICT"
        );
    }
    later.key_use = Some(KeyUse::OtherTool(ToolName::new("process_return").unwrap()));
    assert_eq!(
        command("s", "hello", Some("K"))
            .settle(&later)
            .outcome
            .as_str(),
        "IDEMPOTENCY_CONFLICT"
    );
}

#[test]
fn a_message_is_taken_to_the_letter_and_not_shown() {
    assert_eq!(UserMessage::new(" hi\n").unwrap().as_str(), " hi\n");
    assert!(UserMessage::new(&"🎉".repeat(4000)).is_ok());
    assert!(UserMessage::new("").is_err());
    assert!(UserMessage::new(&"x".repeat(4001)).is_err());
    let shown = format!("{:?}", command("s", "my name is Ami", None));
    assert!(!shown.contains("Ami"), "{shown}");
}
