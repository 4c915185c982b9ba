//! Three judges on generated calls: the `jsonschema` crate on the published schema, the decoder, and
//! the type itself (serde, the domain's constructors, garde).
//!
//! *Invariant:* they agree, but for the three rules that JSON Schema cannot say: a reason is measured
//! after trimming, an amount has at most two decimal places, and a day is one of the calendar. Beside these, the decoder alone sees
//! the *text*: keys that come twice and numbers written with more than 64 characters.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

use jsonschema::Validator;
use proptest::prelude::*;
use refund_domain::{CivilDate, RefundRequest};
use refund_schema::{
    CheckReturnEligibilityInput, CheckWarrantyCoverageInput, EscalateToHumanInput,
    FindCustomerInput, FindDeviceInput, GetBillingStatusInput, GetCustomerRecordInput,
    GetFeeQuoteInput, GetOpenReturnsForDeviceInput, GetRefundInput, Issue, ListRefundsInput,
    LookupOrderInput, PathSegment, ProcessReturnInput, ResolveShippingAddressInput,
    SearchDevicesInput, ToolInput, TriggerRefundInput, decode, input_schema,
};
use rust_decimal::Decimal;
use serde_json::Value;

/// A value of a call: its text, and for a number what its text says.
#[derive(Debug, Clone)]
struct Sent {
    text: String,
    number: Option<Written>,
}

/// A number as it is written: digits without a point, how many of them follow the point, exponent.
#[derive(Debug, Clone)]
struct Written {
    digits: String,
    fraction: usize,
    exponent: i64,
}

impl Written {
    /// Decimal places by value.
    fn places(&self) -> i64 {
        let significant = self.digits.trim_end_matches('0');
        if significant.is_empty() {
            return 0;
        }
        let zeros = self.digits.len() - significant.len();
        (self.fraction as i64 - zeros as i64 - self.exponent).max(0)
    }
}

fn other(text: impl Into<String>) -> Sent {
    Sent {
        text: text.into(),
        number: None,
    }
}

fn a_string(text: &str) -> Sent {
    other(serde_json::to_string(text).unwrap())
}

fn number() -> impl Strategy<Value = Sent> {
    let whole = prop_oneof![
        Just("0".to_owned()),
        Just("1000000".to_owned()),
        Just("999999".to_owned()),
        Just("20".to_owned()),
        Just("100".to_owned()),
        "[1-9][0-9]{0,9}",
        "[1-9][0-9]{0,60}",
    ];
    let fraction = prop_oneof![
        4 => Just(String::new()),
        4 => "[0-9]{1,2}",
        2 => "[0-9]{0,3}0{1,10}",
        1 => "0{1,20}[0-9]",
        1 => "[0-9]{1,60}",
    ];
    let exponent = prop_oneof![
        6 => Just(None),
        3 => (-8_i64..=8).prop_map(Some),
        1 => (-500_i64..=500).prop_map(Some),
    ];
    (
        prop::bool::weighted(0.1),
        whole,
        fraction,
        exponent,
        prop::sample::select(vec!["e", "E", "e+"]),
    )
        .prop_map(|(negative, whole, fraction, exponent, e)| {
            let mut text = format!("{}{whole}", if negative { "-" } else { "" });
            if !fraction.is_empty() {
                text = format!("{text}.{fraction}");
            }
            if let Some(exponent) = exponent {
                let e = if exponent < 0 { "e" } else { e };
                text = format!("{text}{e}{exponent}");
            }
            Sent {
                text,
                number: Some(Written {
                    fraction: fraction.len(),
                    digits: whole + &fraction,
                    exponent: exponent.unwrap_or(0),
                }),
            }
        })
}

