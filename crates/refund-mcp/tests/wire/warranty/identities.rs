//! Identifiers that look alike, and searches that say too little.

use serde_json::{Value, json};

use super::{Depot, coverage, demo, find, handheld, quote, suggested};

/// What `find_device` found, in short.
fn shown(answer: &Value) -> String {
    match (answer["found"].as_bool(), answer["suppressed"].as_bool()) {
        (Some(false), Some(false)) => "nothing".to_owned(),
        (Some(true), Some(true)) => "suppressed".to_owned(),
        (Some(true), Some(false)) => format!(
            "{} {}",
            answer["device"]["serialNumber"].as_str().unwrap(),
            answer["matchedOn"].as_str().unwrap()
        ),
        _ => panic!("{answer}"),
    }
}

// Cases R-070, R-071, R-073, R-074, R-076, R-077, R-080.
#[test]
fn identities_that_look_alike() {
    for (stored, asked, found, near) in [
        // R-070: zeros in front make two devices, and the variant is only suggested.
        (
            &["38675971547"][..],
            "00038675971547",
            "nothing",
            &["38675971547"][..],
        ),
        (
            &["00038675971547"],
            "38675971547",
            "nothing",
            &["00038675971547"],
        ),
        (&["069", "69"], "069", "069 serial", &[]),
        (&["069", "69"], "69", "69 serial", &[]),
        // R-071: what was stored comes out, character by character.
        (&["00120300"], "00120300", "00120300 serial", &[]),
        // R-073: hyphens make no difference.
        (&["E619-1609"], "E6191609", "E619-1609 serial", &[]),
        (&["E6191609"], "E619-1609", "E6191609 serial", &[]),
        // R-074: twins are neither.
        (&["X1", " X1 "], "X1", "nothing", &[" X1 ", "X1"]),
        (&["X1", " X1 "], " X1 ", "nothing", &[" X1 ", "X1"]),
        // R-076: by folding, and only as a suggestion or to be confirmed.
        (&["A0B1C", "ZZZZZ"], "AOBIC", "A0B1C fuzzy", &[]),
        // R-077: real codes are not merged.
        (&["A0B1", "AOB1"], "A0B1", "A0B1 serial", &[]),
        (&["A0B1", "AOB1"], "AOB1", "AOB1 serial", &[]),
        // R-080: one wrong character of eighteen.
        (
            &["MRC5K9Q277TDX4Z1W8", "MRC5K9Q277TDX4Z999"],
            "MRC5K9Q277TDX4Z1W9",
            "MRC5K9Q277TDX4Z1W8 fuzzy",
            &[],
        ),
    ] {
        let mut client = Depot::of_serials(stored).connect_kept();
        let answer = find(&mut client.1, asked);
        assert_eq!(shown(&answer), found, "{asked} among {stored:?}");
        assert_eq!(suggested(&answer), near, "{asked} among {stored:?}");
        assert_eq!(
            answer["requiresConfirmation"],
            found.ends_with("fuzzy") || !near.is_empty()
        );
        // What is not exact decides nothing.
        let exact = found.ends_with("serial");
        let judged = coverage(&mut client.1, asked, "");
        assert_eq!(judged["identified"], exact, "{asked} among {stored:?}");
        let quoted = quote(&mut client.1, asked);
        assert_eq!(quoted.get("repairFee").is_some(), exact);
        if let Some(near) = found.strip_suffix(" fuzzy") {
            assert_eq!(suggested(&judged), [near]);
            assert_eq!(suggested(&quoted), [near]);
        }
    }
}

impl Depot {
    /// A server, and the depot that has to outlive it.
    fn connect_kept(self) -> (Self, crate::client::Client) {
        let client = self.connect();
        (self, client)
    }
}

