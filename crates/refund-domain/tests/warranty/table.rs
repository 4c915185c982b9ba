//! Every unit of the demonstration data on its day.

use refund_domain::warranty::{ReportedFacts, RuleId, WarrantyDeskError};

use crate::support::{Memory, TODAY, date, demo, desk, identifier, now, problem};

fn coverage(world: Memory, serial: &str, facts: &ReportedFacts) -> (String, Vec<String>) {
    let answer = now(desk(world).check_coverage(&identifier(serial), date(TODAY), facts)).unwrap();
    let evaluation = answer.evaluation;
    (
        format!(
            "{}/{}",
            evaluation.outcome.as_str(),
            evaluation.reason.as_str()
        ),
        evaluation.rules.iter().map(RuleId::to_string).collect(),
    )
}

#[test]
fn coverage_of_every_unit() {
    let eligible = "Eligible/InWarrantyConfirmedDefect";
    let paid = "EligibleForPaidRepair/OutOfWarranty";
    for (serial, outcome, rules) in [
        (
            "AX2-0001-0001",
            eligible,
            &["warranty.tier:standard", "warranty.active"][..],
        ),
        (
            "AX2-0001-0002",
            "RequiresHumanReview/DuplicateOpenRequest",
            &["return.open"],
        ),
        (
            "AX2-0001-0003",
            eligible,
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "AX2-0001-0004",
            eligible,
            &["warranty.tier:standard", "warranty.active"],
        ),
        ("AX2-0001-0005", paid, &["warranty.expired"]),
        (
            "AX4-0002-0001",
            eligible,
            &["warranty.tier:extended", "warranty.active"],
        ),
        (
            "AX4-0002-0002",
            eligible,
            &["warranty.tier:extended", "warranty.active"],
        ),
        (
            "AX4-0002-0003",
            eligible,
            &["warranty.tier:premium", "warranty.active"],
        ),
        (
            "BX1-0003-0001",
            "NotEligible/OutsideReturnWindow",
            &["window.return"],
        ),
        ("BX1-0003-0002", paid, &["warranty.expired"]),
        (
            "CR1-0004-0001",
            eligible,
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "CR1-0004-0002",
            eligible,
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "CBL-0005-0001",
            eligible,
            &["warranty.tier:standard", "warranty.active"],
        ),
        ("CBL-0005-0002", paid, &["warranty.expired"]),
        (
            "NO-SUCH-SERIAL-0000",
            "NotEligible/DeviceNotFound",
            &["device.unknown"],
        ),
        (
            "AX2-0001-0006",
            "NotEligible/DeviceNotFound",
            &["device.unknown"],
        ),
    ] {
        let (found, fired) = coverage(demo(), serial, &problem("dead on arrival"));
        assert_eq!(
            (found.as_str(), fired),
            (
                outcome,
                rules.iter().map(|rule| (*rule).to_owned()).collect()
            ),
            "{serial}"
        );
    }
}

#[test]
fn quotes_of_every_unit() {
    for (serial, fee, covered, tier, days) in [
        (
            "AX2-0001-0001",
            "69.00 USD",
            true,
            Some("standard"),
            Some(10),
        ),
        (
            "AX2-0001-0004",
            "69.00 USD",
            true,
            Some("standard"),
            Some(10),
        ),
        ("AX2-0001-0005", "69.00 USD", false, None, None),
        (
            "AX4-0002-0001",
            "119.00 USD",
            true,
            Some("extended"),
            Some(5),
        ),
        (
            "AX4-0002-0003",
            "119.00 USD",
            true,
            Some("premium"),
            Some(2),
        ),
        ("BX1-0003-0001", "149.00 USD", false, None, None),
        (
            "CR1-0004-0001",
            "29.00 USD",
            true,
            Some("standard"),
            Some(10),
        ),
        ("CBL-0005-0002", "9.00 USD", false, None, None),
    ] {
        let answer = now(desk(demo()).fee_quote(&identifier(serial), date(TODAY))).unwrap();
        let quote = answer.quote.unwrap();
        let governing = quote
            .cover
            .warranty()
            .map(|warranty| warranty.tier.to_string());
        assert_eq!(
            (
                quote.fee.fee.to_string().as_str(),
                quote.cover.is_covered(),
                governing.as_deref(),
                quote.turnaround_business_days
            ),
            (fee, covered, tier, days),
            "{serial}"
        );
        assert!(quote.fee.deposit.is_zero());
        assert!(answer.note.contains("not an approval"), "{}", answer.note);
    }
    for serial in ["NO-SUCH-SERIAL-0000", "AX2-0001-0006"] {
        let answer = now(desk(demo()).fee_quote(&identifier(serial), date(TODAY))).unwrap();
        assert!(answer.quote.is_none(), "{serial}");
    }
}

#[test]
fn a_plan_without_service_is_paid_for() {
    let mut world = demo();
    world.units[0].warranties[0].tier = "no-service".try_into_tier();
    let (outcome, rules) = coverage(world.clone(), "AX2-0001-0001", &ReportedFacts::default());
    assert_eq!(outcome, "EligibleForPaidRepair/OutOfWarranty");
    assert_eq!(rules, ["warranty.tier:no-service"]);
    let answer = now(desk(world).fee_quote(&identifier("AX2-0001-0001"), date(TODAY))).unwrap();
    let quote = answer.quote.unwrap();
    assert_eq!(
        (quote.cover.is_covered(), quote.turnaround_business_days),
        (false, Some(21))
    );
}

