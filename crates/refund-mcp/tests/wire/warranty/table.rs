//! Every row of the demonstration data, on its day, by every tool.

use serde_json::{Value, json};

use super::{coverage, demo, find, quote, suggested, verdict};

const ELIGIBLE: &str = "Eligible/InWarrantyConfirmedDefect";
const PAID: &str = "EligibleForPaidRepair/OutOfWarranty";

/// Serial number, MAC address and IMEI if there are any, product, price, tier that governs, outcome.
type Row = (
    &'static str,
    Option<(&'static str, &'static str)>,
    &'static str,
    f64,
    Option<&'static str>,
    &'static str,
);

const ROWS: [Row; 14] = [
    (
        "AX2-0001-0001",
        Some(("A4C1F2E30001", "356938035643809")),
        "AX-200-HS",
        69.0,
        Some("standard"),
        ELIGIBLE,
    ),
    (
        "AX2-0001-0002",
        Some(("A4C1F2E30002", "356938035643810")),
        "AX-200-HS",
        69.0,
        Some("standard"),
        "RequiresHumanReview/DuplicateOpenRequest",
    ),
    (
        "AX2-0001-0003",
        Some(("A4C1F2E30003", "356938035643811")),
        "AX-200-HS",
        69.0,
        Some("standard"),
        ELIGIBLE,
    ),
    (
        "AX2-0001-0004",
        Some(("A4C1F2E30004", "356938035643812")),
        "AX-200-HS",
        69.0,
        Some("standard"),
        ELIGIBLE,
    ),
    (
        "AX2-0001-0005",
        Some(("A4C1F2E30005", "356938035643813")),
        "AX-200-HS",
        69.0,
        None,
        PAID,
    ),
    (
        "AX4-0002-0001",
        Some(("B7D2A1C00001", "356938035643820")),
        "AX-400-RG",
        119.0,
        Some("extended"),
        ELIGIBLE,
    ),
    (
        "AX4-0002-0002",
        Some(("B7D2A1C00002", "356938035643821")),
        "AX-400-RG",
        119.0,
        Some("extended"),
        ELIGIBLE,
    ),
    (
        "AX4-0002-0003",
        Some(("B7D2A1C00003", "356938035643822")),
        "AX-400-RG",
        119.0,
        Some("premium"),
        ELIGIBLE,
    ),
    (
        "BX1-0003-0001",
        Some(("C1E5B7D00001", "356938035643830")),
        "BX-100-KT",
        149.0,
        None,
        "NotEligible/OutsideReturnWindow",
    ),
    (
        "BX1-0003-0002",
        Some(("C1E5B7D00002", "356938035643831")),
        "BX-100-KT",
        149.0,
        None,
        PAID,
    ),
    (
        "CR1-0004-0001",
        None,
        "CR-10-CRD",
        29.0,
        Some("standard"),
        ELIGIBLE,
    ),
    (
        "CR1-0004-0002",
        None,
        "CR-10-CRD",
        29.0,
        Some("standard"),
        ELIGIBLE,
    ),
    (
        "CBL-0005-0001",
        None,
        "CBL-USB-3M",
        9.0,
        Some("standard"),
        ELIGIBLE,
    ),
    ("CBL-0005-0002", None, "CBL-USB-3M", 9.0, None, PAID),
];

fn days(tier: Option<&str>) -> Value {
    match tier {
        None => Value::Null,
        Some("standard") => json!(10),
        Some("extended") => json!(5),
        Some("premium") => json!(2),
        Some(other) => panic!("{other}"),
    }
}