// Case R-079: a number would lose the zeros in front of it.
#[test]
fn a_serial_number_is_no_number() {
    let mut client = demo().connect();
    for tool in ["find_device", "check_warranty_coverage", "get_fee_quote"] {
        let answer = client.call_text(tool, r#"{"identifier":12345,"today":"2026-03-01"}"#);
        assert_eq!(answer["error"]["code"], -32602, "{tool}");
        let issue = &answer["error"]["data"]["issues"][0];
        assert_eq!(
            (&issue["path"], &issue["code"]),
            (&json!(["identifier"]), &json!("invalid_type"))
        );
        assert!(
            issue["message"].as_str().unwrap().contains("zeros"),
            "{issue}"
        );
    }
}

// Cases R-082, R-083, R-085, R-086.
#[test]
fn searches_that_say_too_little_say_so() {
    let mut client = demo().connect();
    for (criteria, matches, reason) in [
        (json!({ "productName": "zzzzzz" }), 0, None),
        (json!({ "productName": "2k" }), 0, None),
        (json!({ "productName": "33" }), 0, None),
        (json!({ "productName": "2k 33" }), 0, None),
        (json!({ "productName": "端" }), 0, None),
        // Every word restricts the result, the short ones too.
        (json!({ "productName": "bx 100 kiosk" }), 2, None),
        (json!({ "productName": "kiosk kt" }), 0, None),
        (
            json!({ "productName": "a" }),
            0,
            Some("productName says too little"),
        ),
        (json!({ "model": "-" }), 0, Some("model says too little")),
        (
            json!({ "productName": "terminal", "sku": "x" }),
            0,
            Some("sku says too little"),
        ),
        (json!({}), 0, Some("Nothing was asked for")),
        (
            json!({ "productName": " ", "model": "" }),
            0,
            Some("Nothing was asked for"),
        ),
    ] {
        let answer = client.call("search_devices", &criteria);
        assert_eq!(answer["matchCount"], matches, "{criteria}");
        let said = answer.get("refusalReason").and_then(Value::as_str);
        match (said, reason) {
            (None, None) => {}
            (Some(said), Some(reason)) => assert!(said.starts_with(reason), "{criteria}: {said}"),
            _ => panic!("{criteria}: {answer}"),
        }
    }
    // A serial number of another family is nobody's near miss.
    assert_eq!(shown(&find(&mut client, "QX9-7777-0001")), "nothing");
}

// Case R-088: what fits everything is refused, at once and many times.
#[test]
fn a_search_that_fits_everything_is_refused() {
    let products: Vec<Value> = (0..2_001)
        .map(|number| json!({ "sku": format!("P-{number}"), "name": format!("Terminal {number}") }))
        .collect();
    let depot = Depot::new(&json!({ "products": products }));
    let mut client = depot.connect();
    for id in 1..=50 {
        client.send(&format!(
            r#"{{"jsonrpc":"2.0","id":"s{id}","method":"tools/call","params":{{"name":"search_devices","arguments":{{"productName":"terminal"}}}}}}"#
        ));
    }
    for _ in 1..=50 {
        let answer = client.receive();
        let result = &answer["result"]["structuredContent"];
        assert_eq!(result["matchCount"], 0, "{answer}");
        let reason = result["refusalReason"].as_str().unwrap();
        assert!(
            reason.starts_with("productName fits more than 2000 entries"),
            "{reason}"
        );
    }
    for take in [0, 26] {
        let answer = client.call_text(
            "search_devices",
            &json!({ "sku": "P-1", "take": take }).to_string(),
        );
        assert_eq!(
            answer["error"]["data"]["issues"][0]["path"],
            json!(["take"]),
            "{take}"
        );
    }
}

// Case R-094: without a day of shipping the window is unknown, and so neither kept nor missed; without a
// warranty nothing is covered.
#[test]
fn what_is_not_known_is_not_made_up() {
    let depot = Depot::new(&json!({
        "products": [handheld()],
        "devices": [{ "serial_number": "NO-DATES-1", "sku": "AX-200-HS" }],
    }));
    let mut client = depot.connect();
    let answer = coverage(&mut client, "NO-DATES-1", "");
    assert_eq!(
        super::verdict(&answer),
        "EligibleForPaidRepair/OutOfWarranty"
    );
    assert_eq!(answer["matchedRuleIds"], json!(["warranty.expired"]));
    for unknown in ["warrantyPlan", "warrantyTier", "warrantyEndsOn"] {
        assert!(answer.get(unknown).is_none(), "{unknown}");
    }
    let quoted = quote(&mut client, "NO-DATES-1");
    assert_eq!(quoted["planIsCovered"], false);
    assert!(quoted.get("turnaroundBusinessDays").is_none());
}

// Case R-095: two periods with a gap. Case R-056: a year from the 29th of February.
#[test]
fn periods_and_leap_years() {
    let depot = Depot::new(&json!({
        "products": [handheld()],
        "devices": [
            { "serial_number": "GAP-1", "sku": "AX-200-HS" },
            { "serial_number": "LEAP-1", "sku": "AX-200-HS" },
        ],
        "warranties": [
            super::warranty("GAP-1", "standard", "2020-01-01", "2021-12-31"),
            super::warranty("GAP-1", "extended", "2023-01-01", "2024-12-31"),
            super::warranty("LEAP-1", "standard", "2024-02-29", "2025-02-28"),
        ],
    }));
    let mut client = depot.connect();
    for (serial, today, tier) in [
        ("GAP-1", "2021-06-01", Some("standard")),
        ("GAP-1", "2022-06-01", None),
        ("GAP-1", "2023-06-01", Some("extended")),
        ("LEAP-1", "2025-02-28", Some("standard")),
        ("LEAP-1", "2025-03-30", Some("standard")),
        ("LEAP-1", "2025-03-31", None),
    ] {
        let arguments = json!({ "identifier": serial, "today": today });
        let judged = client.call("check_warranty_coverage", &arguments);
        let quoted = client.call("get_fee_quote", &arguments);
        let found = client.call("find_device", &arguments);
        assert_eq!(judged["warrantyTier"], json!(tier), "{serial} {today}");
        assert_eq!(
            judged["eligibility"] == "Eligible",
            tier.is_some(),
            "{serial} {today}"
        );
        assert_eq!(quoted["planIsCovered"], tier.is_some(), "{serial} {today}");
        assert_eq!(found["isInWarranty"], tier.is_some(), "{serial} {today}");
    }
}
