//! What customers write about a problem, and what becomes of their case: nobody whose text states an
//! excluded cause is told that the unit is covered, nobody whose text does not is refused.

use std::collections::BTreeMap;

use refund_domain::warranty::{
    CoverageOutcome, ProblemText, ReportedFacts, WarrantyPolicy, evaluate,
};

use crate::support::{TODAY, date, demo};

/// The outcome of a text for a unit that is covered but for what the text says.
fn outcome(text: &str) -> CoverageOutcome {
    let world = demo();
    let facts = ReportedFacts {
        problem: Some(ProblemText::new(text).unwrap()),
        ..ReportedFacts::default()
    };
    let policy = WarrantyPolicy::default();
    let unit = world.units.first();
    evaluate(unit, date(TODAY), &facts, &policy)
        .unwrap()
        .outcome
}

#[test]
fn labelled_texts_come_to_what_they_say() {
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for line in include_str!("problem_texts.txt").lines() {
        let Some((label, text)) = line.split_once(" | ") else {
            continue;
        };
        let text = text.replace("{200b}", "\u{200b}").replace("{ad}", "\u{ad}");
        let outcome = outcome(&text);
        *counts.entry((label, outcome.as_str())).or_default() += 1;
        let (good, tolerable) = match label {
            "stated" => (CoverageOutcome::NotEligible, true),
            "no" => (CoverageOutcome::Eligible, true),
            _ => (CoverageOutcome::RequiresHumanReview, false),
        };
        if outcome != good {
            let line = format!("{label}, {}: {text}", outcome.as_str());
            if tolerable && outcome == CoverageOutcome::RequiresHumanReview {
                asked.push(line);
            } else {
                wrong.push(line);
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{counts:?}");
    // A person may be asked more than a reader would ask, within reason.
    assert!(asked.len() <= 9, "{counts:?} {asked:#?}");
}
