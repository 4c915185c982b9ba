//! The tools, one file each: what the model is told, and the few lines between arguments and desk.

pub(crate) mod check_return_eligibility;
pub(crate) mod escalate_to_human;
pub(crate) mod get_billing_status;
pub(crate) mod get_customer_record;
pub(crate) mod get_refund;
pub(crate) mod list_refunds;
pub(crate) mod lookup_order;
pub(crate) mod preview_refund;
pub(crate) mod process_return;
pub(crate) mod trigger_refund;