/// Numbers as people write them: a few digits, perhaps zeros behind them.
fn plain(whole: RangeInclusive<u32>, decimals: usize) -> impl Strategy<Value = Sent> {
    let fraction = (0..1000_u32, 0..=decimals, 0_usize..=3).prop_map(|(digits, kept, zeros)| {
        let digits = format!("{digits:03}");
        format!("{}{}", &digits[..kept], "0".repeat(zeros))
    });
    (whole, fraction).prop_map(|(whole, fraction)| {
        let point = if fraction.is_empty() { "" } else { "." };
        Sent {
            text: format!("{whole}{point}{fraction}"),
            number: Some(Written {
                digits: format!("{whole}{fraction}"),
                fraction: fraction.len(),
                exponent: 0,
            }),
        }
    })
}

/// Values that no key takes, and some that look as if.
fn wild() -> impl Strategy<Value = Sent> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just(r#""10.00""#.to_owned()),
        Just(r#"{"$serde_json::private::Number":"5"}"#.to_owned()),
        Just(r#"{"$serde_json::private::RawValue":"5"}"#.to_owned()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|items| format!("[{}]", items.join(" , "))),
            inner.prop_map(|value| format!(r#"{{ "amount" : {value} }}"#)),
        ]
    })
    .prop_map(other)
}

fn customer_id() -> impl Strategy<Value = Sent> {
    prop_oneof![
        6 => "CUST-[0-9]{5}",
        2 => "[Cc][Uu]ST-[0-9٠-٩]{4,6}",
        1 => "[ \n]{0,1}CUST-[0-9]{5}[ \n]{0,1}",
    ]
    .prop_map(|text| a_string(&text))
}

fn reason() -> impl Strategy<Value = Sent> {
    prop_oneof![
        4 => "[ -~]{8,30}",
        2 => r"[ \t\u{a0}\u{3000}]{0,8}.{6,14}[ \n\u{2029}\u{200b}]{0,8}",
        1 => r"[ \u{3000}]{0,20}[a-zé🎉]{495,505}[ \u{a0}]{0,20}",
    ]
    .prop_map(|text| a_string(&text))
}

fn key() -> impl Strategy<Value = Sent> {
    prop_oneof![6 => "[!-~]{0,40}", 2 => "[!-~]{250,260}", 1 => "[ -\u{7f}]{1,10}", 1 => ".{1,5}"]
        .prop_map(|text| a_string(&text))
}

fn refund_id() -> impl Strategy<Value = Sent> {
    prop_oneof![
        6 => "[0-9a-f]{8}-[0-9a-f]{4}-[0-9A-F]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        2 => "[{]?[0-9a-g]{7,8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}[}]?",
    ]
    .prop_map(|text| a_string(&text))
}

fn cursor() -> impl Strategy<Value = Sent> {
    prop_oneof![4 => "r[1-9a-f][0-9a-f]{0,15}", 2 => "[rR]?[0-9a-fA-F]{0,18}"]
        .prop_map(|text| a_string(&text))
}

/// Texts without a form: blank ones, and those about as long as they may be.
fn any_id() -> impl Strategy<Value = Sent> {
    prop_oneof![
        6 => ".{1,40}",
        2 => r"[ \t\n\u{85}\u{a0}\u{1680}\u{2003}\u{2028}\u{3000}\u{200b}]{0,4}",
        1 => (315..=325_usize).prop_map(|length| "é".repeat(length)),
    ]
    .prop_map(|text| a_string(&text))
}

fn message() -> impl Strategy<Value = Sent> {
    let long = (3995..=4005_usize).prop_map(|length| "🎉".repeat(length));
    prop_oneof![15 => ".{0,60}", 1 => long].prop_map(|text| a_string(&text))
}

fn day() -> impl Strategy<Value = Sent> {
    prop_oneof![
        20 => (1..3000_u32, 1..=12_u32, 1..=29_u32)
            .prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}")),
        1 => "20[0-9]{2}-[01][0-9]-[0-3][0-9]",
        1 => Just("2024-02-29".to_owned()),
        1 => "[ +]?[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(T00:00:00Z)?",
        1 => "[٠-٩]{4}-[0-9]{2}-[0-9]{2}",
    ]
    .prop_map(|text| a_string(&text))
}

