//! The promises of the warranty desk, over every unit and many days and facts.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use refund_domain::CivilDate;
use refund_domain::warranty::{
    Cover, CoverageOutcome, CoverageReason, DeviceFound, EVALUATION_NOTE, LOOKUP_NOTE, ProblemText,
    RegionCode, ReportedFacts, WarrantyDesk, WarrantyPolicy, WarrantyRules, evaluate,
};

use crate::support::{Memory, TODAY, date, demo, desk, identifier, now, problem, warranty};

/// The usual policy, with a region that people decide.
static STRICT: LazyLock<Arc<WarrantyPolicy>> = LazyLock::new(|| {
    let rules = WarrantyRules {
        review_regions: vec!["US".to_owned()],
        ..WarrantyRules::default()
    };
    Arc::new(WarrantyPolicy::new(&rules).unwrap())
});

/// How much an outcome gives.
fn gives(outcome: CoverageOutcome) -> u8 {
    match outcome {
        CoverageOutcome::Eligible => 2,
        CoverageOutcome::EligibleForPaidRepair => 1,
        CoverageOutcome::NotEligible | CoverageOutcome::RequiresHumanReview => 0,
    }
}

fn day() -> impl Strategy<Value = CivilDate> {
    (-1_500_i64..1_500).prop_map(|days| {
        CivilDate::new(date(TODAY).naive() + chrono::TimeDelta::days(days)).unwrap()
    })
}

fn facts() -> impl Strategy<Value = ReportedFacts> {
    let text = prop::sample::select(vec![
        "dead on arrival",
        "I dropped it",
        "no water damage",
        "maybe wet",
        "水没しました",
        "connection dropped",
        "",
    ]);
    (
        prop::option::of(text),
        prop::option::of(prop::sample::select(vec!["US", "US-CA", "JP"])),
        any::<Option<bool>>(),
        any::<Option<bool>>(),
    )
        .prop_map(
            |(problem, region, proof_of_purchase, has_open_return)| ReportedFacts {
                problem: problem.map(|text| ProblemText::new(text).unwrap()),
                region: region.map(|region| RegionCode::new(region).unwrap()),
                proof_of_purchase,
                has_open_return,
            },
        )
}