#[test]
fn an_unknown_tier_is_a_fault_and_never_standard() {
    let mut world = demo();
    world.units[0].warranties[0].tier = "gold".try_into_tier();
    let desk = desk(world);
    let unit = identifier("AX2-0001-0001");
    for error in [
        now(desk.check_coverage(&unit, date(TODAY), &ReportedFacts::default())).unwrap_err(),
        now(desk.fee_quote(&unit, date(TODAY))).unwrap_err(),
        now(desk.find_device(&unit, date(TODAY), false)).unwrap_err(),
    ] {
        assert!(
            matches!(error, WarrantyDeskError::Misconfigured(_)),
            "{error}"
        );
    }
}

/// Shorter than the constructor.
trait TryIntoTier {
    fn try_into_tier(self) -> refund_domain::warranty::TierName;
}

impl TryIntoTier for &str {
    fn try_into_tier(self) -> refund_domain::warranty::TierName {
        refund_domain::warranty::TierName::new(self).unwrap()
    }
}

#[test]
fn fraud_and_regions_go_to_people() {
    let mut world = demo();
    world.units[0].device.serial =
        refund_domain::warranty::SerialNumber::new("suspect-0001").unwrap();
    let (outcome, rules) = coverage(world, "SUSPECT 0001", &problem("I dropped it"));
    assert_eq!(outcome, "RequiresHumanReview/SuspectedFraud");
    assert_eq!(rules, ["fraud.prefix:SUSPECT"]);

    let rules = refund_domain::warranty::WarrantyRules {
        review_regions: vec!["US".to_owned()],
        ..Default::default()
    };
    let policy = refund_domain::warranty::WarrantyPolicy::new(&rules).unwrap();
    let desk = refund_domain::warranty::WarrantyDesk::new(demo(), policy.into());
    for (region, outcome) in [
        ("us-ca", "RequiresHumanReview"),
        ("US", "RequiresHumanReview"),
        ("CA", "Eligible"),
    ] {
        let facts = ReportedFacts {
            region: Some(refund_domain::warranty::RegionCode::new(region).unwrap()),
            ..ReportedFacts::default()
        };
        let answer =
            now(desk.check_coverage(&identifier("AX2-0001-0001"), date(TODAY), &facts)).unwrap();
        assert_eq!(answer.evaluation.outcome.as_str(), outcome);
        if outcome != "Eligible" {
            let fired: Vec<String> = answer
                .evaluation
                .rules
                .iter()
                .map(RuleId::to_string)
                .collect();
            assert_eq!(fired, ["warranty.tier:standard", "region:US"]);
        }
    }
}

#[test]
fn the_first_rule_that_fires_decides() {
    for (text, outcome, rules) in [
        (
            "I dropped it",
            "NotEligible/ExcludedCause",
            &["cause.impact"][..],
        ),
        (
            "it got wet and scratched",
            "NotEligible/ExcludedCause",
            &["cause.liquid", "cause.cosmetic"],
        ),
        (
            "no water damage, not dropped",
            "Eligible/InWarrantyConfirmedDefect",
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "connection drop every hour",
            "Eligible/InWarrantyConfirmedDefect",
            &["warranty.tier:standard", "warranty.active"],
        ),
        (
            "it may have been dropped",
            "RequiresHumanReview/ExcludedCauseUnclear",
            &["cause.unclear:impact"],
        ),
        (
            "maybe wet, and it was dropped",
            "NotEligible/ExcludedCause",
            &["cause.impact"],
        ),
        (
            "水没しました",
            "NotEligible/ExcludedCause",
            &["cause.liquid"],
        ),
        (
            "水没はしていません",
            "Eligible/InWarrantyConfirmedDefect",
            &["warranty.tier:standard", "warranty.active"],
        ),
    ] {
        let (found, fired) = coverage(demo(), "AX2-0001-0001", &problem(text));
        assert_eq!(
            (found.as_str(), fired),
            (
                outcome,
                rules.iter().map(|rule| (*rule).to_owned()).collect()
            ),
            "{text}"
        );
    }
    // An open return before a cause; a cause before the window; the window before a missing proof; a
    // missing proof before the warranty.
    let no_proof = ReportedFacts {
        proof_of_purchase: Some(false),
        ..problem("fine")
    };
    for (serial, facts, rule) in [
        ("AX2-0001-0002", &problem("dropped"), "return.open"),
        ("BX1-0003-0001", &problem("dropped"), "cause.impact"),
        ("BX1-0003-0001", &no_proof, "window.return"),
        ("AX2-0001-0005", &no_proof, "proof.missing"),
        ("AX2-0001-0001", &no_proof, "proof.missing"),
    ] {
        assert_eq!(coverage(demo(), serial, facts).1, [rule], "{serial}");
    }
}

#[test]
fn the_window_is_730_days_and_needs_a_ship_date() {
    let mut world = demo();
    for (shipped, outcome) in [
        (Some("2024-03-01"), "Eligible/InWarrantyConfirmedDefect"),
        (Some("2024-02-29"), "NotEligible/OutsideReturnWindow"),
        (Some("2026-03-02"), "Eligible/InWarrantyConfirmedDefect"),
        // Case R-094: unknown is neither.
        (None, "Eligible/InWarrantyConfirmedDefect"),
    ] {
        world.units[0].device.shipped_on = shipped.map(date);
        let (found, _) = coverage(world.clone(), "AX2-0001-0001", &ReportedFacts::default());
        assert_eq!(found, outcome, "{shipped:?}");
    }
}
