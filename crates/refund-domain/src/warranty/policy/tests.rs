//! The default policy, and rules that cannot hold.

use super::*;

fn change(change: impl FnOnce(&mut WarrantyRules)) -> Result<WarrantyPolicy, PolicyError> {
    let mut rules = WarrantyRules::default();
    change(&mut rules);
    WarrantyPolicy::new(&rules)
}

fn whole(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", whole(source)),
        None => error.to_string(),
    }
}

#[test]
fn the_defaults() {
    let policy = WarrantyPolicy::default();
    assert_eq!(
        (policy.grace_days(), policy.return_window_days()),
        (30, 730)
    );
    for (sku, fee) in [
        ("AX-200-HS", "69.00 USD"),
        ("AX-400-RG", "119.00 USD"),
        ("BX-100-KT", "149.00 USD"),
        ("CR-10-CRD", "29.00 USD"),
        ("CBL-USB-3M", "9.00 USD"),
        ("ZZ-1", "99.00 USD"),
        ("ax-200-hs", "99.00 USD"),
    ] {
        let price = policy.repair_fee(&Sku::new(sku).unwrap());
        assert_eq!(price.fee.to_string(), fee);
        assert!(price.deposit.is_zero());
    }
    let tiers: Vec<_> = policy
        .tiers()
        .iter()
        .map(|tier| {
            (
                tier.name().as_str(),
                tier.turnaround_business_days(),
                tier.covered(),
            )
        })
        .collect();
    assert_eq!(
        tiers,
        [
            ("standard", 10, true),
            ("extended", 5, true),
            ("premium", 2, true),
            ("no-service", 21, false)
        ]
    );
}

#[test]
fn a_serial_begins_with_a_prefix_whatever_its_spelling() {
    let policy = WarrantyPolicy::default();
    for (serial, prefix) in [
        ("SUSPECT-0001", Some("SUSPECT")),
        ("sus-pect 1", Some("SUSPECT")),
        ("TESTFRAUD9", Some("TESTFRAUD")),
        ("AX2-SUSPECT", None),
        ("SUSPEC", None),
    ] {
        assert_eq!(
            policy.fraud_prefix(&SerialNumber::new(serial).unwrap()),
            prefix
        );
    }
}

#[test]
fn what_cannot_hold_is_named() {
    for (error, text) in [
        (
            change(|rules| rules.tiers.clear()),
            "the policy has no tiers",
        ),
        (
            change(|rules| rules.tiers.push(rules.tiers[0].clone())),
            "the tier standard has two rules",
        ),
        (
            change(|rules| rules.tiers[0].name = "Gold plan".to_owned()),
            "the tier \"Gold plan\" cannot be used: a tier must consist of a-z, 0-9 and -",
        ),
        (
            change(|rules| rules.fraud_prefixes.push("-".to_owned())),
            "a fraud prefix must have a letter or a digit, but one is \"-\"",
        ),
        (
            change(|rules| rules.fraud_prefixes.push("test".to_owned())),
            "the fraud prefixes TESTFRAUD and test fit the same serial numbers",
        ),
        (
            change(|rules| rules.cause_words.liquid.clear()),
            "the words of excluded causes cannot be used: the cause liquid has no words",
        ),
        (
            change(|rules| rules.cause_words.impact.push("Wet".to_owned())),
            "the words of excluded causes cannot be used: the word wet stands for liquid and for impact",
        ),
        (
            change(|rules| rules.review_regions.push("Mars".to_owned())),
            "the review region \"Mars\" cannot be used: a region must be like US or US-CA",
        ),
        (
            change(|rules| rules.review_regions = vec!["US-CA".to_owned(), "us".to_owned()]),
            "the review regions US-CA and US overlap",
        ),
        (
            change(|rules| rules.repair_prices.currency = "usd".to_owned()),
            "the currency of the repair prices cannot be used: \"usd\" is not an ISO 4217 currency code such as USD",
        ),
        (
            change(|rules| rules.repair_prices.products[1].sku = " ".to_owned()),
            "the repair price of \" \" is for no product: a product's number must not have white space at its ends",
        ),
        (
            change(|rules| rules.repair_prices.products[1].sku = "AX-200-HS".to_owned()),
            "the repair prices of AX-200-HS and AX-200-HS are for products that differ in case, blanks or punctuation alone",
        ),
        (
            change(|rules| rules.repair_prices.products[0].fee = Decimal::new(-1, 2)),
            "the repair fee of AX-200-HS cannot be -0.01: an amount of money cannot be negative",
        ),
        (
            change(|rules| rules.repair_prices.otherwise_deposit = Decimal::new(-500, 2)),
            "the deposit of products that are not listed cannot be -5.00: an amount of money cannot be negative",
        ),
        (
            change(|rules| rules.repair_prices.products[0].fee = Decimal::new(69_005, 3)),
            "the repair fee of AX-200-HS cannot be 69.005: 69.005 needs more decimal places than the 2 of USD",
        ),
    ] {
        assert_eq!(whole(&error.unwrap_err()), text);
    }
}

#[test]
fn an_unknown_tier_is_an_error_and_never_another_tier() {
    let policy = WarrantyPolicy::default();
    let names = ["standard", "gold"].map(|name| TierName::new(name).unwrap());
    assert!(policy.tier(&names[1]).is_none());
    assert_eq!(
        policy.knows(&names).unwrap_err().to_string(),
        "the warranty policy has no tier gold, which a warranty names"
    );
    assert!(policy.knows(&names[..1]).is_ok());
}