#[test]
fn coverage_of_every_unit_by_each_of_its_identifiers() {
    let mut client = demo().connect();
    for (serial, others, _, _, tier, outcome) in ROWS {
        let answer = coverage(&mut client, serial, "dead on arrival");
        assert_eq!(verdict(&answer), outcome, "{serial}");
        assert_eq!(answer["identified"], true);
        assert_eq!(answer["serialNumber"], serial);
        assert_eq!(answer["allowsRmaCreation"], false);
        assert_eq!(answer["suggestions"], json!([]));
        let rules: Vec<_> = answer["matchedRuleIds"]
            .as_array()
            .unwrap()
            .iter()
            .collect();
        let expected = match (outcome, tier) {
            (ELIGIBLE, Some(tier)) => vec![
                format!("warranty.tier:{tier}"),
                "warranty.active".to_owned(),
            ],
            (PAID, _) => vec!["warranty.expired".to_owned()],
            ("NotEligible/OutsideReturnWindow", _) => vec!["window.return".to_owned()],
            _ => vec!["return.open".to_owned()],
        };
        assert_eq!(rules, expected.iter().collect::<Vec<_>>(), "{serial}");
        let (mac, imei) = others.unwrap_or_default();
        let lower = serial.to_lowercase().replace('-', " ");
        let dotted = serial.replace('-', ".");
        let mac_as_printed: Vec<_> = mac
            .as_bytes()
            .chunks(2)
            .map(String::from_utf8_lossy)
            .collect();
        let mac_as_printed = mac_as_printed.join(":");
        for spelled in [&lower, &dotted, mac, imei, &mac_as_printed] {
            if !spelled.is_empty() {
                let same = coverage(&mut client, spelled, "dead on arrival");
                assert_eq!(same["matchedRuleIds"], answer["matchedRuleIds"]);
                // What is told of a suppressed unit, `projections.rs` says.
                if expected != ["return.open"] {
                    assert_eq!(same, answer, "{spelled} is {serial}");
                }
            }
        }
    }
}

#[test]
fn quotes_of_every_unit() {
    let mut client = demo().connect();
    for (serial, _, sku, fee, tier, _) in ROWS {
        let answer = quote(&mut client, serial);
        assert_eq!(
            (
                &answer["identified"],
                &answer["productSku"],
                &answer["serialNumber"]
            ),
            (&json!(true), &json!(sku), &json!(serial))
        );
        assert_eq!(answer["repairFee"].as_f64(), Some(fee), "{serial}");
        assert_eq!(answer["depositAmount"].as_f64(), Some(0.0));
        assert_eq!(answer["currencyCode"], "USD");
        assert_eq!(answer["planIsCovered"], tier.is_some(), "{serial}");
        assert_eq!(answer["warrantyTier"], json!(tier), "{serial}");
        assert_eq!(answer["turnaroundBusinessDays"], days(tier), "{serial}");
        assert_eq!(answer["allowsRmaCreation"], false);
    }
}

#[test]
fn every_unit_is_found() {
    let mut client = demo().argument("--today=2026-03-01").connect();
    for (serial, others, sku, _, tier, outcome) in ROWS {
        let answer = find(&mut client, serial);
        assert_eq!(
            (&answer["found"], &answer["asOf"]),
            (&json!(true), &json!("2026-03-01"))
        );
        let hidden = outcome.contains("DuplicateOpenRequest");
        assert_eq!(answer["suppressed"], hidden, "{serial}");
        if hidden {
            continue;
        }
        assert_eq!(answer["device"]["deviceId"], serial);
        assert_eq!(answer["device"]["product"]["sku"], sku);
        assert_eq!(
            answer["device"].get("macAddress").and_then(Value::as_str),
            others.map(|(mac, _)| mac)
        );
        assert_eq!(
            answer["device"].get("imei").and_then(Value::as_str),
            others.map(|(_, imei)| imei)
        );
        assert_eq!(answer["isInWarranty"], tier.is_some(), "{serial}");
        assert_eq!(answer["warranty"]["tier"], json!(tier), "{serial}");
        assert_eq!(
            (
                &answer["matchedOn"],
                &answer["matchScore"],
                &answer["requiresConfirmation"]
            ),
            (&json!("serial"), &json!(1), &json!(false))
        );
        for other in others.into_iter().flat_map(|(mac, imei)| [mac, imei]) {
            let answer = find(&mut client, other);
            assert_eq!(answer["matchedOn"], "alternate-identifier", "{other}");
            assert_eq!(answer["device"]["serialNumber"], serial);
        }
    }
}

