//! The `policy` section of the configuration file, through the binary.

use serde_json::{Value, json};

use super::{Depot, coverage, demo, handheld, quote, verdict, warranty};
use crate::client::Start;

struct File(tempfile::TempDir);

impl File {
    fn new(text: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("refund.toml"), text).unwrap();
        Self(directory)
    }

    fn argument(&self) -> String {
        format!("--config={}", self.0.path().join("refund.toml").display())
    }
}

#[test]
fn rules_are_data() {
    let file = File::new(
        "[policy.warranty]\ngrace_days = 0\nreturn_window_days = 2000\nreview_regions = [\"US\"]\nfraud_prefixes = [\"CBL\"]\n\
         [policy.warranty.excluded_causes]\nliquid = [\"coffee\", \"コーヒー\"]\n\
         [policy.warranty.tiers]\nstandard = { turnaround_business_days = 4, covered = true }\n\
         extended = { turnaround_business_days = 3, covered = false }\n\
         premium = { turnaround_business_days = 2, covered = true }\n\
         [policy.warranty.repair_prices]\ncurrency = \"JPY\"\notherwise = \"9900\"\n\
         [policy.warranty.repair_prices.products]\nAX-200-HS = { fee = \"6900\", deposit = \"500\" }\n",
    );
    let mut client = demo().argument(&file.argument()).connect();
    for (serial, problem, expected) in [
        // Without days of grace.
        ("AX2-0001-0004", "", "EligibleForPaidRepair/OutOfWarranty"),
        ("AX4-0002-0001", "", "EligibleForPaidRepair/OutOfWarranty"),
        ("BX1-0003-0001", "", "EligibleForPaidRepair/OutOfWarranty"),
        ("CBL-0005-0001", "", "RequiresHumanReview/SuspectedFraud"),
        (
            "AX2-0001-0001",
            "coffee got in",
            "NotEligible/ExcludedCause",
        ),
        (
            "AX2-0001-0001",
            "コーヒーがかかりました",
            "NotEligible/ExcludedCause",
        ),
        (
            "AX2-0001-0001",
            "water got in",
            "Eligible/InWarrantyConfirmedDefect",
        ),
    ] {
        assert_eq!(
            verdict(&coverage(&mut client, serial, problem)),
            expected,
            "{serial} {problem}"
        );
    }
    let arguments =
        json!({ "identifier": "AX2-0001-0001", "today": super::TODAY, "regionCode": "us-ca" });
    let answer = client.call("check_warranty_coverage", &arguments);
    assert_eq!(verdict(&answer), "RequiresHumanReview/EscalatedToAgent");
    assert_eq!(
        answer["matchedRuleIds"],
        json!(["warranty.tier:standard", "region:US"])
    );
    let answer = quote(&mut client, "AX2-0001-0001");
    assert_eq!(
        (
            &answer["repairFee"],
            &answer["depositAmount"],
            &answer["currencyCode"],
            &answer["turnaroundBusinessDays"]
        ),
        (&json!(6900), &json!(500), &json!("JPY"), &json!(4))
    );
    assert_eq!(quote(&mut client, "BX1-0003-0001")["repairFee"], 9900);
}

#[test]
fn a_policy_that_cannot_hold_stops_the_start_and_names_file_and_key() {
    for (text, key, why) in [
        (
            "[policy.warranty.tiers]\n",
            "policy.warranty.tiers: ",
            "has no tiers",
        ),
        (
            "[policy.warranty]\nfraud_prefixes = [\"AB\", \"ABC\"]\n",
            "policy.warranty.fraud_prefixes: ",
            "fit the same serial numbers",
        ),
        (
            "[policy.warranty.excluded_causes]\nimpact = []\n",
            "policy.warranty.excluded_causes.impact: ",
            "has no words",
        ),
        (
            "[policy.warranty.repair_prices]\ncurrency = \"USD\"\notherwise = \"-5\"\n",
            "policy.warranty.repair_prices.otherwise: ",
            "cannot be -5",
        ),
        (
            "[policy.warranty]\ngrace_dayz = 3\n",
            "line 2: ",
            "did you mean grace_days?",
        ),
    ] {
        let file = File::new(text);
        for command in ["stdio", "tools", "config"] {
            let (code, out, err) = Start::memory()
                .argument(&file.argument())
                .argument(command)
                .run();
            assert_eq!((code, out.as_str()), (2, ""), "{text}: {err}");
            for part in ["refund.toml", key, why] {
                assert!(err.contains(part), "{text}: {part} is not in {err}");
            }
        }
    }
}

