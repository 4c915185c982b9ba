//! The `warranty` toolset: its bad arguments, and its answers field by field.

use refund_domain::CustomerId;
use refund_domain::warranty::AddressText;
use refund_schema::{
    CheckWarrantyCoverageInput, CheckWarrantyCoverageOutput, FindCustomerInput, FindCustomerOutput,
    FindDeviceInput, FindDeviceOutput, GetFeeQuoteInput, GetFeeQuoteOutput,
    GetOpenReturnsForDeviceInput, GetOpenReturnsForDeviceOutput, ResolveShippingAddressInput,
    ResolveShippingAddressOutput, SearchDevicesInput, SearchDevicesOutput, decode, output_schema,
};
use serde_json::Value;

use crate::outputs::written;
use crate::support::{Memory, TODAY, date, demo, desk, identifier, now};
use crate::{codes, issues};

fn message<T: refund_schema::ToolInput>(arguments: &str) -> String {
    issues::<T>(arguments)[0]["message"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn coverage_of(world: Memory, arguments: &str) -> String {
    let (identifier, today, facts) = decode::<CheckWarrantyCoverageInput>(Some(arguments))
        .unwrap()
        .into_parts();
    let answer = now(desk(world).check_coverage(&identifier, today, &facts)).unwrap();
    written(&CheckWarrantyCoverageOutput::from(&answer))
}

fn quote_of(arguments: &str) -> String {
    let (identifier, today) = decode::<GetFeeQuoteInput>(Some(arguments))
        .unwrap()
        .into_parts();
    let answer = now(desk(demo()).fee_quote(&identifier, today)).unwrap();
    written(&GetFeeQuoteOutput::from(&answer))
}

fn device_of(arguments: &str) -> String {
    let (identifier, today, with_open) = decode::<FindDeviceInput>(Some(arguments))
        .unwrap()
        .into_parts();
    let as_of = today.unwrap_or(date(TODAY));
    let answer = now(desk(demo()).find_device(&identifier, as_of, with_open)).unwrap();
    written(&FindDeviceOutput::from(&answer))
}

fn devices_of(arguments: &str) -> String {
    let (criteria, take) = decode::<SearchDevicesInput>(Some(arguments))
        .unwrap()
        .into_parts();
    let answer = now(desk(demo()).search_devices(&criteria, take)).unwrap();
    written(&SearchDevicesOutput::from(&answer))
}

fn customers_of(arguments: &str) -> String {
    let (criteria, take) = decode::<FindCustomerInput>(Some(arguments))
        .unwrap()
        .into_parts();
    let answer = now(desk(demo()).find_customer(&criteria, take)).unwrap();
    written(&FindCustomerOutput::from(&answer))
}

fn address_of(arguments: &str) -> String {
    let (id, text) = decode::<ResolveShippingAddressInput>(Some(arguments))
        .unwrap()
        .into_parts();
    let answer = now(desk(demo()).resolve_shipping_address(id, &text)).unwrap();
    written(&ResolveShippingAddressOutput::from(&answer))
}

const NOTE: &str = "This is a policy evaluation, not an approval: no return was created, approved or changed, and allowsRmaCreation is always false.";
const LOOKUP: &str = "This is a lookup for an evaluation, not an approval: no return was created, approved or changed.";

#[test]
fn a_day_is_written_one_way_and_exists() {
    for (day, code) in [
        ("2026-03-01", ""),
        ("2024-02-29", ""),
        ("2026-02-29", "today:custom"),
        ("2026-13-01", "today:custom"),
        ("0000-01-01", "today:custom"),
        ("2026-3-1", "today:pattern"),
        ("03/01/2026", "today:pattern"),
        ("2026-03-01T00:00:00Z", "today:pattern"),
        (" 2026-03-01", "today:pattern"),
        ("today", "today:pattern"),
        ("", "today:pattern"),
    ] {
        let arguments = format!(r#"{{"identifier":"AX2-0001-0001","today":"{day}"}}"#);
        let expected: Vec<&str> = if code.is_empty() { vec![] } else { vec![code] };
        assert_eq!(
            codes::<CheckWarrantyCoverageInput>(&arguments),
            expected,
            "{day}"
        );
        assert_eq!(codes::<GetFeeQuoteInput>(&arguments), expected, "{day}");
        assert_eq!(codes::<FindDeviceInput>(&arguments), expected, "{day}");
    }
    assert_eq!(
        message::<GetFeeQuoteInput>(r#"{"identifier":"x","today":"2026-02-30"}"#),
        "today must be a day of the calendar; found \"2026-02-30\""
    );
    assert_eq!(
        message::<GetFeeQuoteInput>(r#"{"identifier":"x","today":"1 March"}"#),
        "today must be a day written yyyy-MM-dd, such as 2026-03-01; found \"1 March\""
    );
}

// Case R-079.
#[test]
fn a_serial_number_is_no_number() {
    for (arguments, key) in [
        (r#"{"identifier":12345,"today":"2026-03-01"}"#, "identifier"),
        (r#"{"identifier":1e3,"today":"2026-03-01"}"#, "identifier"),
    ] {
        assert_eq!(
            message::<CheckWarrantyCoverageInput>(arguments),
            format!(
                "{key}: expected a string, found a number; send it in quotes, because a number loses the zeros in front of it"
            )
        );
    }
    assert!(
        message::<GetOpenReturnsForDeviceInput>(r#"{"deviceId":7}"#).contains("loses the zeros")
    );
    assert!(
        message::<FindCustomerInput>(r#"{"phoneNumber":12025550101}"#).contains("loses the zeros")
    );
    assert_eq!(
        message::<GetFeeQuoteInput>(r#"{"identifier":true,"today":"2026-03-01"}"#),
        "identifier: expected a string, found a boolean"
    );
}

#[test]
fn blank_identifiers_are_refused() {
    for (text, code) in [
        ("", "too_short"),
        (" ", "pattern"),
        ("\u{3000} ", "pattern"),
    ] {
        let arguments = format!(r#"{{"identifier":"{text}","today":"2026-03-01"}}"#);
        let expected = [format!("identifier:{code}")];
        assert_eq!(codes::<CheckWarrantyCoverageInput>(&arguments), expected);
        assert_eq!(codes::<GetFeeQuoteInput>(&arguments), expected);
        assert_eq!(
            codes::<FindDeviceInput>(&format!(r#"{{"identifier":"{text}"}}"#)),
            expected
        );
        assert_eq!(
            codes::<GetOpenReturnsForDeviceInput>(&format!(r#"{{"deviceId":"{text}"}}"#)),
            [format!("deviceId:{code}")]
        );
        assert_eq!(
            codes::<ResolveShippingAddressInput>(&format!(
                r#"{{"customerId":"CUST-00009","freeTextAddress":"{text}"}}"#
            )),
            [format!("freeTextAddress:{code}")]
        );
    }
}

/// *Invariant:* what a caller must not be able to say cannot be said: unknown keys are refused.
#[test]
fn nothing_can_be_smuggled_in() {
    for key in [
        "aiConfidence",
        "ai_confidence",
        "allowsRmaCreation",
        "override",
        "isInWarranty",
    ] {
        let arguments = format!(r#"{{"identifier":"x","today":"2026-03-01","{key}":true}}"#);
        let expected = [format!("{key}:unknown_key")];
        assert_eq!(codes::<CheckWarrantyCoverageInput>(&arguments), expected);
        assert_eq!(codes::<GetFeeQuoteInput>(&arguments), expected);
        assert_eq!(codes::<FindDeviceInput>(&arguments), expected);
    }
    assert!(
        message::<CheckWarrantyCoverageInput>(
            r#"{"identifier":"x","today":"2026-03-01","has_open_return":true}"#
        )
        .contains("did you mean hasOpenReturn?")
    );
}

#[test]
fn booleans_and_numbers_are_not_coerced() {
    for value in [r#""true""#, "1", "null", "[]", r#""""#] {
        assert_eq!(
            codes::<CheckWarrantyCoverageInput>(&format!(
                r#"{{"identifier":"x","today":"2026-03-01","proofOfPurchaseOnFile":{value},"hasOpenReturn":{value}}}"#
            )),
            [
                "proofOfPurchaseOnFile:invalid_type",
                "hasOpenReturn:invalid_type"
            ],
            "{value}"
        );
    }
    assert_eq!(
        message::<FindDeviceInput>(r#"{"identifier":"x","includeUnitsWithOpenReturns":"false"}"#),
        "includeUnitsWithOpenReturns: expected a boolean, found a string; send true or false without quotes"
    );
    for (take, code) in [
        ("0", Some("too_small")),
        ("1", None),
        ("25", None),
        ("25.0", None),
        ("26", Some("too_big")),
        ("2.5", Some("invalid_type")),
        (r#""5""#, Some("invalid_type")),
    ] {
        let expected: Vec<String> = code
            .map(|code| format!("take:{code}"))
            .into_iter()
            .collect();
        let arguments = format!(r#"{{"take":{take}}}"#);
        assert_eq!(codes::<SearchDevicesInput>(&arguments), expected, "{take}");
        assert_eq!(codes::<FindCustomerInput>(&arguments), expected, "{take}");
    }
}

#[test]
fn all_problems_at_once() {
    assert_eq!(
        codes::<CheckWarrantyCoverageInput>(
            r#"{"today":"soon","regionCode":"Europe","hasOpenReturn":0,"identifer":"x"}"#
        ),
        [
            "identifier:required",
            "today:pattern",
            "regionCode:pattern",
            "hasOpenReturn:invalid_type",
            "identifer:unknown_key"
        ]
    );
    assert_eq!(
        codes::<ResolveShippingAddressInput>(r#"{"customerId":"EXT-10001"}"#),
        ["customerId:pattern", "freeTextAddress:required"]
    );
}

#[test]
fn coverage() {
    assert_eq!(
        coverage_of(
            demo(),
            r#"{"identifier":"ax2 0001 0001","today":"2026-03-01"}"#
        ),
        format!(
            r#"{{"identified":true,"serialNumber":"AX2-0001-0001","productName":"AX-200 Handheld Terminal","warrantyPlan":"standard plan","warrantyTier":"standard","warrantyEndsOn":"2026-11-01","eligibility":"Eligible","reason":"InWarrantyConfirmedDefect","explanation":"We checked the unit AX2-0001-0001 (AX-200 Handheld Terminal), its warranty, its dates and our return policy: the plan standard plan (tier standard) runs from 2024-03-01 to 2026-11-01 and so covers 2026-03-01, and nothing in the policy speaks against coverage.","matchedRuleIds":["warranty.tier:standard","warranty.active"],"allowsRmaCreation":false,"suggestions":[],"note":"{NOTE}"}}"#
        )
    );
    assert_eq!(
        coverage_of(
            demo(),
            r#"{"identifier":"AX2-0001-0005","today":"2026-03-01","problemDescription":"dead on arrival"}"#
        ),
        format!(
            r#"{{"identified":true,"serialNumber":"AX2-0001-0005","productName":"AX-200 Handheld Terminal","eligibility":"EligibleForPaidRepair","reason":"OutOfWarranty","explanation":"No warranty of this unit covers 2026-03-01. The unit can be repaired for a fee.","matchedRuleIds":["warranty.expired"],"allowsRmaCreation":false,"suggestions":[],"note":"{NOTE}"}}"#
        )
    );
    assert_eq!(
        coverage_of(
            demo(),
            r#"{"identifier":"AX2-0001-0006","today":"2026-03-01"}"#
        ),
        format!(
            r#"{{"identified":false,"eligibility":"NotEligible","reason":"DeviceNotFound","explanation":"We could not find a unit with this identifier, so its coverage cannot be confirmed. Please check the number on the unit's label.","matchedRuleIds":["device.unknown"],"allowsRmaCreation":false,"suggestions":[{{"serialNumber":"AX2-0001-0001","productName":"AX-200 Handheld Terminal","matchScore":0.89}},{{"serialNumber":"AX2-0001-0003","productName":"AX-200 Handheld Terminal","matchScore":0.89}},{{"serialNumber":"AX2-0001-0004","productName":"AX-200 Handheld Terminal","matchScore":0.89}}],"note":"The unit was not identified. Ask the customer to confirm one of the suggestions, and ask again with its serial number in full. {NOTE}"}}"#
        )
    );
}

#[test]
fn quotes() {
    assert_eq!(
        quote_of(r#"{"identifier":"AX2-0001-0005","today":"2026-03-01"}"#),
        format!(
            r#"{{"identified":true,"productSku":"AX-200-HS","productName":"AX-200 Handheld Terminal","serialNumber":"AX2-0001-0005","planIsCovered":false,"repairFee":69,"depositAmount":0,"currencyCode":"USD","allowsRmaCreation":false,"suggestions":[],"note":"No plan covers this unit on this day: repairFee is what a repair costs. {NOTE}"}}"#
        )
    );
    assert_eq!(
        quote_of(r#"{"identifier":"A4C1F2E30001","today":"2026-03-01"}"#),
        format!(
            r#"{{"identified":true,"productSku":"AX-200-HS","productName":"AX-200 Handheld Terminal","serialNumber":"AX2-0001-0001","warrantyTier":"standard","planIsCovered":true,"repairFee":69,"depositAmount":0,"currencyCode":"USD","turnaroundBusinessDays":10,"allowsRmaCreation":false,"suggestions":[],"note":"The plan covers this unit: nothing is owed for a covered defect, and repairFee is what the repair would cost without cover. {NOTE}"}}"#
        )
    );
    assert_eq!(
        quote_of(r#"{"identifier":"NO-SUCH-SERIAL-0000","today":"2026-03-01"}"#),
        format!(
            r#"{{"identified":false,"planIsCovered":false,"allowsRmaCreation":false,"suggestions":[],"note":"The unit was not identified, so there is no fee to quote. {NOTE}"}}"#
        )
    );
}

#[test]
fn devices() {
    assert_eq!(
        device_of(r#"{"identifier":"356938035643809"}"#),
        format!(
            r#"{{"found":true,"suppressed":false,"device":{{"deviceId":"AX2-0001-0001","serialNumber":"AX2-0001-0001","macAddress":"A4C1F2E30001","imei":"356938035643809","product":{{"sku":"AX-200-HS","name":"AX-200 Handheld Terminal","model":"AX-200"}}}},"warranty":{{"planName":"standard plan","tier":"standard","startDate":"2024-03-01","endDate":"2026-11-01"}},"isInWarranty":true,"hasOpenReturn":false,"matchedOn":"alternate-identifier","matchScore":1,"requiresConfirmation":false,"suggestions":[],"asOf":"2026-03-01","note":"{LOOKUP}"}}"#
        )
    );
    assert_eq!(
        device_of(r#"{"identifier":"CRI-OOO4-OOO2","today":"2026-06-01"}"#),
        format!(
            r#"{{"found":true,"suppressed":false,"device":{{"deviceId":"CR1-0004-0002","serialNumber":"CR1-0004-0002","product":{{"sku":"CR-10-CRD","name":"CR-10 Charging Cradle"}}}},"isInWarranty":false,"hasOpenReturn":false,"matchedOn":"fuzzy","matchScore":0.89,"requiresConfirmation":true,"suggestions":[],"asOf":"2026-06-01","note":"The identifier is only nearly that of this unit. Ask the customer to confirm the serial number before you use it. {LOOKUP}"}}"#
        )
    );
    // Promise 7: nothing of the unit.
    for text in ["AX2-0001-0002", "A4C1F2E30002", "356938035643810"] {
        let answer = device_of(&format!(r#"{{"identifier":"{text}"}}"#));
        assert_eq!(
            answer,
            format!(
                r#"{{"found":true,"suppressed":true,"suppressionReason":"A return of this unit is already open, so it is not shown. If you have a reason to see it, ask again with includeUnitsWithOpenReturns true.","hasOpenReturn":true,"requiresConfirmation":false,"suggestions":[],"asOf":"2026-03-01","note":"{LOOKUP}"}}"#
            )
        );
    }
    let opted_in =
        device_of(r#"{"identifier":"AX2-0001-0002","includeUnitsWithOpenReturns":true}"#);
    assert!(
        opted_in.contains(r#""deviceId":"AX2-0001-0002""#),
        "{opted_in}"
    );
    assert!(opted_in.contains(r#""hasOpenReturn":true"#), "{opted_in}");
    assert_eq!(
        device_of(r#"{"identifier":"NO-SUCH-SERIAL-0000"}"#),
        format!(
            r#"{{"found":false,"suppressed":false,"hasOpenReturn":false,"requiresConfirmation":false,"suggestions":[],"asOf":"2026-03-01","note":"No unit has this identifier. Check it with the customer; do not guess another one. {LOOKUP}"}}"#
        )
    );
}

#[test]
fn searches_and_open_returns() {
    assert_eq!(
        devices_of(r#"{"model":"AX-200","take":1}"#),
        format!(
            r#"{{"matchCount":4,"truncated":true,"suppressedCount":1,"devices":[{{"deviceId":"AX2-0001-0001","serialNumber":"AX2-0001-0001","product":{{"sku":"AX-200-HS","name":"AX-200 Handheld Terminal","model":"AX-200"}},"matchScore":1}}],"note":"More units fit than are listed. Ask the customer for a serial number and use find_device. {LOOKUP}"}}"#
        )
    );
    assert_eq!(
        devices_of("{}"),
        format!(
            r#"{{"matchCount":0,"truncated":false,"suppressedCount":0,"refusalReason":"Nothing was asked for: give at least one criterion.","devices":[],"note":"{LOOKUP}"}}"#
        )
    );
    let open_returns = |arguments: &str| {
        let id = decode::<GetOpenReturnsForDeviceInput>(Some(arguments))
            .unwrap()
            .into();
        written(&GetOpenReturnsForDeviceOutput::from(
            &now(desk(demo()).open_returns(&id)).unwrap(),
        ))
    };
    assert_eq!(
        open_returns(r#"{"deviceId":"AX2-0001-0002"}"#),
        format!(
            r#"{{"deviceId":"AX2-0001-0002","count":1,"returns":[{{"rmaNumber":"RMA-2026-00001","status":"open","createdAt":"2026-02-20T09:00:00.000Z"}}],"note":"A return of this unit is open: do not open another one. {LOOKUP}"}}"#
        )
    );
    assert_eq!(
        open_returns(r#"{"deviceId":"AX2-0001-0001"}"#),
        format!(r#"{{"deviceId":"AX2-0001-0001","count":0,"returns":[],"note":"{LOOKUP}"}}"#)
    );
}

#[test]
fn customers_and_addresses() {
    assert_eq!(
        customers_of(r#"{"email":"HARRIET.smyth@example.com","name":""}"#),
        format!(
            r#"{{"matchCount":1,"requiresConfirmation":false,"customers":[{{"customerId":"CUST-00009","externalCustomerId":"EXT-10001","fullName":"Harriet Smyth","companyName":"Northwind Depot","email":"harriet.smyth@example.com","phoneNumber":"+1-202-555-0101","preferredLanguage":"en-US","addressCount":2,"matchScore":1}}],"note":"{LOOKUP}"}}"#
        )
    );
    let two = customers_of(r#"{"name":"smyth"}"#);
    assert!(
        two.starts_with(
            r#"{"matchCount":2,"requiresConfirmation":true,"customers":[{"customerId":"CUST-00010""#
        ),
        "{two}"
    );
    assert_eq!(
        customers_of(r#"{"name":" ","take":3}"#),
        format!(
            r#"{{"matchCount":0,"requiresConfirmation":false,"refusalReason":"Nothing was asked for: give at least one criterion.","customers":[],"note":"{LOOKUP}"}}"#
        )
    );
    assert_eq!(
        address_of(r#"{"customerId":"CUST-00009","freeTextAddress":"400 Market Street"}"#),
        format!(
            r#"{{"resolved":true,"matchScore":0.9,"isFallback":false,"address":{{"label":"Office","line1":"400 Market Street","line2":"Suite 9","city":"Springfield","stateOrProvince":"IL","postalCode":"62701","countryCode":"US"}},"note":"{LOOKUP}"}}"#
        )
    );
    let fallback = address_of(r#"{"customerId":"CUST-00009","freeTextAddress":"US"}"#);
    assert!(
        fallback.starts_with(r#"{"resolved":false,"matchScore":0.85,"isFallback":true,"address":{"label":"Main","line1":"12 Oak Street","#),
        "{fallback}"
    );
    assert_eq!(
        address_of(r#"{"customerId":"CUST-00016","freeTextAddress":"anywhere"}"#),
        format!(
            r#"{{"resolved":false,"matchScore":0,"isFallback":false,"reason":"The customer has no stored address. Ask for one.","note":"The text was not matched to an address: do not ship anything before the customer confirms one. {LOOKUP}"}}"#
        )
    );
}

/// Promise 2: whatever the case, no answer allows that a return is created, and each says that it is
/// no approval.
#[test]
fn no_answer_allows_a_return() {
    let world = demo();
    let mut identifiers: Vec<String> = world
        .units
        .iter()
        .map(|unit| unit.device.serial.as_str().to_owned())
        .collect();
    identifiers.extend([
        "NO-SUCH".to_owned(),
        "AX2-0001-0006".to_owned(),
        "terminal".to_owned(),
    ]);
    for identifier in &identifiers {
        for facts in [
            "",
            r#","hasOpenReturn":true"#,
            r#","problemDescription":"I dropped it""#,
            r#","problemDescription":"maybe wet""#,
            r#","proofOfPurchaseOnFile":false"#,
        ] {
            let call = format!(r#"{{"identifier":"{identifier}","today":"2026-03-01"{facts}}}"#);
            let coverage = coverage_of(demo(), &call);
            let quote = quote_of(&format!(
                r#"{{"identifier":"{identifier}","today":"2026-03-01"}}"#
            ));
            for answer in [coverage, quote] {
                let answer: Value = serde_json::from_str(&answer).unwrap();
                assert_eq!(answer["allowsRmaCreation"], false);
                assert!(answer["note"].as_str().unwrap().contains("not an approval"));
            }
        }
    }
    for schema in [
        output_schema::<CheckWarrantyCoverageOutput>(),
        output_schema::<GetFeeQuoteOutput>(),
    ] {
        let field = &schema["properties"]["allowsRmaCreation"];
        assert!(
            field["description"]
                .as_str()
                .unwrap()
                .starts_with("Always false")
        );
        assert!(
            schema["required"]
                .as_array()
                .unwrap()
                .contains(&"allowsRmaCreation".into())
        );
    }
}

/// Promise 8: what an answer does not need is not in it.
#[test]
fn projections_are_narrow() {
    let search = devices_of(r#"{"productName":"terminal","take":25}"#);
    for secret in [
        "A4C1F2E3", "35693803", "imei", "mac", "assetTag", "customer",
    ] {
        assert!(!search.contains(secret), "{search}");
    }
    let customers = customers_of(r#"{"name":"smyth"}"#);
    for secret in ["Oak", "Market", "balance", "status", "createdAt"] {
        assert!(!customers.contains(secret), "{customers}");
    }
}

#[test]
fn answers_hide_personal_data_in_debug() {
    let desk = desk(demo());
    let unit = now(desk.find_device(&identifier("AX2-0001-0001"), date(TODAY), false)).unwrap();
    let text = AddressText::new("12 Oak Street").unwrap();
    let id = CustomerId::new("CUST-00009").unwrap();
    let address = now(desk.resolve_shipping_address(id, &text)).unwrap();
    let (criteria, take) = decode::<FindCustomerInput>(Some(r#"{"name":"smyth"}"#))
        .unwrap()
        .into_parts();
    let customers = now(desk.find_customer(&criteria, take)).unwrap();
    let input = decode::<CheckWarrantyCoverageInput>(Some(
        r#"{"identifier":"AX2-0001-0001","today":"2026-03-01","problemDescription":"Harriet dropped it"}"#,
    ));
    let shown = format!(
        "{unit:?} {:?} {address:?} {:?} {text:?} {customers:?} {:?} {criteria:?} {input:?}",
        FindDeviceOutput::from(&unit),
        ResolveShippingAddressOutput::from(&address),
        FindCustomerOutput::from(&customers),
    );
    for secret in [
        "AX2-0001", "A4C1F2", "35693", "Oak", "Harriet", "harriet", "Smyth", "555-0101", "smyth",
    ] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}