fn region() -> impl Strategy<Value = Sent> {
    prop_oneof![16 => "[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?", 2 => "[A-Z]{0,3}-?[a-zé0-9]{0,4}"]
        .prop_map(|text| a_string(&text))
}

fn boolean() -> impl Strategy<Value = Sent> {
    prop::sample::select(vec![
        "true", "false", "true", "false", "\"true\"", "1", "null",
    ])
    .prop_map(other)
}

/// A text without a form, about as long as its limit now and then.
fn text_up_to(most: usize) -> impl Strategy<Value = Sent> {
    prop_oneof![
        20 => ".{1,40}",
        2 => r"[ \t\n\u{85}\u{a0}\u{2003}\u{3000}\u{200b}]{0,4}",
        1 => (most - 3..=most + 3).prop_map(|length| "é".repeat(length)),
    ]
    .prop_map(|text| a_string(&text))
}

/// A value for a key: mostly one that is meant for it.
fn value(name: &str) -> BoxedStrategy<Sent> {
    let meant = match name {
        "customer_id" | "customerId" => customer_id().boxed(),
        "amount" => prop_oneof![number(), plain(0..=1_000_100, 3)].boxed(),
        "limit" => prop_oneof![number(), plain(0..=110, 0)].boxed(),
        "reason" => reason().boxed(),
        "idempotency_key" => key().boxed(),
        "refund_id" => refund_id().boxed(),
        "cursor" => cursor().boxed(),
        "user_id" | "order_id" | "session_id" => any_id().boxed(),
        "user_message" => message().boxed(),
        "take" => prop_oneof![number(), plain(0..=30, 0)].boxed(),
        "today" => day().boxed(),
        "regionCode" => region().boxed(),
        "identifier" | "deviceId" => text_up_to(128).boxed(),
        "problemDescription" => text_up_to(4000).boxed(),
        "freeTextAddress" => text_up_to(500).boxed(),
        "productName" | "model" | "sku" | "name" | "email" | "phoneNumber"
        | "externalCustomerId" => text_up_to(320).boxed(),
        "proofOfPurchaseOnFile" | "hasOpenReturn" | "includeUnitsWithOpenReturns" => {
            boolean().boxed()
        }
        _ => wild().boxed(),
    };
    prop_oneof![12 => meant, 1 => wild(), 1 => number(), 1 => reason()].boxed()
}

/// The keys and values of a call.
fn call(names: &'static [&'static str]) -> impl Strategy<Value = Vec<(String, Sent)>> {
    let mut parts = Vec::new();
    for name in names {
        let present = prop::bool::weighted(0.9);
        let once = (present, value(name))
            .prop_map(move |(present, sent)| present.then(|| ((*name).to_owned(), sent)));
        parts.push(once.boxed());
    }
    // Now and then a key too many: unknown, misspelled, or one of the others again.
    let extra = (
        prop::bool::weighted(0.15),
        prop_oneof![
            3 => prop::sample::select(names).prop_map(str::to_owned),
            2 => prop::sample::select(vec!["amonut", "customerId", "currency", "", "$serde_json::private::RawValue"])
                .prop_map(str::to_owned),
            1 => any::<String>(),
        ],
        wild(),
    );
    parts.push(
        extra
            .prop_map(|(present, name, sent)| present.then_some((name, sent)))
            .boxed(),
    );
    parts
        .prop_map(|entries| entries.into_iter().flatten().collect::<Vec<_>>())
        .prop_shuffle()
}

fn text_of(call: &[(String, Sent)]) -> String {
    let entries: Vec<String> = call
        .iter()
        .map(|(name, sent)| format!(" {}:\t{} ", serde_json::to_string(name).unwrap(), sent.text))
        .collect();
    format!("{{{}}}", entries.join(","))
}

/// What JSON Schema judges: the value as other parsers read it, a reason trimmed. `None` for a number
/// that a double cannot hold, which most parsers refuse.
fn seen_by_schema(name: &str, sent: &Sent) -> Option<Value> {
    // `Value` takes an object with one of serde_json's private keys for a number or a raw text.
    let text = sent.text.replace("$serde_json::private", "$private");
    let value: Value = serde_json::from_str(&text).ok()?;
    Some(match value {
        Value::String(text) if name == "reason" => Value::String(text.trim().to_owned()),
        other => other,
    })
}