/// A unit of the demonstration data, with more warranties.
fn world() -> impl Strategy<Value = (Memory, usize)> {
    let more = (
        prop::sample::select(vec!["standard", "extended", "premium", "no-service"]),
        day(),
        0_i64..1_000,
    );
    (0..demo().units.len(), prop::collection::vec(more, 0..3)).prop_map(|(place, more)| {
        let mut world = demo();
        for (tier, start, days) in more {
            let end = CivilDate::new(start.naive() + chrono::TimeDelta::days(days)).unwrap();
            world.units[place]
                .warranties
                .push(warranty(tier, start, end));
        }
        (world, place)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// Promise 5: what a caller says never makes an outcome more generous.
    #[test]
    fn facts_only_make_it_stricter((world, place) in world(), today in day(), facts in facts()) {
        let policy = &**STRICT;
        let unit = Some(&world.units[place]);
        let without = evaluate(unit, today, &ReportedFacts::default(), policy).unwrap();
        let with = evaluate(unit, today, &facts, policy).unwrap();
        prop_assert!(gives(with.outcome) <= gives(without.outcome));
        // Nor does leaving one of them out make it stricter.
        for fewer in [
            ReportedFacts { problem: None, ..facts.clone() },
            ReportedFacts { region: None, ..facts.clone() },
            ReportedFacts { proof_of_purchase: None, ..facts.clone() },
            ReportedFacts { has_open_return: None, ..facts.clone() },
        ] {
            let fewer = evaluate(unit, today, &fewer, policy).unwrap();
            prop_assert!(gives(with.outcome) <= gives(fewer.outcome));
        }
        // Omitted and true are the same for a proof, omitted and false for an open return.
        let spoken = ReportedFacts {
            proof_of_purchase: facts.proof_of_purchase.or(Some(true)),
            has_open_return: facts.has_open_return.or(Some(false)),
            ..facts.clone()
        };
        prop_assert_eq!(evaluate(unit, today, &spoken, policy).unwrap(), with);
    }

    /// Promise 6: one evaluator, so that coverage, quotes and lookups never contradict each other.
    #[test]
    fn what_is_covered_is_never_quoted_as_owed((world, place) in world(), today in day()) {
        let serial = identifier(world.units[place].device.serial.as_str());
        let desk = desk(world);
        let coverage = now(desk.check_coverage(&serial, today, &ReportedFacts::default())).unwrap();
        let answer = now(desk.fee_quote(&serial, today)).unwrap();
        let quote = answer.quote.unwrap();
        let device = now(desk.find_device(&serial, today, true)).unwrap();
        let DeviceFound::Shown(shown) = device.found else {
            return Err(TestCaseError::fail("not found"));
        };
        prop_assert_eq!(&quote.cover, &coverage.evaluation.cover);
        prop_assert_eq!(&quote.cover, &shown.cover);
        if coverage.evaluation.outcome == CoverageOutcome::Eligible {
            prop_assert!(quote.cover.is_covered());
            prop_assert!(answer.note.contains("nothing is owed"));
        } else {
            prop_assert!(!answer.note.contains("nothing is owed"));
        }
        if coverage.evaluation.reason == CoverageReason::OutOfWarranty {
            prop_assert!(!quote.cover.is_covered());
        }
        let pays = matches!(quote.cover, Cover::Covered(_));
        prop_assert_eq!(answer.note.contains("No plan covers"), !pays);
        // A price is promised for a repair that coverage allows, and for no other.
        let paid = coverage.evaluation.outcome == CoverageOutcome::EligibleForPaidRepair;
        prop_assert_eq!(answer.note.contains("is what a repair costs"), paid);
        let word = coverage.evaluation.reason.as_str();
        let turned_down = !paid && coverage.evaluation.outcome != CoverageOutcome::Eligible;
        prop_assert_eq!(answer.note.contains(word), turned_down);
    }

    /// Promise 9: the same question has the same answer, whatever order the store keeps things in.
    #[test]
    fn answers_do_not_depend_on_the_order_of_rows((world, place) in world(), today in day(), facts in facts()) {
        let serial = identifier(world.units[place].device.serial.as_str());
        let mut other = world.clone();
        for unit in &mut other.units {
            unit.warranties.reverse();
        }
        other.units.reverse();
        let policy = STRICT.clone();
        let one = now(WarrantyDesk::new(world, policy.clone()).check_coverage(&serial, today, &facts)).unwrap();
        let two = now(WarrantyDesk::new(other, policy).check_coverage(&serial, today, &facts)).unwrap();
        prop_assert_eq!(one.evaluation, two.evaluation);
        prop_assert_eq!(one.explanation, two.explanation);
    }

    /// Promise 4: nothing but an identifier in full identifies.
    #[test]
    fn a_near_miss_never_decides(place in 0_usize..14, cut in 1_usize..13, letter in "[A-Z0-9]") {
        let world = demo();
        let serial = world.units[place].device.serial.as_str().to_owned();
        let prefix: String = serial.chars().take(cut).collect();
        let with_other: String = prefix.chars().take(cut - 1).chain(letter.chars()).chain(serial.chars().skip(cut)).collect();
        let desk = desk(world.clone());
        for text in [prefix, with_other] {
            let known = world.units.iter().any(|unit| unit.device.serial.as_str() == text);
            if known || !text.contains(char::is_alphanumeric) {
                continue;
            }
            // Punctuation may have been cut or put in.
            let same = |unit: &refund_domain::warranty::UnitRecord| {
                unit.device.serial.as_str().replace('-', "") == text.replace('-', "")
            };
            if world.units.iter().any(same) {
                continue;
            }
            let answer = now(desk.check_coverage(&identifier(&text), date(TODAY), &ReportedFacts::default())).unwrap();
            prop_assert!(answer.unit.is_none(), "{text}");
            prop_assert_eq!(answer.evaluation.reason, CoverageReason::DeviceNotFound);
            prop_assert!(answer.suggestions.len() <= 3);
            prop_assert!(now(desk.fee_quote(&identifier(&text), date(TODAY))).unwrap().quote.is_none());
            // Promise 7: no suggestion names a unit whose return is open.
            prop_assert!(answer.suggestions.iter().all(|one| one.serial.as_str() != "AX2-0001-0002"));
        }
    }
}

// Promise 3.
#[test]
fn an_unknown_unit_is_not_probably_covered() {
    for text in ["NO-SUCH-SERIAL-0000", "AX2-0001-0006", "AX2", "terminal"] {
        let answer =
            now(desk(demo()).check_coverage(&identifier(text), date(TODAY), &problem("dead")))
                .unwrap();
        assert!(answer.unit.is_none());
        assert_eq!(answer.evaluation.outcome, CoverageOutcome::NotEligible);
        assert_eq!(answer.evaluation.reason, CoverageReason::DeviceNotFound);
        assert!(
            answer.explanation.contains("cannot be confirmed"),
            "{}",
            answer.explanation
        );
        assert!(!answer.explanation.contains("probably"));
    }
}

// Promise 2, in words.
#[test]
fn notes_say_that_nothing_was_approved() {
    for note in [EVALUATION_NOTE, LOOKUP_NOTE] {
        assert!(
            note.contains("evaluation") && note.contains("not an approval"),
            "{note}"
        );
    }
}

#[test]
fn explanations_are_safe_for_customers() {
    let mut suspect = demo();
    suspect.units[0].device.serial =
        refund_domain::warranty::SerialNumber::new("SUSPECT-1").unwrap();
    let policy = STRICT.clone();
    let explain = |world: Memory, serial: &str, facts: &ReportedFacts| {
        let desk = WarrantyDesk::new(world, policy.clone());
        now(desk.check_coverage(&identifier(serial), date(TODAY), facts))
            .unwrap()
            .explanation
    };
    let in_us = ReportedFacts {
        region: Some(RegionCode::new("US").unwrap()),
        ..ReportedFacts::default()
    };
    let no_proof = ReportedFacts {
        proof_of_purchase: Some(false),
        ..ReportedFacts::default()
    };
    let claimed = ReportedFacts {
        has_open_return: Some(true),
        ..ReportedFacts::default()
    };
    let none = ReportedFacts::default();
    for (world, serial, facts, text) in [
        (
            demo(),
            "AX2-0001-0001",
            &none,
            "We checked the unit AX2-0001-0001 (AX-200 Handheld Terminal), its warranty, its dates and our return policy: the plan standard plan (tier standard) runs from 2024-03-01 to 2026-11-01 and so covers 2026-03-01, and nothing in the policy speaks against coverage.",
        ),
        (
            demo(),
            "AX2-0001-0004",
            &none,
            "We checked the unit AX2-0001-0004 (AX-200 Handheld Terminal), its warranty, its dates and our return policy: the plan standard plan (tier standard) ended on 2026-01-30 and is still honoured on 2026-03-01, within its days of grace, and nothing in the policy speaks against coverage.",
        ),
        (
            demo(),
            "AX2-0001-0005",
            &none,
            "No warranty of this unit covers 2026-03-01. The unit can be repaired for a fee.",
        ),
        (
            demo(),
            "AX2-0001-0002",
            &none,
            "A return of this unit is already open. A colleague needs to look at it before anything else is decided.",
        ),
        (
            demo(),
            "AX2-0001-0001",
            &claimed,
            "An open return was reported for this unit. A colleague needs to check that before anything else is decided.",
        ),
        (
            demo(),
            "BX1-0003-0001",
            &none,
            "The unit was shipped on 2022-11-17, more than 730 days before 2026-03-01, so it can no longer be returned.",
        ),
        (
            demo(),
            "AX2-0001-0001",
            &problem("wet and cracked"),
            "The description of the problem speaks of damage by liquid and damage by a fall or a blow, which the warranty does not cover.",
        ),
        (
            demo(),
            "AX2-0001-0001",
            &problem("maybe wet"),
            "The description of the problem leaves open whether there is damage by liquid, which the warranty would not cover. A colleague needs to look at this case.",
        ),
        (
            demo(),
            "AX2-0001-0001",
            &no_proof,
            "There is no proof of purchase, so a colleague needs to look at this case.",
        ),
        (
            demo(),
            "AX2-0001-0001",
            &in_us,
            "Cases from this region are decided by a colleague.",
        ),
        (
            suspect,
            "SUSPECT-1",
            &none,
            "A colleague needs to look at this case before anything can be decided.",
        ),
    ] {
        let explanation = explain(world, serial, facts);
        assert_eq!(explanation, text);
        for word in [
            "fraud",
            "suspect",
            "troubleshoot",
            "restart",
            "reset",
            "diagnos",
            "steps",
            "confidence",
        ] {
            let said = explanation.to_lowercase().replace("suspect-1", "");
            assert!(!said.contains(word), "{explanation}");
        }
    }
}
