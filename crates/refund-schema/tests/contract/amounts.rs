//! Amounts arrive as the digits that were sent.

use refund_domain::{Currency, Money, RefundRequest};
use refund_schema::{PreviewRefundInput, TriggerRefundInput, decode};

use crate::{codes, issues, refund_with};

fn request(amount: &str) -> RefundRequest {
    let arguments = refund_with("amount", amount);
    decode::<TriggerRefundInput>(Some(&arguments))
        .unwrap()
        .into_request(None)
        .unwrap()
}

fn cents(amount: &str) -> i64 {
    let usd = Currency::new("USD").unwrap();
    Money::from_decimal(request(amount).amount.decimal(), usd)
        .unwrap()
        .minor()
}

// Case R-013.
#[test]
fn all_cents_up_to_a_hundred_are_their_own_digits() {
    for minor in 1..=10_000_i64 {
        let text = format!("{}.{:02}", minor / 100, minor % 100);
        assert_eq!(cents(&text), minor, "{text}");
        let short = text.trim_end_matches('0').trim_end_matches('.');
        assert_eq!(cents(short), minor, "{short}");
        assert_eq!(cents(&format!("{minor}e-2")), minor);
    }
}

// Cases R-022, R-025.
#[test]
fn judged_by_value() {
    for (text, minor) in [
        ("10.1", 1010),
        ("10.10", 1010),
        ("1e2", 10_000),
        ("1E+2", 10_000),
        ("10.00", 1000),
        ("10.000", 1000),
        ("10", 1000),
        ("0.01", 1),
        ("1e-2", 1),
        ("0.07", 7),
        ("4.35", 435),
        ("19.99", 1999),
        ("8.20", 820),
        ("17.08", 1708),
        ("145.05", 14_505),
        ("999999.99", 99_999_999),
        ("1000000", 100_000_000),
        ("1000000.00", 100_000_000),
        ("1e6", 100_000_000),
        ("0.0000001e8", 1000),
        (
            "10.0000000000000000000000000000000000000000000000000000000000000",
            1000,
        ),
    ] {
        assert_eq!(cents(text), minor, "{text}");
    }
}

// Cases R-005, R-016, R-022, R-023, R-025, R-124.
#[test]
fn refused() {
    let long = format!("10.{}", "0".repeat(62));
    for (text, expected) in [
        ("0", "too_small"),
        ("-0", "too_small"),
        ("-0.0", "too_small"),
        ("0.00", "too_small"),
        ("0e999999999", "too_small"),
        ("-10", "too_small"),
        ("-0.01", "too_small"),
        ("-1e400", "too_small"),
        ("-1.005", "too_small custom"),
        ("-1e-400", "too_small custom"),
        ("1000000.01", "too_big"),
        ("1000001", "too_big"),
        ("1e7", "too_big"),
        ("1e400", "too_big"),
        ("1e999", "too_big"),
        ("1e99999999999999999999999999", "too_big"),
        ("1000000.001", "too_big custom"),
        ("10.001", "custom"),
        ("33.333333", "custom"),
        ("1e-3", "custom"),
        ("1e-400", "custom"),
        ("1e-99999999999999999999999999", "custom"),
        ("10.000000000000000000001", "custom"),
        (&long, "too_long"),
        (r#""10.1""#, "invalid_type"),
        (r#""10,10""#, "invalid_type"),
        (r#""10.00""#, "invalid_type"),
        (r#""NaN""#, "invalid_type"),
        (r#""""#, "invalid_type"),
        ("true", "invalid_type"),
        ("null", "invalid_type"),
        ("[10]", "invalid_type"),
        ("{}", "invalid_type"),
        (r#"{"$serde_json::private::Number":"5"}"#, "invalid_type"),
        (r#"{"$serde_json::private::RawValue":"5"}"#, "invalid_type"),
    ] {
        let arguments = refund_with("amount", text);
        let expected: Vec<_> = expected
            .split(' ')
            .map(|code| format!("amount:{code}"))
            .collect();
        assert_eq!(codes::<TriggerRefundInput>(&arguments), expected, "{text}");
        assert_eq!(codes::<PreviewRefundInput>(&arguments), expected, "{text}");
    }
    for text in [
        "NaN",
        "Infinity",
        "-Infinity",
        "+1",
        "01",
        ".5",
        "1.",
        "0x10",
        "10,10,",
    ] {
        let arguments = refund_with("amount", text);
        assert_eq!(
            codes::<TriggerRefundInput>(&arguments),
            [":invalid_type"],
            "{text}"
        );
    }
}

#[test]
fn the_message_about_decimals_is_a_contract() {
    for text in ["10.001", "1e-3", "10.000000000000000000001"] {
        assert_eq!(
            issues::<TriggerRefundInput>(&refund_with("amount", text)),
            [serde_json::json!({
                "path": ["amount"],
                "code": "custom",
                "message": "amount must have at most 2 decimal places",
            })]
        );
    }
}