struct Judges {
    whole: Validator,
    by_key: Vec<(String, Validator)>,
}

impl Judges {
    fn new<T: ToolInput>() -> Self {
        let schema = input_schema::<T>();
        let by_key = schema["properties"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, schema)| (name.clone(), jsonschema::validator_for(schema).unwrap()))
            .collect();
        Self {
            whole: jsonschema::validator_for(&Value::Object(schema)).unwrap(),
            by_key,
        }
    }

    /// Whether the schema and the rules beside it accept a value of a key.
    fn accept_value(&self, name: &str, sent: &Sent) -> bool {
        let Some((_, validator)) = self.by_key.iter().find(|(known, _)| known == name) else {
            return false;
        };
        // `Value` holds a double, which rounds 20.000000000000000001 to an integer.
        let decimals = sent.number.as_ref().is_none_or(|number| match name {
            "amount" => number.places() <= 2,
            "limit" | "take" => number.places() == 0,
            _ => true,
        });
        let short = sent.number.is_none() || sent.text.len() <= 64;
        // Whatever is no text is the schema's business.
        let day = name != "today"
            || serde_json::from_str::<String>(&sent.text)
                .map_or(true, |text| CivilDate::parse(&text).is_ok());
        decimals
            && short
            && day
            && seen_by_schema(name, sent).is_some_and(|value| validator.is_valid(&value))
    }

    fn hold<T: ToolInput>(&self, call: &[(String, Sent)]) -> Result<Option<T>, TestCaseError> {
        let text = text_of(call);
        let decoded = decode::<T>(Some(&text));

        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (name, _) in call {
            *counts.entry(name).or_default() += 1;
        }
        let once = counts.values().all(|count| *count == 1);

        // Key by key: an issue exactly where the schema or one of the rules beside it says no.
        let found: BTreeSet<String> = paths(decoded.as_ref().err());
        for (name, _) in &self.by_key {
            let sent: Vec<&Sent> = call
                .iter()
                .filter(|(sent, _)| sent == name)
                .map(|(_, sent)| sent)
                .collect();
            match sent.as_slice() {
                [] => {}
                [sent] => prop_assert_eq!(
                    !found.contains(name.as_str()),
                    self.accept_value(name, sent),
                    "{} in {}",
                    name,
                    text
                ),
                _ => prop_assert!(found.contains(name.as_str()), "{name} twice in {text}"),
            }
        }

        // As a whole.
        let seen: Option<serde_json::Map<String, Value>> = call
            .iter()
            .map(|(name, sent)| Some((name.clone(), seen_by_schema(name, sent)?)))
            .collect();
        let by_schema = once
            && seen.is_some_and(|seen| self.whole.is_valid(&Value::Object(seen)))
            && call
                .iter()
                .all(|(name, sent)| self.accept_value(name, sent));
        prop_assert_eq!(decoded.is_ok(), by_schema, "{}", text);

        // The type by itself: serde stops at the first problem, but it must not accept more. Only a
        // number's length is not its business.
        let by_type = serde_json::from_str::<T>(&text).is_ok_and(|input| input.validate().is_ok());
        let short = call
            .iter()
            .all(|(_, sent)| sent.number.is_none() || sent.text.len() <= 64);
        prop_assert!(by_type == by_schema || (by_type && !short), "{text}");

        self.hold_order(&decoded)?;
        Ok(decoded.ok())
    }

    /// Issues are sentences, in the schema's order; none is left to serde or garde.
    fn hold_order<T>(&self, decoded: &Result<T, Vec<Issue>>) -> Result<(), TestCaseError> {
        let Err(issues) = decoded else {
            return Ok(());
        };
        prop_assert!(!issues.is_empty());
        let places: Vec<usize> = issues
            .iter()
            .map(|issue| match issue.path.as_slice() {
                [] => 0,
                [PathSegment::Key(key), ..] => self
                    .by_key
                    .iter()
                    .position(|(known, _)| known == key)
                    .map_or(usize::MAX, |place| place + 1),
                _ => unreachable!("no tool takes an array"),
            })
            .collect();
        prop_assert!(places.is_sorted(), "{issues:?}");
        for issue in issues {
            prop_assert!(!issue.message.contains("cannot be used"), "{issues:?}");
            prop_assert!(
                !issue.message.is_empty() && issue.message.len() < 1500,
                "{issues:?}"
            );
        }
        Ok(())
    }
}

