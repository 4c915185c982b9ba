//! `find_device`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::CivilDate;
use refund_domain::warranty::{
    Device, DeviceAnswer, DeviceFound, Identifier, MatchedOn, ShownDevice, Warranty,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::argument::given;
use crate::decode::ToolInput;
use crate::number::Number;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::schema::words;
use crate::warranty_argument::{DayArgument, IdentifierArgument};
use crate::warranty_output::{ProductSummary, SuggestedUnit, suggested};

/// The arguments of `find_device`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindDeviceInput {
    /// The unit's serial number, MAC address, IMEI or asset tag, as a string, for example
    /// "AX2-0001-0001". Case, blanks and punctuation do not matter.
    #[garde(dive)]
    identifier: IdentifierArgument,
    /// Whether to show a unit that has an open return. Leave it out or false, unless you have a reason
    /// to see such a unit.
    #[serde(default)]
    #[garde(skip)]
    include_units_with_open_returns: bool,
    /// The day for which the warranty is told, written yyyy-MM-dd. Left out, it is the server's day,
    /// which asOf names.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "DayArgument")]
    #[garde(dive)]
    today: Option<DayArgument>,
}

impl FindDeviceInput {
    /// The identifier, the day if one was given, and whether units with open returns are wanted.
    #[must_use]
    pub fn into_parts(self) -> (Identifier, Option<CivilDate>, bool) {
        (
            self.identifier.into_domain(),
            self.today.map(DayArgument::into_domain),
            self.include_units_with_open_returns,
        )
    }
}

impl ToolInput for FindDeviceInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<FindDeviceInput>);
        &RULES
    }
}

/// The answer of `find_device`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindDeviceOutput {
    /// Whether a unit was found.
    found: bool,
    /// Whether the unit that was found is not shown, because it has an open return.
    suppressed: bool,
    /// Why it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    suppression_reason: Option<&'static str>,
    /// The unit that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DeviceSummary")]
    device: Option<DeviceSummary>,
    /// The warranty that governs the day asOf. Absent if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WarrantySummary")]
    warranty: Option<WarrantySummary>,
    /// Whether a plan covers the unit on the day asOf.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    is_in_warranty: Option<bool>,
    /// Whether the unit that was found has an open return: do not open another one.
    has_open_return: bool,
    /// By what the unit was found. fuzzy: the identifier is only nearly one of the unit's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "matched_on")]
    matched_on: Option<&'static str>,
    /// How well the identifier fits, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Number")]
    match_score: Option<Number>,
    /// Whether the customer has to confirm the serial number before it is used.
    requires_confirmation: bool,
    /// Up to 3 units that may be meant, if none was found.
    suggestions: Vec<SuggestedUnit>,
    /// The day that the answer is about, yyyy-MM-dd.
    as_of: String,
    /// What this answer is and is not, and what to do next.
    note: String,
}

/// A unit, as far as it takes to confirm that it is the right one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DeviceSummary {
    /// The unit's id for other tools: its serial number as it is stored.
    device_id: Personal,
    /// The unit's serial number.
    serial_number: Personal,
    /// The unit's MAC address. Like the IMEI and the asset tag, absent where the identifier is only nearly
    /// one of the unit's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    mac_address: Option<Personal>,
    /// The unit's IMEI.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    imei: Option<Personal>,
    /// The customer's number for the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    asset_tag: Option<Personal>,
    /// What the unit is.
    product: ProductSummary,
}

/// A warranty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WarrantySummary {
    /// The plan's name.
    plan_name: String,
    /// The plan's tier.
    tier: String,
    /// The plan's first day, yyyy-MM-dd.
    start_date: String,
    /// The plan's last day, yyyy-MM-dd.
    end_date: String,
}

impl DeviceSummary {
    /// A near miss is confirmed by its serial number: nobody learns the others from it.
    fn of(shown: &ShownDevice) -> Self {
        let unit = &shown.unit;
        let told = shown.matched_on != MatchedOn::Fuzzy;
        let Device {
            serial,
            mac,
            imei,
            asset_tag,
            ..
        } = &unit.device;
        Self {
            device_id: Personal::new(serial.as_str()),
            serial_number: Personal::new(serial.as_str()),
            mac_address: (mac.as_ref().filter(|_| told)).map(|mac| Personal::new(mac.as_str())),
            imei: (imei.as_ref().filter(|_| told)).map(|imei| Personal::new(imei.as_str())),
            asset_tag: (asset_tag.as_ref().filter(|_| told)).map(|tag| Personal::new(tag.as_str())),
            product: (&unit.product).into(),
        }
    }
}

impl From<&Warranty> for WarrantySummary {
    fn from(warranty: &Warranty) -> Self {
        Self {
            plan_name: warranty.plan.to_string(),
            tier: warranty.tier.to_string(),
            start_date: warranty.period.start().to_string(),
            end_date: warranty.period.end().to_string(),
        }
    }
}

impl From<&DeviceAnswer> for FindDeviceOutput {
    fn from(answer: &DeviceAnswer) -> Self {
        let shown = match &answer.found {
            DeviceFound::Shown(shown) => Some(shown),
            DeviceFound::Nothing | DeviceFound::Suppressed { .. } => None,
        };
        let suppressed = matches!(answer.found, DeviceFound::Suppressed { .. });
        Self {
            found: suppressed || shown.is_some(),
            suppressed,
            suppression_reason: answer.suppression_reason(),
            device: shown.map(|shown| DeviceSummary::of(shown)),
            warranty: shown
                .and_then(|shown| shown.cover.warranty())
                .map(WarrantySummary::from),
            is_in_warranty: shown.map(|shown| shown.cover.is_covered()),
            has_open_return: suppressed || shown.is_some_and(|shown| shown.unit.has_open_return()),
            matched_on: shown.map(|shown| shown.matched_on.as_str()),
            match_score: shown.map(|shown| shown.score.into()),
            requires_confirmation: answer.requires_confirmation(),
            suggestions: suggested(&answer.suggestions),
            as_of: answer.as_of.to_string(),
            note: answer.note(),
        }
    }
}

fn matched_on(_: &mut SchemaGenerator) -> Schema {
    words(MatchedOn::ALL.map(MatchedOn::as_str))
}