#[test]
fn units_that_there_are_not() {
    let mut client = demo().connect();
    for (identifier, near) in [
        ("NO-SUCH-SERIAL-0000", &[][..]),
        (
            "AX2-0001-0006",
            &["AX2-0001-0001", "AX2-0001-0003", "AX2-0001-0004"],
        ),
        ("AX2", &[]),
        ("AX2-0001", &[]),
        ("AX-200", &[]),
        ("terminal", &[]),
    ] {
        let answer = coverage(&mut client, identifier, "dead");
        assert_eq!(
            verdict(&answer),
            "NotEligible/DeviceNotFound",
            "{identifier}"
        );
        assert_eq!(answer["identified"], false);
        assert_eq!(answer["matchedRuleIds"], json!(["device.unknown"]));
        assert!(
            answer["explanation"]
                .as_str()
                .unwrap()
                .contains("cannot be confirmed")
        );
        assert_eq!(suggested(&answer), near, "{identifier}");
        let quoted = quote(&mut client, identifier);
        assert_eq!(
            (&quoted["identified"], &quoted["planIsCovered"]),
            (&json!(false), &json!(false))
        );
        for absent in [
            "repairFee",
            "depositAmount",
            "currencyCode",
            "serialNumber",
            "productSku",
        ] {
            assert!(quoted.get(absent).is_none(), "{identifier} {absent}");
        }
        assert_eq!(suggested(&quoted), near);
        let found = find(&mut client, identifier);
        assert_eq!(
            (&found["found"], &found["suppressed"]),
            (&json!(false), &json!(false))
        );
        assert_eq!(suggested(&found), near);
        assert_eq!(found["requiresConfirmation"], !near.is_empty());
        let id = json!({ "deviceId": identifier });
        assert_eq!(
            client.refused("get_open_returns_for_device", &id).0,
            "DEVICE_NOT_FOUND"
        );
    }
}

#[test]
fn open_returns() {
    let mut client = demo().connect();
    let of = |serial: &str| json!({ "deviceId": serial });
    let answer = client.call("get_open_returns_for_device", &of("AX2-0001-0002"));
    assert_eq!(
        (&answer["deviceId"], &answer["count"]),
        (&json!("AX2-0001-0002"), &json!(1))
    );
    assert_eq!(answer["returns"][0]["rmaNumber"], "RMA-2026-00001");
    assert!(
        answer["note"]
            .as_str()
            .unwrap()
            .contains("do not open another one")
    );
    let answer = client.call("get_open_returns_for_device", &of("AX2-0001-0001"));
    assert_eq!(
        (&answer["count"], &answer["returns"]),
        (&json!(0), &json!([]))
    );
    // An id is taken to the letter: it is no search.
    for other in ["ax2-0001-0002", "AX2 0001 0002", "A4C1F2E30002"] {
        assert_eq!(
            client.refused("get_open_returns_for_device", &of(other)).0,
            "DEVICE_NOT_FOUND"
        );
    }
}

#[test]
fn searches_by_product() {
    let mut client = demo().connect();
    let serials = |answer: &Value| -> Vec<String> {
        let devices = answer["devices"].as_array().unwrap().iter();
        devices
            .map(|unit| unit["serialNumber"].as_str().unwrap().to_owned())
            .collect()
    };
    let answer = client.call(
        "search_devices",
        &json!({ "productName": "handheld terminal", "take": 2 }),
    );
    assert_eq!(
        (
            &answer["matchCount"],
            &answer["truncated"],
            &answer["suppressedCount"]
        ),
        (&json!(4), &json!(true), &json!(1))
    );
    assert_eq!(serials(&answer), ["AX2-0001-0001", "AX2-0001-0003"]);
    let answer = client.call("search_devices", &json!({ "sku": "cr10crd", "model": "" }));
    assert_eq!(serials(&answer), ["CR1-0004-0001", "CR1-0004-0002"]);
    assert_eq!(answer["devices"][0]["matchScore"], 1);
    assert_eq!(answer["truncated"], false);
}
