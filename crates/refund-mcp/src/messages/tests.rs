//! The files of all languages, held against the keys and against each other.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentResource;
use refund_domain::returns::eligibility;
use refund_domain::{
    BillingStatus, CivilDate, Currency, CustomerId, EarlierCall, IdempotencyKey, Ineligible, Money,
    Order, OrderId, OrderPrice, Quantity, ReturnId, ReturnsRefusal, SessionId, Sku, TimeZone,
    ToolName, TurnCount, UserId,
};

use super::*;

const LANGUAGES: [Language; 2] = [Language::En, Language::Ja];

/// The texts of a language as they stand in its file.
fn texts(language: Language) -> BTreeMap<&'static str, &'static str> {
    let mut texts = BTreeMap::new();
    let mut entry: Option<(&str, usize)> = None;
    let source = language.source();
    let mut place = 0;
    for line in source.split_inclusive('\n') {
        let starts = line.starts_with(|first: char| first.is_ascii_lowercase());
        if (starts || line.starts_with('#'))
            && let Some((key, start)) = entry.take()
        {
            texts.insert(key, &source[start..place]);
        }
        if starts {
            let (key, value) = line.split_once(" =").unwrap();
            entry = Some((key, place + line.len() - value.len()));
        }
        place += line.len();
    }
    if let Some((key, start)) = entry {
        texts.insert(key, &source[start..]);
    }
    texts
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    let parts = text.split("{ $").skip(1);
    parts.map(|part| part.split_once(" }").unwrap().0).collect()
}

#[test]
fn the_files_are_sound_and_hold_every_key_once() {
    for language in LANGUAGES {
        let source = language.source();
        FluentResource::try_new(source.to_owned()).unwrap();
        let entries = |line: &&str| line.starts_with(|first: char| first.is_ascii_lowercase());
        let keys: Vec<_> = source
            .lines()
            .filter(entries)
            .map(|line| line.split_once(" =").unwrap().0)
            .collect();
        let known: Vec<_> = Key::ALL.iter().map(|key| key.as_str()).collect();
        assert_eq!(keys, known, "{language:?}: these keys, in this order");
        // Whatever stands in braces is a placeholder in the one form that is used.
        assert_eq!(
            source.matches('{').count(),
            source.matches("{ $").count(),
            "{language:?}"
        );
    }
}

#[test]
fn the_placeholders_of_a_text_are_the_same_in_both_languages() {
    let (en, ja) = (texts(Language::En), texts(Language::Ja));
    for key in Key::ALL {
        let key = key.as_str();
        assert_eq!(placeholders(en[key]), placeholders(ja[key]), "{key}");
    }
}