#[test]
fn config_shows_the_policy_in_force() {
    let shown = |start: Start| -> Value {
        let (code, out, err) = start.argument("config").argument("--json").run();
        assert_eq!(code, 0, "{err}");
        serde_json::from_str(&out).unwrap()
    };
    let defaults = shown(Start::memory());
    for (key, value) in [
        ("grace_days", json!(30)),
        ("return_window_days", json!(730)),
        ("fraud_prefixes", json!(["SUSPECT", "TESTFRAUD"])),
        ("review_regions", json!([])),
        ("tiers.no-service.covered", json!(false)),
        ("tiers.premium.turnaround_business_days", json!(2)),
        ("repair_prices.otherwise", json!("99.00")),
        ("repair_prices.products.CBL-USB-3M.fee", json!("9.00")),
    ] {
        let shown = &defaults[&format!("policy.warranty.{key}")];
        assert_eq!(
            *shown,
            json!({ "value": value, "source": "default" }),
            "{key}"
        );
    }
    let words = &defaults["policy.warranty.excluded_causes.liquid"]["value"];
    let words = words.as_array().unwrap();
    assert!(
        words.contains(&json!("water")) && words.contains(&json!("水没")),
        "{words:?}"
    );
    let file = File::new("[policy.warranty]\ngrace_days = 7\n");
    let own = shown(Start::memory().argument(&file.argument()));
    assert_eq!(
        own["policy.warranty.grace_days"],
        json!({ "value": 7, "source": "configuration file" })
    );
}

// Rules have no flags, so a client has to name the file.
#[test]
fn a_clients_configuration_names_the_file() {
    let launch = |text: &str| {
        let file = File::new(text);
        let start = Start::memory().argument(&file.argument());
        let (code, out, err) = start
            .argument("client-config")
            .argument("claude-desktop")
            .run();
        assert_eq!(code, 0, "{err}");
        out
    };
    assert!(launch("[policy.warranty]\ngrace_days = 7\n").contains("refund.toml"));
    assert!(!launch("read_only = true\n").contains("refund.toml"));
}

// A tier that the policy does not have is a fault for the operator, and never taken for another one.
#[test]
fn an_unknown_tier_is_a_fault() {
    let depot = Depot::new(&json!({
        "products": [handheld()],
        "devices": [
            { "serial_number": "AX2-1", "sku": "AX-200-HS" },
            { "serial_number": "AX2-2", "sku": "AX-200-HS" },
        ],
        "warranties": [
            warranty("AX2-1", "platinum", "2025-01-01", "2027-01-01"),
            warranty("AX2-2", "standard", "2025-01-01", "2027-01-01"),
        ],
    }));
    let (code, out, err) = depot.start().argument("check").run();
    assert_eq!(code, 6, "{err}");
    assert!(
        out.contains("no tier platinum") && out.contains("policy.warranty.tiers"),
        "{out}"
    );
    let mut client = depot.connect();
    // Said once at the start, too, whoever asks.
    while let Some(line) = client.next_log_line() {
        if line.contains("policy.warranty.tiers") {
            assert!(
                line.contains("platinum") && line.contains("ERROR"),
                "{line}"
            );
            break;
        }
    }
    let unit = json!({ "identifier": "AX2-1", "today": super::TODAY });
    for tool in ["check_warranty_coverage", "get_fee_quote", "find_device"] {
        let answer = client.call_text(tool, &unit.to_string());
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert_eq!(answer["error"]["message"], "Internal error");
    }
    assert_eq!(
        coverage(&mut client, "AX2-2", "")["eligibility"],
        "Eligible"
    );
    let log = client.finish().log;
    assert!(log.contains("has no tier platinum"), "{log}");
    let file = File::new(
        "[policy.warranty.tiers]\nplatinum = { turnaround_business_days = 1, covered = true }\n",
    );
    let mut client = depot.start().argument(&file.argument()).connect();
    assert_eq!(
        coverage(&mut client, "AX2-1", "")["eligibility"],
        "Eligible"
    );
}
