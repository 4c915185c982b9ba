//! What every answer says of itself, for the model that reads it: that it approves nothing, and what
//! to do next.

use crate::warranty::{
    AddressFound, AddressMatch, Cover, CoverageAnswer, CoverageOutcome, CustomerSearchAnswer,
    DeviceAnswer, DeviceFound, DeviceSearchAnswer, Evaluation, MatchedOn, OpenReturnsAnswer,
};

/// What every answer says: nothing was decided by asking.
pub const EVALUATION_NOTE: &str = "This is a policy evaluation, not an approval: no return was created, approved or changed, and allowsRmaCreation is always false.";

/// What every answer of a lookup says.
pub const LOOKUP_NOTE: &str = "This is a lookup for an evaluation, not an approval: no return was created, approved or changed.";

const CONFIRM: &str = "The unit was not identified. Ask the customer to confirm one of the suggestions, and ask again with its serial number in full.";

fn with(first: &str, note: &str) -> String {
    if first.is_empty() {
        note.to_owned()
    } else {
        format!("{first} {note}")
    }
}

/// What a quote says of itself: what is owed, in words.
#[must_use]
pub fn quote_note(evaluation: &Evaluation) -> String {
    let owed = match (&evaluation.cover, evaluation.outcome) {
        (Cover::Covered(_), CoverageOutcome::Eligible) => {
            "The plan covers this unit: nothing is owed for a covered defect, and repairFee is what the repair would cost without cover.".to_owned()
        }
        (Cover::Covered(_), outcome) => format!(
            "The plan covers this unit, and repairFee is what the repair would cost without cover. The case itself is {} ({}): ask check_warranty_coverage before you speak of a price.",
            outcome.as_str(),
            evaluation.reason.as_str()
        ),
        (Cover::None | Cover::Uncovered(_), CoverageOutcome::EligibleForPaidRepair) => {
            "No plan covers this unit on this day: repairFee is what a repair costs.".to_owned()
        }
        (Cover::None | Cover::Uncovered(_), outcome) => format!(
            "No plan covers this unit on this day, and no repair can be promised for repairFee: the case itself is {} ({}). Ask check_warranty_coverage before you speak of a price.",
            outcome.as_str(),
            evaluation.reason.as_str()
        ),
    };
    format!("{owed} {EVALUATION_NOTE}")
}

impl CoverageAnswer {
    /// What the answer says of itself.
    #[must_use]
    pub fn note(&self) -> String {
        let first = if self.suggestions.is_empty() {
            ""
        } else {
            CONFIRM
        };
        with(first, EVALUATION_NOTE)
    }
}

impl DeviceAnswer {
    /// What the answer says of itself.
    #[must_use]
    pub fn note(&self) -> String {
        let first = match &self.found {
            DeviceFound::Nothing if self.suggestions.is_empty() => {
                "No unit has this identifier. Check it with the customer; do not guess another one."
            }
            DeviceFound::Nothing => CONFIRM,
            DeviceFound::Suppressed { .. } => "",
            DeviceFound::Shown(shown) if shown.matched_on == MatchedOn::Fuzzy => {
                "The identifier is only nearly that of this unit. Ask the customer to confirm the serial number before you use it."
            }
            DeviceFound::Shown(_) => "",
        };
        with(first, LOOKUP_NOTE)
    }

    /// Why a unit that was found is not shown.
    #[must_use]
    pub fn suppression_reason(&self) -> Option<&'static str> {
        matches!(self.found, DeviceFound::Suppressed { .. }).then_some(
            "A return of this unit is already open, so it is not shown. If you have a reason to see it, ask again with includeUnitsWithOpenReturns true.",
        )
    }
}

impl DeviceSearchAnswer {
    /// Whether more units fit than are listed.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.matches > self.units.len() as u64
    }

    /// What the answer says of itself.
    #[must_use]
    pub fn note(&self) -> String {
        let first = if self.truncated() {
            "More units fit than are listed. Ask the customer for a serial number and use find_device."
        } else {
            ""
        };
        with(first, LOOKUP_NOTE)
    }
}

impl OpenReturnsAnswer {
    /// What the answer says of itself.
    #[must_use]
    pub fn note(&self) -> String {
        let first = if self.returns.is_empty() {
            ""
        } else {
            "A return of this unit is open: do not open another one."
        };
        with(first, LOOKUP_NOTE)
    }
}

impl CustomerSearchAnswer {
    /// What the answer says of itself.
    #[must_use]
    pub fn note(&self) -> String {
        let first = if self.look_alike_letters {
            "No customer has this e-mail address. It has letters outside the English alphabet, which may only look like the right ones: ask the customer to spell it."
        } else if self.requires_confirmation() {
            "Ask the customer to confirm who they are before you use a candidate."
        } else if self.matches == 0 && self.refusal.is_none() {
            "No customer fits everything that was asked for. If you gave several criteria, try one of them alone."
        } else {
            ""
        };
        with(first, LOOKUP_NOTE)
    }
}

impl AddressMatch {
    /// What the answer says of itself.
    #[must_use]
    pub fn note(&self) -> String {
        let first = match self.found {
            AddressFound::Resolved(_) => "",
            AddressFound::Fallback(..) | AddressFound::NoAddress => {
                "The text was not matched to an address: do not ship anything before the customer confirms one."
            }
        };
        with(first, LOOKUP_NOTE)
    }
}
