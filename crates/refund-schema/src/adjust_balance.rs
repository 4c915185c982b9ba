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
    /// true if an earlier command with the same key did this and nothing happened now.
    #[serde(skip_serializing_if = "Option::is_none")]
    replayed: Option<bool>,
}

impl AdjustBalanceOutput {
    /// A correction, and whether it had been made before.
    #[must_use]
    pub fn new(adjustment: &Adjustment, replayed: bool) -> Self {
        Self {
            customer_id: adjustment.customer_id.to_string(),
            adjusted_by: adjustment.into(),
            refundable_balance: adjustment.after.into(),
            currency: adjustment.after.currency().code(),
            adjusted_at: adjustment.at.to_string(),
            principal: adjustment.principal.to_string(),
            replayed: replayed.then_some(true),
        }
    }
}
