//! `check_warranty_coverage`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::CivilDate;
use refund_domain::warranty::{
    CoverageAnswer, CoverageOutcome, CoverageReason, Identifier, ReportedFacts,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::argument::given;
use crate::decode::ToolInput;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::schema::words;
use crate::warranty_argument::{DayArgument, IdentifierArgument, ProblemArgument, RegionArgument};
use crate::warranty_output::{NeverAllowed, SuggestedUnit, suggested};

/// The arguments of `check_warranty_coverage`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckWarrantyCoverageInput {
    /// The unit's serial number, MAC address, IMEI or asset tag in full, as a string, for example
    /// "AX2-0001-0001". Case, blanks and punctuation do not matter. A part of one, a model or a word
    /// identifies nothing.
    #[garde(dive)]
    identifier: IdentifierArgument,
    /// The day to judge, written yyyy-MM-dd, for example "2026-03-01": usually today where the customer
    /// is. The same day gives the same answer whenever you ask.
    #[garde(dive)]
    today: DayArgument,
    /// What the customer says is wrong, in their own words, at most 4000 characters. Do not add, drop
    /// or interpret anything.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "ProblemArgument")]
    #[garde(dive)]
    problem_description: Option<ProblemArgument>,
    /// Where the customer is: a country such as "US", or a part of one such as "US-CA". Leave it out if
    /// you do not know.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "RegionArgument")]
    #[garde(dive)]
    region_code: Option<RegionArgument>,
    /// Whether a proof of purchase is on file. Leave it out if you do not know: unknown is neither true
    /// nor false.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "bool")]
    #[garde(skip)]
    proof_of_purchase_on_file: Option<bool>,
    /// true if you know of an open return that may not be recorded yet. false changes nothing: recorded
    /// open returns always count.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "bool")]
    #[garde(skip)]
    has_open_return: Option<bool>,
}

impl CheckWarrantyCoverageInput {
    /// The identifier, the day, and what the caller says.
    #[must_use]
    pub fn into_parts(self) -> (Identifier, CivilDate, ReportedFacts) {
        (
            self.identifier.into_domain(),
            self.today.into_domain(),
            ReportedFacts {
                problem: self.problem_description.map(ProblemArgument::into_domain),
                region: self.region_code.map(RegionArgument::into_domain),
                proof_of_purchase: self.proof_of_purchase_on_file,
                has_open_return: self.has_open_return,
            },
        )
    }
}

impl ToolInput for CheckWarrantyCoverageInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<CheckWarrantyCoverageInput>);
        &RULES
    }
}

/// The answer of `check_warranty_coverage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckWarrantyCoverageOutput {
    /// Whether the identifier names exactly one unit. If false, nothing is known about coverage.
    identified: bool,
    /// The unit's serial number. Like what the unit is and its plan, absent where a return is open and
    /// the unit was not asked for by its serial number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    serial_number: Option<Personal>,
    /// What the unit is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    product_name: Option<String>,
    /// The plan that governs the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    warranty_plan: Option<String>,
    /// The plan's tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    warranty_tier: Option<String>,
    /// The plan's last day, yyyy-MM-dd. It is honoured for some days of grace after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    warranty_ends_on: Option<String>,
    /// Eligible: covered. EligibleForPaidRepair: not covered, a repair can be paid for. NotEligible:
    /// neither. RequiresHumanReview: a person decides; promise nothing.
    #[schemars(schema_with = "eligibility")]
    eligibility: &'static str,
    /// Why, as one word.
    #[schemars(schema_with = "reason")]
    reason: &'static str,
    /// What you may tell the customer, word for word. Say no more than that.
    explanation: Personal,
    /// The rules that fired, in their order; the last one decided.
    matched_rule_ids: Vec<String>,
    /// Always false: this tool evaluates, and no answer of it allows that a return is created.
    allows_rma_creation: NeverAllowed,
    /// Up to 3 units that may be meant, if none was identified.
    suggestions: Vec<SuggestedUnit>,
    /// What this answer is and is not, and what to do next.
    note: String,
}

impl From<&CoverageAnswer> for CheckWarrantyCoverageOutput {
    fn from(answer: &CoverageAnswer) -> Self {
        let unit = answer.unit.as_ref().filter(|_| !answer.hidden);
        let warranty = answer.evaluation.cover.warranty();
        let warranty = warranty.filter(|_| !answer.hidden);
        Self {
            identified: answer.unit.is_some(),
            serial_number: unit.map(|unit| Personal::new(unit.device.serial.as_str())),
            product_name: unit.map(|unit| unit.product.name.to_string()),
            warranty_plan: warranty.map(|warranty| warranty.plan.to_string()),
            warranty_tier: warranty.map(|warranty| warranty.tier.to_string()),
            warranty_ends_on: warranty.map(|warranty| warranty.period.end().to_string()),
            eligibility: answer.evaluation.outcome.as_str(),
            reason: answer.evaluation.reason.as_str(),
            explanation: Personal::new(&answer.explanation),
            matched_rule_ids: answer
                .evaluation
                .rules
                .iter()
                .map(ToString::to_string)
                .collect(),
            allows_rma_creation: NeverAllowed,
            suggestions: suggested(&answer.suggestions),
            note: answer.note(),
        }
    }
}

fn eligibility(_: &mut SchemaGenerator) -> Schema {
    words(CoverageOutcome::ALL.map(CoverageOutcome::as_str))
}

fn reason(_: &mut SchemaGenerator) -> Schema {
    words(CoverageReason::ALL.map(CoverageReason::as_str))
}
