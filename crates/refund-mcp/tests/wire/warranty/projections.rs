//! What is told of a unit, a customer or an address, and what stays in the store.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Depot, TODAY, coverage, demo, find, handheld, quote, warranty};

// Promise 7.
#[test]
fn a_suppressed_unit_shows_nothing() {
    const SECRETS: [&str; 6] = [
        "0001-0002",
        "00010002",
        "A4C1F2E30002",
        "A4:C1:F2",
        "356938035643810",
        "Handheld",
    ];
    let mut client = demo().connect();
    for asked in [
        "AX2-0001-0002",
        "ax2 0001 0002",
        "A4:C1:F2:E3:00:02",
        "356938035643810",
    ] {
        let answer = find(&mut client, asked);
        assert_eq!(
            (&answer["found"], &answer["suppressed"]),
            (&json!(true), &json!(true)),
            "{asked}"
        );
        assert_eq!(answer["suggestions"], json!([]));
        assert!(
            answer["suppressionReason"]
                .as_str()
                .unwrap()
                .contains("already open")
        );
        for absent in ["device", "warranty", "isInWarranty"] {
            assert!(answer.get(absent).is_none(), "{asked} {absent}");
        }
        let text = answer.to_string();
        for secret in SECRETS {
            assert!(!text.contains(secret), "{asked}: {secret} in {text}");
        }
        let arguments = json!({ "identifier": asked, "includeUnitsWithOpenReturns": true });
        let answer = client.call("find_device", &arguments);
        assert_eq!(
            (&answer["suppressed"], &answer["hasOpenReturn"]),
            (&json!(false), &json!(true))
        );
        assert_eq!(answer["device"]["serialNumber"], "AX2-0001-0002");
    }
    // Coverage and a price say what its case comes to, and nothing of a unit whose serial number the
    // caller does not know.
    for asked in ["A4:C1:F2:E3:00:02", "356938035643810"] {
        let judged = coverage(&mut client, asked, "");
        let quoted = quote(&mut client, asked);
        assert_eq!(judged["reason"], "DuplicateOpenRequest");
        for answer in [&judged, &quoted] {
            assert_eq!(answer["identified"], true);
            let text = answer.to_string();
            for secret in SECRETS.iter().chain(&["AX-200", "standard"]) {
                assert!(!text.contains(secret), "{asked}: {secret} in {text}");
            }
        }
        assert!(
            quoted["note"]
                .as_str()
                .unwrap()
                .contains("DuplicateOpenRequest")
        );
    }
    let judged = coverage(&mut client, "ax2 0001 0002", "");
    assert_eq!(judged["serialNumber"], "AX2-0001-0002");
    // No suggestion and no search names it either.
    for asked in [
        "AX2-0001-0009",
        "AX2-0001-000",
        "A4C1F2E30009",
        "356938035643819",
    ] {
        for answer in [
            coverage(&mut client, asked, ""),
            quote(&mut client, asked),
            find(&mut client, asked),
        ] {
            let text = answer.to_string();
            assert!(!text.contains("AX2-0001-0002"), "{asked}: {text}");
        }
    }
    let answer = client.call("search_devices", &json!({ "sku": "AX-200-HS", "take": 25 }));
    assert!(!answer.to_string().contains("AX2-0001-0002"));
    assert_eq!(answer["suppressedCount"], 1);
}

// Promise 8: the serial number is enough to confirm a near miss.
#[test]
fn a_near_miss_shows_its_serial_number_and_no_other_identifier() {
    let mut client = demo().connect();
    for (asked, serial) in [
        ("AX2-0001-OOO1", "AX2-0001-0001"),
        ("C1E5B7DOOOO1", "BX1-0003-0001"),
    ] {
        let answer = find(&mut client, asked);
        assert_eq!(answer["matchedOn"], "fuzzy", "{answer}");
        let told: Vec<_> = answer["device"].as_object().unwrap().keys().collect();
        assert_eq!(told, ["deviceId", "serialNumber", "product"]);
        assert_eq!(answer["device"]["serialNumber"], serial);
    }
}

/// Every key of an answer, with those around it.
fn keys(above: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                found.insert(format!("{above}{key}"));
                keys(&format!("{above}{key}."), value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(above, item, found)),
        _ => {}
    }
}