fn paths(issues: Option<&Vec<Issue>>) -> BTreeSet<String> {
    issues
        .into_iter()
        .flatten()
        .filter_map(|issue| match issue.path.first()? {
            PathSegment::Key(key) => Some(key.clone()),
            PathSegment::Index(_) => None,
        })
        .collect()
}

fn hold<T: ToolInput>(
    names: &'static [&'static str],
    and: impl Fn(&[(String, Sent)], T) -> Result<(), TestCaseError>,
) {
    let judges = Judges::new::<T>();
    let accepted = std::cell::Cell::new(0_u32);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 4096,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&call(names), |call| match judges.hold::<T>(&call)? {
            None => Ok(()),
            Some(input) => {
                accepted.set(accepted.get() + 1);
                and(&call, input)
            }
        })
        .unwrap();
    // A generator that makes no good call would prove nothing about them.
    assert!(accepted.get() > 200, "only {} good calls", accepted.get());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_an_answer(text in r#"([ -~]|[{}\[\],:"eE0-9.\\u-]){0,40}"#, wild in any::<String>()) {
        for text in [&text, &wild, &format!("{{\"amount\":{text}}}")] {
            prop_assert!(decode::<TriggerRefundInput>(Some(text)).is_err());
        }
    }
}

#[test]
fn on_trigger_refund() {
    hold::<TriggerRefundInput>(
        &["customer_id", "amount", "reason", "idempotency_key"],
        |call, input| {
            let request = RefundRequest::from(input);
            let written = call
                .iter()
                .find(|(name, _)| name == "amount")
                .and_then(|(_, sent)| sent.number.clone())
                .unwrap();
            // Exact: digits of the text, shifted.
            let digits: i128 = written.digits.trim_end_matches('0').parse().unwrap_or(0);
            let zeros = written.digits.len() - written.digits.trim_end_matches('0').len();
            let shift = written.fraction as i64 - zeros as i64 - written.exponent;
            let exact = if shift >= 0 {
                Decimal::from_i128_with_scale(digits, shift as u32)
            } else {
                Decimal::from_i128_with_scale(digits * 10_i128.pow(shift.unsigned_abs() as u32), 0)
            };
            prop_assert_eq!(request.amount.decimal(), exact);
            Ok(())
        },
    );
}

#[test]
fn on_get_refund() {
    hold::<GetRefundInput>(&["refund_id", "idempotency_key"], |_, _| Ok(()));
}

#[test]
fn on_list_refunds() {
    hold::<ListRefundsInput>(&["customer_id", "limit", "cursor"], |call, input| {
        let (_, limit, before) = input.into_parts();
        let sent = |key: &str| call.iter().any(|(name, _)| name == key);
        prop_assert!((1..=100).contains(&limit));
        prop_assert!(sent("limit") || limit == 20);
        prop_assert_eq!(before.is_some(), sent("cursor"));
        Ok(())
    });
}

#[test]
fn on_get_customer_record() {
    hold::<GetCustomerRecordInput>(&["customer_id"], |_, _| Ok(()));
}

#[test]
fn on_lookup_order_and_get_billing_status() {
    hold::<LookupOrderInput>(&["user_id"], |_, _| Ok(()));
    hold::<GetBillingStatusInput>(&["user_id"], |_, _| Ok(()));
}

#[test]
fn on_check_return_eligibility() {
    hold::<CheckReturnEligibilityInput>(&["order_id"], |_, _| Ok(()));
}

