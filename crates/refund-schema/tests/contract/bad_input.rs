//! What is wrong with a call is answered at once, in order, and so that one retry mends it.

use refund_domain::{CustomerId, IdempotencyKey, RefundName, RefundRequest};
use refund_schema::{
    GetCustomerRecordInput, GetRefundInput, IssueCode, ListRefundsInput, PathSegment,
    PreviewRefundInput, TriggerRefundInput, decode,
};

use crate::{codes, issues, refund_with};

fn messages(arguments: &str) -> Vec<String> {
    issues::<TriggerRefundInput>(arguments)
        .iter()
        .map(|issue| issue["message"].as_str().unwrap().to_owned())
        .collect()
}

// Case R-121.
#[test]
fn arguments_must_be_an_object() {
    let none = decode::<TriggerRefundInput>(None).unwrap_err();
    assert_eq!(none.len(), 1);
    assert_eq!(none[0].code, IssueCode::Required);
    assert!(none[0].path.is_empty());
    assert_eq!(
        none[0].message,
        "arguments are required: expected an object with customer_id, amount and reason"
    );
    for (text, expected) in [
        ("null", ":required"),
        (" null ", ":required"),
        ("[]", ":invalid_type"),
        (
            r#"["CUST-00001",10,"Item arrived damaged"]"#,
            ":invalid_type",
        ),
        (r#""{}""#, ":invalid_type"),
        ("5", ":invalid_type"),
        ("-1", ":invalid_type"),
        ("true", ":invalid_type"),
        // Not what an envelope lets through, but never a panic.
        ("", ":invalid_type"),
        ("{", ":invalid_type"),
        ("{} {}", ":invalid_type"),
        ("nul", ":invalid_type"),
        ("\u{feff}{}", ":invalid_type"),
        (r#"{"\ud800":1}"#, ":invalid_type"),
    ] {
        assert_eq!(codes::<TriggerRefundInput>(text), [expected], "{text:?}");
        assert_eq!(
            codes::<GetCustomerRecordInput>(text),
            [expected],
            "{text:?}"
        );
        assert_eq!(codes::<GetRefundInput>(text), [expected], "{text:?}");
    }
}

#[test]
fn all_problems_in_the_order_of_the_schema_then_as_sent() {
    let arguments = r#"{
        "zeta": 1, "reason": 5, "alpha": null, "amount": -1.005, "idempotency_key": "two words"
    }"#;
    let expected = [
        "customer_id:required",
        "amount:too_small",
        "amount:custom",
        "reason:invalid_type",
        "idempotency_key:pattern",
        "zeta:unknown_key",
        "alpha:unknown_key",
    ];
    assert_eq!(codes::<TriggerRefundInput>(arguments), expected);
    assert_eq!(codes::<PreviewRefundInput>(arguments), expected);
    assert_eq!(
        codes::<TriggerRefundInput>("{}"),
        ["customer_id:required", "amount:required", "reason:required"]
    );
    let long = format!("{}\u{20}", "k".repeat(256));
    assert_eq!(
        codes::<TriggerRefundInput>(&refund_with("idempotency_key", &format!("\"{long}\""))),
        ["idempotency_key:too_long", "idempotency_key:pattern"]
    );
}

// Case R-034.
#[test]
fn a_key_given_twice_is_refused_unseen() {
    let rest = r#""customer_id":"CUST-00001","reason":"Item arrived damaged""#;
    for arguments in [
        format!(r#"{{"amount":10,"amount":1000,{rest}}}"#),
        format!(r#"{{"amount":10,{rest},"amount":10}}"#),
        format!(r#"{{"amount":"x",{rest},"amount":-1}}"#),
        format!(r#"{{"amount":10,{rest},"\u0061mount":10,"amount":1}}"#),
    ] {
        assert_eq!(
            codes::<TriggerRefundInput>(&arguments),
            ["amount:duplicate_key"],
            "{arguments}"
        );
    }
    let several = format!(r#"{{"b":1,"amount":0,"b":2,{rest},"amount":1}}"#);
    assert_eq!(
        codes::<TriggerRefundInput>(&several),
        ["amount:duplicate_key", "b:unknown_key", "b:duplicate_key"]
    );
    // Inside a value there is no legal object, so its keys are not looked at.
    assert_eq!(
        codes::<TriggerRefundInput>(&refund_with("amount", r#"{"a":1,"a":2}"#)),
        ["amount:invalid_type"]
    );
}

// Case R-035.
#[test]
fn customer_ids_are_not_coerced() {
    for (value, code) in [
        (r#""cust-00001""#, "pattern"),
        (r#""CUST-00001 ""#, "pattern"),
        (r#"" CUST-00001""#, "pattern"),
        (r#""CUST-00001\n""#, "pattern"),
        (r#""CUST-000001""#, "pattern"),
        (r#""CUST-0001""#, "pattern"),
        (r#""CUST-٠٠٠٠١""#, "pattern"),
        (r#""12345""#, "pattern"),
        (r#""099""#, "pattern"),
        (r#""""#, "pattern"),
        ("true", "invalid_type"),
        ("123", "invalid_type"),
        ("null", "invalid_type"),
        (r#"["CUST-00001"]"#, "invalid_type"),
        (r#""\ud83c""#, "invalid_type"),
    ] {
        let arguments = format!(r#"{{"customer_id":{value}}}"#);
        let expected = [format!("customer_id:{code}")];
        assert_eq!(
            codes::<GetCustomerRecordInput>(&arguments),
            expected,
            "{value}"
        );
        assert_eq!(codes::<ListRefundsInput>(&arguments), expected, "{value}");
        let arguments = refund_with("customer_id", value);
        assert_eq!(codes::<TriggerRefundInput>(&arguments), expected, "{value}");
    }
    let input = decode::<GetCustomerRecordInput>(Some(r#"{"customer_id":"CUST-\u0030000\u0031"}"#));
    assert_eq!(
        CustomerId::from(input.unwrap()),
        CustomerId::new("CUST-00001").unwrap()
    );
}

// Case R-029.
#[test]
fn a_reason_is_measured_in_characters_after_trimming() {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let around = |text: &str| format!("\u{a0}\t{}\u{3000}\u{2028}\n", text);
    let x = |count: usize| "x".repeat(count);
    for (text, code) in [
        (x(9), Some("too_short")),
        (x(10), None),
        (x(500), None),
        (x(501), Some("too_long")),
        ("🎉".repeat(500), None),
        ("🎉".repeat(501), Some("too_long")),
        ("é".repeat(9), Some("too_short")),
        (" ".repeat(10), Some("too_short")),
        (String::new(), Some("too_short")),
        ("no".to_owned(), Some("too_short")),
        (around(&x(9)), Some("too_short")),
        (around(&x(10)), None),
        (
            format!("{}{}{}", " ".repeat(10), x(500), " ".repeat(10)),
            None,
        ),
        (format!("{}{}", " ".repeat(10), x(501)), Some("too_long")),
        // A zero-width space is no White_Space.
        (format!("\u{200b}{}", x(9)), None),
    ] {
        let arguments = refund_with("reason", &quoted(&text));
        let expected: Vec<_> = code.iter().map(|code| format!("reason:{code}")).collect();
        assert_eq!(
            codes::<TriggerRefundInput>(&arguments),
            expected,
            "{text:?}"
        );
        if code.is_none() {
            let request =
                RefundRequest::from(decode::<TriggerRefundInput>(Some(&arguments)).unwrap());
            assert_eq!(request.reason.as_str(), text.trim());
        }
    }
    for value in ["null", "5", "[]", r#""Item arrived \udc00 damaged""#] {
        assert_eq!(
            codes::<TriggerRefundInput>(&refund_with("reason", value)),
            ["reason:invalid_type"]
        );
    }
}

#[test]
fn idempotency_keys() {
    for (value, code) in [
        (r#""k""#.to_owned(), None),
        (format!("\"{}\"", "~".repeat(255)), None),
        (r#""""#.to_owned(), Some("too_short")),
        (format!("\"{}\"", "~".repeat(256)), Some("too_long")),
        (r#"" ""#.to_owned(), Some("pattern")),
        (r#""a\u0000b""#.to_owned(), Some("pattern")),
        (r#""ключ""#.to_owned(), Some("pattern")),
        ("null".to_owned(), Some("invalid_type")),
        ("7".to_owned(), Some("invalid_type")),
    ] {
        let expected: Vec<_> = code
            .iter()
            .map(|code| format!("idempotency_key:{code}"))
            .collect();
        let arguments = refund_with("idempotency_key", &value);
        assert_eq!(codes::<TriggerRefundInput>(&arguments), expected, "{value}");
        let arguments = format!(r#"{{"idempotency_key":{value}}}"#);
        assert_eq!(codes::<GetRefundInput>(&arguments), expected, "{value}");
    }
}

#[test]
fn a_key_in_two_places_must_be_one_key() {
    let input = |arguments: &str| decode::<TriggerRefundInput>(Some(arguments)).unwrap();
    let with = refund_with("", "");
    let without = with.replace(r#","idempotency_key":"ticket-4711""#, "");
    let key = |text: &str| Some(IdempotencyKey::new(text).unwrap());
    for (arguments, meta, merged) in [
        (&with, None, key("ticket-4711")),
        (&with, key("ticket-4711"), key("ticket-4711")),
        (&without, key("ticket-4711"), key("ticket-4711")),
        (&without, None, None),
    ] {
        let request = input(arguments).into_request(meta).unwrap();
        assert_eq!(request.idempotency_key, merged);
    }
    let issue = input(&with).into_request(key("other")).unwrap_err();
    assert_eq!(issue.code, IssueCode::Custom);
    assert_eq!(
        issue.path,
        ["_meta", "refund-mcp/idempotency-key"].map(|key| PathSegment::Key(key.to_owned()))
    );
    let preview = decode::<PreviewRefundInput>(Some(&with)).unwrap();
    assert!(preview.into_request(key("other")).is_err());
}

#[test]
fn a_refund_is_asked_for_by_exactly_one_name() {
    let id = "3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f";
    for (arguments, expected) in [
        ("{}".to_owned(), vec![":custom"]),
        (
            format!(r#"{{"refund_id":"{id}","idempotency_key":"k"}}"#),
            vec![":custom"],
        ),
        (
            r#"{"refund_id":null,"idempotency_key":"k"}"#.to_owned(),
            vec![":custom", "refund_id:invalid_type"],
        ),
        (r#"{"refund_id":"1"}"#.to_owned(), vec!["refund_id:pattern"]),
        (
            format!(r#"{{"refund_id":"{{{id}}}"}}"#),
            vec!["refund_id:pattern"],
        ),
        (
            format!(r#"{{"refund_id":"{id}","refund_id":"{id}"}}"#),
            vec!["refund_id:duplicate_key"],
        ),
        (
            format!(r#"{{"refund_id":"{id}","note":1}}"#),
            vec!["note:unknown_key"],
        ),
        (
            r#"{"note":1}"#.to_owned(),
            vec![":custom", "note:unknown_key"],
        ),
    ] {
        assert_eq!(codes::<GetRefundInput>(&arguments), expected, "{arguments}");
    }
    assert_eq!(
        issues::<GetRefundInput>("{}")[0]["message"],
        "give exactly one of refund_id and idempotency_key"
    );
    let name =
        |arguments: &str| RefundName::from(decode::<GetRefundInput>(Some(arguments)).unwrap());
    let upper = format!(r#"{{"refund_id":"{}"}}"#, id.to_uppercase());
    assert!(matches!(name(&upper), RefundName::Id(found) if found.to_string() == id));
    assert!(
        matches!(name(r#"{"idempotency_key":"k"}"#), RefundName::Key(found) if found.as_str() == "k")
    );
}

// Case R-125.
#[test]
fn a_limit_is_an_integer_by_value() {
    let parts = |rest: &str| {
        let arguments = format!(r#"{{"customer_id":"CUST-00001"{rest}}}"#);
        decode::<ListRefundsInput>(Some(&arguments)).map(ListRefundsInput::into_parts)
    };
    for (text, limit) in [
        ("20", 20),
        ("20.0", 20),
        ("2e1", 20),
        ("3.0", 3),
        ("1", 1),
        ("100", 100),
    ] {
        assert_eq!(
            parts(&format!(r#","limit":{text}"#)).unwrap().1,
            limit,
            "{text}"
        );
    }
    assert_eq!(
        parts("").unwrap(),
        (CustomerId::new("CUST-00001").unwrap(), 20, None)
    );
    let long = format!("20.{}", "0".repeat(62));
    for (text, code) in [
        ("20.5", "invalid_type"),
        ("3.5", "invalid_type"),
        ("1e-400", "invalid_type"),
        (r#""20""#, "invalid_type"),
        ("null", "invalid_type"),
        ("true", "invalid_type"),
        ("0", "too_small"),
        ("-1", "too_small"),
        ("101", "too_big"),
        ("1e400", "too_big"),
        ("4294967297", "too_big"),
        (&long, "too_long"),
    ] {
        let arguments = format!(r#"{{"customer_id":"CUST-00001","limit":{text}}}"#);
        assert_eq!(
            codes::<ListRefundsInput>(&arguments),
            [format!("limit:{code}")],
            "{text}"
        );
    }
    assert_eq!(
        issues::<ListRefundsInput>(r#"{"customer_id":"CUST-00001","limit":20.5}"#)[0]["message"],
        "limit: expected an integer, found the number 20.5"
    );
}

#[test]
fn a_cursor_comes_back_unchanged() {
    let arguments = |cursor: &str| format!(r#"{{"customer_id":"CUST-00001","cursor":{cursor}}}"#);
    let input = decode::<ListRefundsInput>(Some(&arguments(r#""r1f""#))).unwrap();
    assert_eq!(input.into_parts().2.unwrap().number(), 31);
    for cursor in [
        r#""R1F""#,
        r#""r01f""#,
        r#""31""#,
        r#""""#,
        r#""rffffffffffffffff""#,
    ] {
        let issue = &issues::<ListRefundsInput>(&arguments(cursor))[0];
        assert_eq!(issue["path"], serde_json::json!(["cursor"]));
        assert_eq!(issue["code"], "pattern");
        let message = issue["message"].as_str().unwrap();
        assert!(
            message.contains("nextCursor of the previous answer, unchanged"),
            "{message}"
        );
    }
}

// Cases R-122, R-124.
#[test]
fn messages_tell_how_to_mend_the_call() {
    for (arguments, message) in [
        (
            refund_with("amount", r#""10""#),
            "amount: expected a number, found a string; send the number without quotes",
        ),
        (
            refund_with("amount", "-5"),
            "amount must be greater than 0, found -5",
        ),
        (
            refund_with("amount", "1000000.01"),
            "amount must be at most 1000000, found 1000000.01",
        ),
        (
            refund_with("reason", r#""no""#),
            "reason must have at least 10 characters, not counting white space at its ends, found 2",
        ),
        (
            refund_with("customer_id", r#""12345""#),
            "customer_id must be CUST- and five digits, such as CUST-00001; found \"12345\"",
        ),
        (
            refund_with("reason", r#""\ud800 arrived damaged""#),
            "reason: expected a string of Unicode characters, found one with half of a surrogate pair as an escape",
        ),
        (
            refund_with("", "").replace("{", r#"{"amonut":1,"#),
            "unknown key \"amonut\" (did you mean amount?): the legal keys are amount, customer_id, reason and idempotency_key",
        ),
        (
            refund_with("", "").replace("{", r#"{"customerId":1,"#),
            "unknown key \"customerId\" (did you mean customer_id?): the legal keys are customer_id, amount, reason and idempotency_key",
        ),
        (
            refund_with("", "").replace("{", r#"{"currency":"EUR","#),
            "unknown key \"currency\": the legal keys are customer_id, amount, reason and idempotency_key",
        ),
        (
            refund_with("", "").replace("{", r#"{"dry_run":true,"#),
            "unknown key \"dry_run\": the legal keys are customer_id, amount, reason and idempotency_key",
        ),
        (
            refund_with("", "").replace("{", r#"{"reason":"x","#),
            "reason was given more than once; give it once",
        ),
        (
            refund_with("", "").replace(r#""customer_id":"CUST-00001","#, ""),
            "customer_id is required: expected a string, CUST- and five digits, such as CUST-00001",
        ),
    ] {
        assert_eq!(messages(&arguments), [message], "{arguments}");
    }
}

#[test]
fn an_answer_stays_small_whatever_was_sent() {
    let many: Vec<String> = (0..5000)
        .map(|n| format!(r#""{}{n}":1"#, "\\u202e".repeat(200)))
        .collect();
    let arguments = format!("{{{}}}", many.join(","));
    let found = issues::<TriggerRefundInput>(&arguments);
    assert_eq!(found.len(), 3 + 32 + 1);
    let size = serde_json::to_string(&found).unwrap().len();
    assert!(size < 60_000, "{size}");
    assert_eq!(found[35]["path"], serde_json::json!([]));
    let last = found[35]["message"].as_str().unwrap();
    assert!(
        last.starts_with("unknown keys besides those named: 4968"),
        "{last}"
    );

    let long = format!("\"{}\"", "\\u0007".repeat(100_000));
    let message = &messages(&refund_with("customer_id", &long))[0];
    assert_eq!(message.matches("\\u{7}").count(), 64);
    assert!(!message.contains('\u{7}'));
}

#[test]
fn depth_and_size_do_no_harm() {
    let deep = "[".repeat(200_000) + &"]".repeat(200_000);
    assert_eq!(
        codes::<TriggerRefundInput>(&refund_with("amount", &deep)),
        ["amount:invalid_type"]
    );
    let digits = "9".repeat(1_000_000);
    assert_eq!(
        codes::<TriggerRefundInput>(&refund_with("amount", &digits)),
        ["amount:too_long"]
    );
}

#[test]
fn smuggled_private_objects_are_objects() {
    for token in [
        "$serde_json::private::Number",
        "$serde_json::private::RawValue",
    ] {
        let smuggled = format!(r#"{{"{token}":"\"CUST-00001\""}}"#);
        for key in ["customer_id", "reason", "idempotency_key"] {
            assert_eq!(
                codes::<TriggerRefundInput>(&refund_with(key, &smuggled)),
                [format!("{key}:invalid_type")]
            );
        }
        let all = format!(r#"{{"{token}":"{{}}"}}"#);
        assert_eq!(
            codes::<GetCustomerRecordInput>(&all),
            [
                "customer_id:required".to_owned(),
                format!("{token}:unknown_key")
            ]
        );
    }
}

#[test]
fn a_call_does_not_show_personal_data_in_debug() {
    let arguments = refund_with("reason", r#""Alice got a damaged item""#);
    let shown = format!(
        "{:?}",
        decode::<TriggerRefundInput>(Some(&arguments)).unwrap()
    );
    assert!(!shown.contains("Alice"), "{shown}");
}
