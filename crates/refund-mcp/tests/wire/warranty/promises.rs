//! The promises of the toolset, through the real binary.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{TODAY, TOOLS, UNITS, coverage, demo, find, one_call_each, quote, suggested, verdict};
use crate::client::{Client, Start};

/// A copy of the demonstration data in a file.
fn demo_file(directory: &tempfile::TempDir) -> std::path::PathBuf {
    let file = directory.path().join("demo.db");
    let (code, _, err) = Start::file(&file)
        .argument("import")
        .argument("--demo")
        .argument("warranty")
        .run();
    assert_eq!(code, 0, "{err}");
    file
}

/// Every row of every table.
fn contents(file: &std::path::Path) -> Vec<String> {
    let conn = rusqlite::Connection::open(file).unwrap();
    let mut names = conn
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap();
    let names: Vec<String> = names
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(names.iter().any(|name| name == "audit"), "{names:?}");
    let mut rows = Vec::new();
    for name in names {
        let mut statement = conn.prepare(&format!("SELECT * FROM \"{name}\"")).unwrap();
        let columns = statement.column_count();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let values: Vec<_> = (0..columns)
                .map(|column| row.get_ref(column).unwrap())
                .collect();
            rows.push(format!("{name} {values:?}"));
        }
    }
    rows
}

// Promise 1. That the desk's reader has no writing method and that its connections refuse to write is
// tested where it is made (`refund_store::SqliteReader`).
#[test]
fn no_tool_changes_a_row() {
    let directory = tempfile::tempdir().unwrap();
    let file = demo_file(&directory);
    let before = contents(&file);
    let mut client = Start::file(&file).argument("--toolsets=warranty").connect();
    for (tool, arguments) in one_call_each() {
        client.call(tool, &arguments);
        client.call_text(tool, "{}");
    }
    client.refused(
        "get_open_returns_for_device",
        &json!({ "deviceId": "no such" }),
    );
    assert!(client.finish().status.success());
    assert_eq!(contents(&file), before);
}

// Promise 2.
#[test]
fn nothing_ever_allows_a_return_and_every_answer_says_so() {
    let mut client = demo().connect();
    let mut seen = BTreeSet::new();
    let mut check = |answer: Value| {
        let note = answer["note"].as_str().unwrap();
        assert!(note.contains("not an approval"), "{note}");
        if let Some(allowed) = answer.get("allowsRmaCreation") {
            assert_eq!(*allowed, false);
        }
        if answer.get("eligibility").is_some() {
            assert_eq!(answer["allowsRmaCreation"], false);
            seen.insert(verdict(&answer));
        }
    };
    for (tool, arguments) in one_call_each() {
        check(client.call(tool, &arguments));
    }
    for serial in UNITS.into_iter().chain(["nothing", "AX2-0001-0006"]) {
        for problem in ["", "dead on arrival", "I dropped it", "maybe it got wet"] {
            check(coverage(&mut client, serial, problem));
        }
        check(quote(&mut client, serial));
        check(find(&mut client, serial));
    }
    for empty in ["search_devices", "find_customer"] {
        check(client.call(empty, &json!({})));
    }
    assert_eq!(seen.len(), 7, "{seen:?}");
}

// Promise 4: near misses.
#[test]
fn a_near_miss_never_decides() {
    let mut client = demo().connect();
    for (asked, near) in [
        ("BX1-0003-0003", &["BX1-0003-0001", "BX1-0003-0002"][..]),
        ("AX4-0002-00O1", &["AX4-0002-0001"]),
        ("AX4-OOO2-OOO1", &["AX4-0002-0001"]),
        ("CR1-0004-001", &["CR1-0004-0001"]),
        ("A4C1F2E3000", &[]),
        ("356938035643839", &["BX1-0003-0001"]),
    ] {
        let judged = coverage(&mut client, asked, "");
        assert_eq!(judged["identified"], false, "{asked}");
        assert_eq!(verdict(&judged), "NotEligible/DeviceNotFound", "{asked}");
        let found = suggested(&judged);
        for serial in near {
            assert!(found.contains(serial), "{asked}: {found:?}");
        }
        assert!(found.len() <= 3, "{asked}: {found:?}");
        assert!(
            quote(&mut client, asked).get("repairFee").is_none(),
            "{asked}"
        );
    }
    // The only near miss is found, and has to be confirmed.
    let answer = find(&mut client, "AX4-OOO2-OOO1");
    assert_eq!(
        (
            &answer["found"],
            &answer["matchedOn"],
            &answer["requiresConfirmation"]
        ),
        (&json!(true), &json!("fuzzy"), &json!(true))
    );
    assert!(answer["matchScore"].as_f64().unwrap() < 1.0);
    assert!(answer["note"].as_str().unwrap().contains("confirm"));
}

