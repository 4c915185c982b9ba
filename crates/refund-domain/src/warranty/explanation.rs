//! What a customer may be told about an evaluation.
//!
//! *Invariant:* an explanation names what was checked and nothing else. The one of an eligible case
//! does not speak of troubleshooting, because none was evaluated.

use crate::CivilDate;
use crate::warranty::{
    Cause, Cover, CoverageReason, Evaluation, RuleId, UnitRecord, WarrantyPolicy,
};

/// What a customer may be told.
#[must_use]
pub fn explanation(
    evaluation: &Evaluation,
    unit: Option<&UnitRecord>,
    today: CivilDate,
    policy: &WarrantyPolicy,
) -> String {
    let Some(unit) = unit else {
        return "We could not find a unit with this identifier, so its coverage cannot be confirmed. Please check the number on the unit's label.".to_owned();
    };
    match evaluation.reason {
        CoverageReason::DeviceNotFound => {
            "We could not find this unit, so its coverage cannot be confirmed.".to_owned()
        }
        CoverageReason::SuspectedFraud => {
            "A colleague needs to look at this case before anything can be decided.".to_owned()
        }
        CoverageReason::DuplicateOpenRequest if unit.has_open_return() => {
            "A return of this unit is already open. A colleague needs to look at it before anything else is decided.".to_owned()
        }
        CoverageReason::DuplicateOpenRequest => {
            "An open return was reported for this unit. A colleague needs to check that before anything else is decided.".to_owned()
        }
        CoverageReason::ExcludedCause => format!(
            "The description of the problem speaks of {}, which the warranty does not cover.",
            causes(&evaluation.rules)
        ),
        CoverageReason::ExcludedCauseUnclear => format!(
            "The description of the problem leaves open whether there is {}, which the warranty would not cover. A colleague needs to look at this case.",
            causes(&evaluation.rules)
        ),
        CoverageReason::OutsideReturnWindow => {
            let shipped = match unit.device.shipped_on {
                Some(day) => format!("The unit was shipped on {day}"),
                None => "The unit was shipped".to_owned(),
            };
            format!(
                "{shipped}, more than {} days before {today}, so it can no longer be returned.",
                policy.return_window_days()
            )
        }
        CoverageReason::ProofOfPurchaseMissing => {
            "There is no proof of purchase, so a colleague needs to look at this case.".to_owned()
        }
        CoverageReason::OutOfWarranty => out_of_warranty(&evaluation.cover, today),
        CoverageReason::EscalatedToAgent => {
            "Cases from this region are decided by a colleague.".to_owned()
        }
        CoverageReason::InWarrantyConfirmedDefect => covered(&evaluation.cover, unit, today),
    }
}

fn out_of_warranty(cover: &Cover, today: CivilDate) -> String {
    match cover {
        Cover::Uncovered(warranty) => format!(
            "The plan {} (tier {}) does not cover repairs. The unit can be repaired for a fee.",
            warranty.plan, warranty.tier
        ),
        Cover::None | Cover::Covered(_) => {
            format!("No warranty of this unit covers {today}. The unit can be repaired for a fee.")
        }
    }
}

fn covered(cover: &Cover, unit: &UnitRecord, today: CivilDate) -> String {
    let Some(warranty) = cover.warranty() else {
        return format!("We checked the unit and its warranty on {today}.");
    };
    let end = warranty.period.end();
    let dates = if end < today {
        format!("ended on {end} and is still honoured on {today}, within its days of grace")
    } else {
        format!(
            "runs from {} to {end} and so covers {today}",
            warranty.period.start()
        )
    };
    format!(
        "We checked the unit {} ({}), its warranty, its dates and our return policy: the plan {} (tier {}) {dates}, and nothing in the policy speaks against coverage.",
        unit.device.serial.as_str(),
        unit.product.name,
        warranty.plan,
        warranty.tier
    )
}

fn causes(rules: &[RuleId]) -> String {
    let names: Vec<&str> = rules
        .iter()
        .filter_map(|rule| match rule {
            RuleId::CauseStated(cause) | RuleId::CauseUnclear(cause) => Some(match cause {
                Cause::Liquid => "damage by liquid",
                Cause::Impact => "damage by a fall or a blow",
                Cause::Cosmetic => "cosmetic damage",
            }),
            _ => None,
        })
        .collect();
    names.join(" and ")
}