#[test]
fn on_process_return() {
    hold::<ProcessReturnInput>(&["order_id", "reason", "idempotency_key"], |call, input| {
        let request = input.into_request(None).unwrap();
        let sent = call.iter().find(|(name, _)| name == "order_id").unwrap();
        let verbatim: String = serde_json::from_str(&sent.1.text).unwrap();
        prop_assert_eq!(request.order_id.as_str(), verbatim);
        Ok(())
    });
}

#[test]
fn on_escalate_to_human() {
    hold::<EscalateToHumanInput>(
        &["session_id", "user_message", "idempotency_key"],
        |call, input| {
            let request = input.into_request(None).unwrap();
            let sent = call
                .iter()
                .find(|(name, _)| name == "user_message")
                .unwrap();
            let verbatim: String = serde_json::from_str(&sent.1.text).unwrap();
            prop_assert_eq!(request.user_message.as_str(), verbatim);
            Ok(())
        },
    );
}

#[test]
fn on_check_warranty_coverage() {
    hold::<CheckWarrantyCoverageInput>(
        &[
            "identifier",
            "today",
            "problemDescription",
            "regionCode",
            "proofOfPurchaseOnFile",
            "hasOpenReturn",
        ],
        |call, input| {
            let (identifier, today, facts) = input.into_parts();
            let sent = |key: &str| {
                call.iter()
                    .find(|(name, _)| name == key)
                    .map(|(_, sent)| sent.text.clone())
            };
            let text =
                |key: &str| sent(key).and_then(|text| serde_json::from_str::<String>(&text).ok());
            prop_assert_eq!(Some(identifier.as_str().to_owned()), text("identifier"));
            prop_assert_eq!(Some(today.to_string()), text("today"));
            let boolean = |key: &str| sent(key).map(|text| text == "true");
            prop_assert_eq!(facts.proof_of_purchase, boolean("proofOfPurchaseOnFile"));
            prop_assert_eq!(facts.has_open_return, boolean("hasOpenReturn"));
            prop_assert_eq!(
                facts.problem.map(|problem| problem.as_str().to_owned()),
                text("problemDescription")
            );
            Ok(())
        },
    );
}

#[test]
fn on_get_fee_quote() {
    hold::<GetFeeQuoteInput>(&["identifier", "today"], |_, _| Ok(()));
}

#[test]
fn on_find_device() {
    hold::<FindDeviceInput>(
        &["identifier", "includeUnitsWithOpenReturns", "today"],
        |call, input| {
            let (_, today, _) = input.into_parts();
            prop_assert_eq!(
                today.is_some(),
                call.iter().any(|(name, _)| name == "today")
            );
            Ok(())
        },
    );
}

#[test]
fn on_search_devices() {
    hold::<SearchDevicesInput>(&["productName", "model", "sku", "take"], |call, input| {
        let (criteria, take) = input.into_parts();
        let sent = |key: &str| call.iter().any(|(name, _)| name == key);
        prop_assert!((1..=25).contains(&take) && (sent("take") || take == 10));
        prop_assert_eq!(criteria.sku.is_some(), sent("sku"));
        Ok(())
    });
}

#[test]
fn on_get_open_returns_for_device() {
    hold::<GetOpenReturnsForDeviceInput>(&["deviceId"], |_, _| Ok(()));
}

#[test]
fn on_find_customer() {
    hold::<FindCustomerInput>(
        &["name", "email", "phoneNumber", "externalCustomerId", "take"],
        |call, input| {
            let (criteria, take) = input.into_parts();
            let sent = |key: &str| call.iter().any(|(name, _)| name == key);
            prop_assert!((1..=25).contains(&take) && (sent("take") || take == 5));
            prop_assert_eq!(criteria.external_id.is_some(), sent("externalCustomerId"));
            Ok(())
        },
    );
}

#[test]
fn on_resolve_shipping_address() {
    hold::<ResolveShippingAddressInput>(&["customerId", "freeTextAddress"], |_, _| Ok(()));
}
