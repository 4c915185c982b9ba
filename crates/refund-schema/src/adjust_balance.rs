//! What `refund-mcp customers adjust` answers. No tool does this.

use refund_domain::Adjustment;
use serde::Serialize;

use crate::number::Number;

/// A balance that was corrected by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdjustBalanceOutput {
    /// The customer's id.
    customer_id: String,
    /// By how much, below zero for less.
    adjusted_by: Number,
    /// The balance after it.
    refundable_balance: Number,
    /// The currency of both.
    currency: &'static str,
    /// When: ISO 8601, UTC, with milliseconds.
    adjusted_at: String,
    /// Who did it.
    principal: String,
}

impl From<&Adjustment> for AdjustBalanceOutput {
    fn from(adjustment: &Adjustment) -> Self {
        Self {
            customer_id: adjustment.customer_id.to_string(),
            adjusted_by: adjustment.into(),
            refundable_balance: adjustment.after.into(),
            currency: adjustment.after.currency().code(),
            adjusted_at: adjustment.at.to_string(),
            principal: adjustment.principal.to_string(),
        }
    }
}