#[test]
fn every_placeholder_is_filled() {
    let order_id = OrderId::new("ORD-1").unwrap();
    let unit = Money::from_minor(1_800, Currency::new("JPY").unwrap()).unwrap();
    let order = |returned| Order {
        id: order_id.clone(),
        customer_id: CustomerId::new("CUST-00004").unwrap(),
        sku: Sku::new("COLA-12").unwrap(),
        price: OrderPrice::new(unit, Quantity::new(2).unwrap()).unwrap(),
        order_date: CivilDate::parse("2026-07-01").unwrap(),
        billing_status: BillingStatus::Paid,
        returned,
    };
    let day = |text: &str| CivilDate::parse(text).unwrap();
    let key = IdempotencyKey::new("K").unwrap();
    let session_id = SessionId::new("S").unwrap();
    let conflict = |earlier| ReturnsRefusal::IdempotencyConflict {
        key: key.clone(),
        earlier,
    };
    let refusals = [
        ReturnsRefusal::UserNotFound {
            user_id: UserId::new("a@example.com").unwrap(),
        },
        ReturnsRefusal::UserNotFound {
            user_id: UserId::new("\u{430}@example.com").unwrap(),
        },
        ReturnsRefusal::OrderNotFound {
            order_id: order_id.clone(),
        },
        ReturnsRefusal::NotEligible {
            order_id: order_id.clone(),
            reason: Ineligible::Expired,
            deadline_date: day("2026-08-01"),
        },
        ReturnsRefusal::NotEligible {
            order_id: order_id.clone(),
            reason: Ineligible::AlreadyReturned,
            deadline_date: day("2026-08-01"),
        },
        ReturnsRefusal::SessionClosed {
            session_id: session_id.clone(),
        },
        conflict(EarlierCall::Return {
            return_id: ReturnId::new("3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f").unwrap(),
            order_id: order_id.clone(),
        }),
        conflict(EarlierCall::Turn {
            session_id,
            turn_count: TurnCount::new(3).unwrap(),
        }),
        conflict(EarlierCall::OtherTool(
            ToolName::new("trigger_refund").unwrap(),
        )),
    ];
    for language in LANGUAGES {
        let mut said: Vec<String> = refusals
            .iter()
            .map(|refusal| language.refusal(refusal, TimeZone::UTC))
            .collect();
        for (order, today) in [
            (order(false), "2026-08-01"),
            (order(false), "2026-08-02"),
            (order(true), "2026-08-02"),
        ] {
            let judged = eligibility(&order, day(today));
            said.push(language.eligibility(&order_id, &judged, TimeZone::UTC));
        }
        for turn in 1..=10 {
            said.push(language.guidance(TurnCount::new(turn).unwrap()));
        }
        said.push(language.invalid_input("process_return"));
        let different: BTreeSet<_> = said.iter().collect();
        assert_eq!(different.len(), said.len());
        for text in said {
            assert!(
                text.len() > 20 && !text.contains(['{', '}', '\u{2068}']),
                "{text}"
            );
        }
        for key in Key::ALL {
            let text = language.text(*key);
            assert!(!text.is_empty() && text != key.as_str(), "{key:?}");
        }
    }
}

