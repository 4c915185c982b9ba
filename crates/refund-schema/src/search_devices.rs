//! `search_devices`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::warranty::{DeviceCriteria, DeviceSearchAnswer, ListedUnit, Score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::argument::given;
use crate::decode::ToolInput;
use crate::number::Number;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::warranty_argument::{CriterionArgument, TakeArgument};
use crate::warranty_output::ProductSummary;

/// The arguments of `search_devices`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchDevicesInput {
    /// The product's name or words of it, for example "handheld terminal". At least one of productName,
    /// model and sku is needed, and a unit must fit each that is given.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "CriterionArgument")]
    #[garde(dive)]
    product_name: Option<CriterionArgument>,
    /// The model, for example "AX-200".
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "CriterionArgument")]
    #[garde(dive)]
    model: Option<CriterionArgument>,
    /// The product's number, for example "AX-200-HS".
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "CriterionArgument")]
    #[garde(dive)]
    sku: Option<CriterionArgument>,
    /// How many units to list at most: an integer from 1 to 25, 10 if it is left out.
    #[serde(default = "TakeArgument::usual_devices")]
    #[garde(dive)]
    take: TakeArgument,
}

impl SearchDevicesInput {
    /// What is known of the product, and how many units to list.
    #[must_use]
    pub fn into_parts(self) -> (DeviceCriteria, u32) {
        let criteria = DeviceCriteria {
            product_name: self.product_name.map(CriterionArgument::into_domain),
            model: self.model.map(CriterionArgument::into_domain),
            sku: self.sku.map(CriterionArgument::into_domain),
        };
        (criteria, self.take.rows())
    }
}

impl ToolInput for SearchDevicesInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<SearchDevicesInput>);
        &RULES
    }
}

/// The answer of `search_devices`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchDevicesOutput {
    /// How many units without an open return fit in all.
    match_count: u64,
    /// Whether more units fit than are listed.
    truncated: bool,
    /// How many units that fit are left out because they have an open return.
    suppressed_count: u64,
    /// Why the search was not made. Absent if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    refusal_reason: Option<String>,
    /// The units that fit, the best first.
    devices: Vec<ListedDevice>,
    /// What this answer is and is not, and what to do next.
    note: String,
}

/// A unit in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ListedDevice {
    /// The unit's id for other tools: its serial number as it is stored.
    device_id: Personal,
    /// The unit's serial number.
    serial_number: Personal,
    /// What the unit is.
    product: ProductSummary,
    /// How well the product fits, from 0 to 1.
    match_score: Number,
}

impl From<&(ListedUnit, Score)> for ListedDevice {
    fn from((unit, score): &(ListedUnit, Score)) -> Self {
        let serial = unit.device.serial.as_str();
        Self {
            device_id: Personal::new(serial),
            serial_number: Personal::new(serial),
            product: (&unit.product).into(),
            match_score: (*score).into(),
        }
    }
}

impl From<&DeviceSearchAnswer> for SearchDevicesOutput {
    fn from(answer: &DeviceSearchAnswer) -> Self {
        Self {
            match_count: answer.matches,
            truncated: answer.truncated(),
            suppressed_count: answer.suppressed,
            refusal_reason: answer.refusal.map(|refusal| refusal.to_string()),
            devices: answer.units.iter().map(ListedDevice::from).collect(),
            note: answer.note(),
        }
    }
}