// Promise 8: what leaves the process, by name. Whatever else is stored stays in the store.
#[test]
fn projections_are_narrow() {
    let depot = Depot::new(&json!({
        "customers": [{
            "customer_id": "CUST-00021", "name": "Jane Roe", "email": "jane@example.com",
            "status": "active", "currency": "USD", "refundable_balance": 12.5,
            "created_at": "2026-01-01T00:00:00Z", "external_id": "EXT-7",
            "phone_number": "+1-202-555-0142", "company": "Depot", "language": "en",
        }],
        "addresses": [
            { "customer_id": "CUST-00021", "line1": "12 Oak Street", "city": "Springfield", "postal_code": "62704", "country_code": "US", "is_default": true },
            { "customer_id": "CUST-00021", "line1": "400 Hidden Road", "city": "Shelbyville", "postal_code": "62701", "country_code": "US" },
        ],
        "products": [handheld()],
        "devices": [{
            "serial_number": "AX2-1", "sku": "AX-200-HS", "customer_id": "CUST-00021",
            "mac_address": "A4C1F2E3FFFF", "imei": "356938035649999", "asset_tag": "TAG-77",
            "shipped_on": "2026-01-01", "hardware_revision": "HW-SECRET", "firmware_version": "FW-SECRET",
        }],
        "warranties": [warranty("AX2-1", "standard", "2025-01-01", "2027-01-01")],
    }));
    let mut client = depot.connect();
    let unit = json!({ "identifier": "AX2-1", "today": TODAY });
    for (tool, arguments, allowed) in [
        (
            "check_warranty_coverage",
            unit.clone(),
            &[
                "identified",
                "serialNumber",
                "productName",
                "warrantyPlan",
                "warrantyTier",
                "warrantyEndsOn",
                "eligibility",
                "reason",
                "explanation",
                "matchedRuleIds",
                "allowsRmaCreation",
                "suggestions",
                "note",
            ][..],
        ),
        (
            "get_fee_quote",
            unit.clone(),
            &[
                "identified",
                "productSku",
                "productName",
                "serialNumber",
                "warrantyTier",
                "planIsCovered",
                "repairFee",
                "depositAmount",
                "currencyCode",
                "turnaroundBusinessDays",
                "allowsRmaCreation",
                "suggestions",
                "note",
            ],
        ),
        (
            "find_device",
            unit,
            &[
                "found",
                "suppressed",
                "device",
                "device.deviceId",
                "device.serialNumber",
                "device.macAddress",
                "device.imei",
                "device.assetTag",
                "device.product",
                "device.product.sku",
                "device.product.name",
                "device.product.model",
                "warranty",
                "warranty.planName",
                "warranty.tier",
                "warranty.startDate",
                "warranty.endDate",
                "isInWarranty",
                "hasOpenReturn",
                "matchedOn",
                "matchScore",
                "requiresConfirmation",
                "suggestions",
                "asOf",
                "note",
            ],
        ),
        (
            "search_devices",
            json!({ "sku": "AX-200-HS" }),
            &[
                "matchCount",
                "truncated",
                "suppressedCount",
                "devices",
                "devices.deviceId",
                "devices.serialNumber",
                "devices.product",
                "devices.product.sku",
                "devices.product.name",
                "devices.product.model",
                "devices.matchScore",
                "note",
            ],
        ),
        (
            "find_customer",
            json!({ "externalCustomerId": "EXT-7" }),
            &[
                "matchCount",
                "requiresConfirmation",
                "customers",
                "customers.customerId",
                "customers.externalCustomerId",
                "customers.fullName",
                "customers.companyName",
                "customers.email",
                "customers.phoneNumber",
                "customers.preferredLanguage",
                "customers.addressCount",
                "customers.matchScore",
                "note",
            ],
        ),
        (
            "resolve_shipping_address",
            json!({ "customerId": "CUST-00021", "freeTextAddress": "12 oak street" }),
            &[
                "resolved",
                "matchScore",
                "isFallback",
                "address",
                "address.line1",
                "address.city",
                "address.postalCode",
                "address.countryCode",
                "note",
            ],
        ),
        (
            "get_open_returns_for_device",
            json!({ "deviceId": "AX2-1" }),
            &["deviceId", "count", "returns", "note"],
        ),
    ] {
        let answer = client.call(tool, &arguments);
        let mut found = BTreeSet::new();
        keys("", &answer, &mut found);
        let allowed: BTreeSet<_> = allowed.iter().map(|key| (*key).to_owned()).collect();
        assert_eq!(found, allowed, "{tool}");
        let text = answer.to_string();
        for secret in ["SECRET", "12.5", "Hidden"] {
            assert!(!text.contains(secret), "{tool}: {text}");
        }
        if tool != "find_device" {
            for identifier in ["A4C1F2E3FFFF", "356938035649999", "TAG-77"] {
                assert!(!text.contains(identifier), "{tool}: {text}");
            }
        }
    }
}