// Promise 5.
#[test]
fn what_a_caller_says_is_never_more_generous() {
    let mut client = demo().connect();
    let mut judge = |serial: &str, facts: &Value| {
        let mut arguments = json!({ "identifier": serial, "today": TODAY });
        for (key, value) in facts.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        verdict(&client.call("check_warranty_coverage", &arguments))
    };
    for (serial, facts, expected) in [
        (
            "AX2-0001-0001",
            json!({ "hasOpenReturn": true }),
            "RequiresHumanReview/DuplicateOpenRequest",
        ),
        (
            "AX2-0001-0002",
            json!({ "hasOpenReturn": false }),
            "RequiresHumanReview/DuplicateOpenRequest",
        ),
        (
            "AX2-0001-0001",
            json!({ "hasOpenReturn": false }),
            "Eligible/InWarrantyConfirmedDefect",
        ),
        (
            "AX2-0001-0001",
            json!({ "proofOfPurchaseOnFile": false }),
            "RequiresHumanReview/ProofOfPurchaseMissing",
        ),
        (
            "AX2-0001-0001",
            json!({ "proofOfPurchaseOnFile": true }),
            "Eligible/InWarrantyConfirmedDefect",
        ),
        (
            "AX2-0001-0005",
            json!({ "proofOfPurchaseOnFile": true }),
            "EligibleForPaidRepair/OutOfWarranty",
        ),
        (
            "AX2-0001-0001",
            json!({ "regionCode": "US-CA" }),
            "Eligible/InWarrantyConfirmedDefect",
        ),
    ] {
        assert_eq!(judge(serial, &facts), expected, "{serial} {facts}");
    }
}

#[test]
fn texts_about_problems() {
    let mut client = demo().connect();
    let fine = "Eligible/InWarrantyConfirmedDefect";
    let (stated, unclear) = (
        "NotEligible/ExcludedCause",
        "RequiresHumanReview/ExcludedCauseUnclear",
    );
    for (problem, expected, rules) in [
        (
            "dead on arrival",
            fine,
            &["warranty.tier:standard", "warranty.active"][..],
        ),
        (
            "no water damage",
            fine,
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "It was not dropped.",
            fine,
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "the connection drops, connection drop",
            fine,
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "battery dropped to 5% within an hour",
            fine,
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "waterproof case, broadband, rainbow",
            fine,
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "水没はしていません",
            fine,
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "電源を落としても直りません",
            fine,
            &["warranty.tier:standard", "warranty.active"],
        ),
        ("I dropped it", stated, &["cause.impact"]),
        ("Water got in.", stated, &["cause.liquid"]),
        ("the case is scratched", stated, &["cause.cosmetic"]),
        (
            "does not turn on after being dropped",
            stated,
            &["cause.impact"],
        ),
        ("水没しました。", stated, &["cause.liquid"]),
        ("maybe it got wet", unclear, &["cause.unclear:liquid"]),
        ("may have been dropped", unclear, &["cause.unclear:impact"]),
    ] {
        let answer = coverage(&mut client, "AX2-0001-0001", problem);
        assert_eq!(verdict(&answer), expected, "{problem}");
        assert_eq!(answer["matchedRuleIds"], json!(rules), "{problem}");
        let explanation = answer["explanation"].as_str().unwrap().to_lowercase();
        for word in ["troubleshoot", "restart", "probably", "confidence"] {
            assert!(!explanation.contains(word), "{explanation}");
        }
    }
}