/// A call of a returns tool for every kind of problem that its arguments can have.
const BAD_CALLS: [(&str, Option<&str>); 14] = [
    ("no arguments", None),
    ("null", Some("null")),
    ("an array", Some("[]")),
    ("a number", Some("5")),
    ("unreadable", Some(r#"{"order_id":"x""#)),
    ("nothing in it", Some("{}")),
    (
        "twice",
        Some(r#"{"order_id":"x","order_id":"y","reason":"z"}"#),
    ),
    ("nearly a key", Some(r#"{"order_id":"x","reasons":"z"}"#)),
    ("no text", Some(r#"{"order_id":5,"reason":null}"#)),
    ("no text either", Some(r#"{"order_id":true,"reason":{}}"#)),
    ("half a pair", Some(r#"{"order_id":"\ud800","reason":"z"}"#)),
    ("blank", Some(r#"{"order_id":" ","reason":" "}"#)),
    ("empty", Some(r#"{"order_id":"","reason":""}"#)),
    (
        "a key with blanks",
        Some(r#"{"order_id":"x","reason":"z","idempotency_key":"a b"}"#),
    ),
];

/// The issues of each of [`BAD_CALLS`], of a call with texts that are too long, of one with many unknown
/// keys, and of one with two idempotency keys.
fn bad_calls() -> Vec<Vec<refund_schema::Issue>> {
    use refund_schema::{EscalateToHumanInput, ProcessReturnInput, decode};

    let of = |arguments: Option<&str>| decode::<ProcessReturnInput>(arguments).unwrap_err();
    let mut found: Vec<_> = BAD_CALLS.iter().map(|(_, call)| of(*call)).collect();
    let long = "x".repeat(501);
    found.push(of(Some(&format!(
        r#"{{"order_id":"{long}","reason":"{long}"}}"#
    ))));
    let many: Vec<_> = (0..40).map(|key| format!(r#""zzzzzzzz{key}":0"#)).collect();
    found.push(of(Some(&format!("{{{}}}", many.join(",")))));
    let empty = decode::<EscalateToHumanInput>(Some(r#"{"session_id":"S","user_message":""}"#));
    found.push(empty.unwrap_err());
    let call = r#"{"order_id":"x","reason":"z","idempotency_key":"a"}"#;
    let request = decode::<ProcessReturnInput>(Some(call)).unwrap();
    let other = IdempotencyKey::new("b").unwrap();
    found.push(vec![request.into_request(Some(other)).unwrap_err()]);
    found
}

#[test]
fn issues_are_worded_in_both_languages() {
    // In Japanese, what is left of the Latin alphabet are the names of fields and the texts sent.
    let latin = |text: &str| {
        let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
        words
            .filter(|word| word.starts_with(|first: char| first.is_ascii_alphabetic()))
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    const NAMES: [&str; 21] = [
        "order_id",
        "reason",
        "idempotency_key",
        "session_id",
        "user_message",
        "reasons",
        "ASCII",
        "JSON",
        "Unicode",
        "ticket",
        "line",
        "null",
        "refund",
        "mcp",
        "idempotency",
        "key",
        "_meta",
        "a",
        "b",
        "x",
        "z",
    ];
    let mut keys = std::collections::HashSet::new();
    for issues in bad_calls() {
        assert!(!issues.is_empty());
        let english = Language::En.issues(&issues);
        // The schema's own words and those of the file are the same.
        assert_eq!(english, issues);
        for (issue, said) in issues.iter().zip(Language::Ja.issues(&issues)) {
            assert_eq!((&said.path, said.code), (&issue.path, issue.code));
            let strange: Vec<_> = latin(&said.message)
                .into_iter()
                .filter(|word| !NAMES.contains(&word.as_str()) && !word.starts_with("zzzzzzzz"))
                .filter(|word| !word.starts_with("xxx"))
                .collect();
            assert_eq!(strange, [""; 0], "{}", said.message);
            assert!(!said.message.is_ascii(), "{}", said.message);
            keys.insert(std::mem::discriminant(&*issue.problem));
        }
    }
    assert_eq!(keys.len(), 13, "every kind of problem but Other");
}

// What an issue can say depends on the rules of the arguments: texts alone, in these forms.
#[test]
fn the_tools_of_returns_have_no_other_arguments() {
    for spec in crate::catalogue::ALL {
        if spec.toolset != crate::catalogue::Toolset::Returns {
            continue;
        }
        let schema = (spec.input_schema)();
        assert_eq!(schema.get("minProperties"), None, "{}", spec.name);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert_eq!(property["type"], "string", "{} {name}", spec.name);
            let pattern = property.get("pattern");
            let known = ["order_id", "session_id", "user_id", "idempotency_key"];
            assert!(
                pattern.is_none() || known.contains(&name.as_str()),
                "{name}"
            );
        }
    }
}

// Case R-181.
#[test]
fn turn_nine_says_that_one_turn_is_left() {
    for (language, words) in [
        (Language::En, "one turn is left"),
        (Language::Ja, "残りが 1 ターン"),
    ] {
        let text = language.guidance(TurnCount::new(9).unwrap());
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn tags_name_a_language_by_their_first_part() {
    for (tag, language) in [
        ("en", Some(Language::En)),
        ("ja", Some(Language::Ja)),
        ("ja-JP", Some(Language::Ja)),
        ("JA_jp", Some(Language::Ja)),
        ("en-GB", Some(Language::En)),
        ("fr", None),
        ("jam", None),
        ("", None),
    ] {
        assert_eq!(Language::of_tag(tag), language, "{tag}");
    }
}

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/orchestration.md");
    std::fs::read_to_string(path).unwrap()
}

// What people copy from the page is what clients get as a prompt.
#[test]
fn the_page_and_the_prompt_are_the_same_text() {
    let page = page();
    for language in LANGUAGES {
        let prompt = language.text(Key::SupportDeskPrompt);
        assert!(
            page.contains(&format!("\n```text\n{prompt}\n```\n")),
            "docs/orchestration.md must hold the prompt of {language:?} word for word"
        );
        assert!(prompt.len() < 20_000);
    }
}
