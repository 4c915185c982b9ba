//! `get_fee_quote`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::CivilDate;
use refund_domain::warranty::{Identifier, QuoteAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decode::ToolInput;
use crate::number::Number;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::warranty_argument::{DayArgument, IdentifierArgument};
use crate::warranty_output::{NeverAllowed, SuggestedUnit, suggested};

/// The arguments of `get_fee_quote`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetFeeQuoteInput {
    /// The unit's serial number, MAC address, IMEI or asset tag in full, as a string, for example
    /// "AX2-0001-0005". Case, blanks and punctuation do not matter. A part of one, a model or a word
    /// identifies nothing.
    #[garde(dive)]
    identifier: IdentifierArgument,
    /// The day to judge, written yyyy-MM-dd, for example "2026-03-01": usually today where the customer
    /// is. The same day gives the same answer whenever you ask.
    #[garde(dive)]
    today: DayArgument,
}

impl GetFeeQuoteInput {
    /// The identifier and the day.
    #[must_use]
    pub fn into_parts(self) -> (Identifier, CivilDate) {
        (self.identifier.into_domain(), self.today.into_domain())
    }
}

impl ToolInput for GetFeeQuoteInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<GetFeeQuoteInput>);
        &RULES
    }
}

/// The answer of `get_fee_quote`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetFeeQuoteOutput {
    /// Whether the identifier names exactly one unit. If false, there is no fee.
    identified: bool,
    /// The product's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    product_sku: Option<String>,
    /// What the unit is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    product_name: Option<String>,
    /// The unit's serial number. Like what the unit is and its tier, absent where a return is open and
    /// the unit was not asked for by its serial number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    serial_number: Option<Personal>,
    /// The tier of the plan that governs the day. Absent if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    warranty_tier: Option<String>,
    /// Whether a plan covers the unit on the day. If true, repairFee is what the repair would cost
    /// without cover, and not what is owed for a covered defect.
    plan_is_covered: bool,
    /// What a repair costs without cover, in currencyCode.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Number")]
    repair_fee: Option<Number>,
    /// What is paid before a repair, in currencyCode.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Number")]
    deposit_amount: Option<Number>,
    /// The currency, as an ISO 4217 code such as USD.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    currency_code: Option<&'static str>,
    /// How many business days a repair takes under the plan. Absent if none governs the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16")]
    turnaround_business_days: Option<u16>,
    /// Always false: this tool quotes, and no answer of it allows that a return is created.
    allows_rma_creation: NeverAllowed,
    /// Up to 3 units that may be meant, if none was identified.
    suggestions: Vec<SuggestedUnit>,
    /// What is owed in words, and what this answer is not.
    note: String,
}

impl From<&QuoteAnswer> for GetFeeQuoteOutput {
    fn from(answer: &QuoteAnswer) -> Self {
        let quote = answer.quote.as_ref();
        let shown = quote.filter(|quote| !quote.hidden);
        let tier = shown.and_then(|quote| quote.cover.warranty());
        Self {
            identified: quote.is_some(),
            product_sku: shown.map(|quote| quote.unit.product.sku.to_string()),
            product_name: shown.map(|quote| quote.unit.product.name.to_string()),
            serial_number: shown.map(|quote| Personal::new(quote.unit.device.serial.as_str())),
            warranty_tier: tier.map(|warranty| warranty.tier.to_string()),
            plan_is_covered: quote.is_some_and(|quote| quote.cover.is_covered()),
            repair_fee: quote.map(|quote| quote.fee.fee.into()),
            deposit_amount: quote.map(|quote| quote.fee.deposit.into()),
            currency_code: quote.map(|quote| quote.fee.fee.currency().code()),
            turnaround_business_days: quote.and_then(|quote| quote.turnaround_business_days),
            allows_rma_creation: NeverAllowed,
            suggestions: suggested(&answer.suggestions),
            note: answer.note.clone(),
        }
    }
}