// Promise 6, over more than a year of days for every unit.
#[test]
fn what_is_covered_is_never_quoted_as_owed() {
    let mut client = demo().connect();
    let mut seen = BTreeSet::new();
    for serial in UNITS {
        for today in [
            "2025-02-28",
            "2026-01-30",
            "2026-02-28",
            "2026-03-01",
            "2026-03-02",
            "2026-06-30",
            "2026-12-01",
        ] {
            let unit = json!({ "identifier": serial, "today": today });
            let judged = client.call("check_warranty_coverage", &unit);
            let quoted = client.call("get_fee_quote", &unit);
            let mut shown = unit.clone();
            shown["includeUnitsWithOpenReturns"] = json!(true);
            let found = client.call("find_device", &shown);
            assert_eq!(found["asOf"], today);
            assert_eq!(
                found["isInWarranty"], quoted["planIsCovered"],
                "{serial} {today}"
            );
            let tier = found["warranty"].get("tier");
            assert_eq!(tier, quoted.get("warrantyTier"), "{serial} {today}");
            assert_eq!(tier, judged.get("warrantyTier"), "{serial} {today}");
            let note = quoted["note"].as_str().unwrap();
            let eligible = judged["eligibility"] == "Eligible";
            assert_eq!(
                note.contains("nothing is owed"),
                eligible,
                "{serial} {today}: {note}"
            );
            assert!(
                !eligible || quoted["planIsCovered"] == true,
                "{serial} {today}"
            );
            if judged["reason"] == "OutOfWarranty" {
                assert_eq!(quoted["planIsCovered"], false, "{serial} {today}");
            }
            seen.insert((
                judged["eligibility"].to_string(),
                quoted["planIsCovered"].to_string(),
            ));
        }
    }
    assert!(seen.len() >= 4, "{seen:?}");
}

/// The text of every answer to a set of questions.
fn answers(client: &mut Client) -> Vec<String> {
    let mut texts = Vec::new();
    let mut ask = |tool: &str, arguments: Value| {
        let answer = client.call_text(tool, &arguments.to_string());
        texts.push(answer["result"].to_string());
    };
    for serial in UNITS.into_iter().chain(["AX2-0001-0006", "nothing"]) {
        let unit = json!({ "identifier": serial, "today": TODAY });
        for tool in ["check_warranty_coverage", "get_fee_quote", "find_device"] {
            ask(tool, unit.clone());
        }
    }
    for (tool, arguments) in one_call_each() {
        ask(tool, arguments);
    }
    ask(
        "search_devices",
        json!({ "productName": "terminal", "take": 25 }),
    );
    ask("find_customer", json!({ "name": "Smyth" }));
    texts
}

// Promise 9: the same question has the same answer, again, on another server, and in three weeks.
#[test]
fn answers_do_not_depend_on_when_they_are_asked() {
    let mut client = demo().argument("--today=2026-03-01").connect();
    let first = answers(&mut client);
    assert_eq!(answers(&mut client), first);
    let later = [
        "--today=2026-03-22",
        "--today=2031-01-01",
        "--timezone=Pacific/Kiritimati",
    ];
    for argument in later {
        assert_eq!(
            answers(&mut demo().argument(argument).connect()),
            first,
            "{argument}"
        );
    }
    // Only a look-up without a day takes the server's, and says which it took.
    let unit = json!({ "identifier": "AX2-0001-0001" });
    for (day, covered) in [("2026-03-01", true), ("2031-01-01", false)] {
        let mut client = demo().argument("--today").argument(day).connect();
        let answer = client.call("find_device", &unit);
        assert_eq!(
            (&answer["asOf"], &answer["isInWarranty"]),
            (&json!(day), &json!(covered))
        );
        for tool in ["check_warranty_coverage", "get_fee_quote"] {
            let answer = client.call_text(tool, &unit.to_string());
            let issue = &answer["error"]["data"]["issues"][0];
            assert_eq!(
                (&issue["path"], &issue["code"]),
                (&json!(["today"]), &json!("required"))
            );
        }
    }
    assert_eq!(TOOLS.len(), one_call_each().len());
}
