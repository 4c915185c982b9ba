//! The tools, one file each: what the model is told, and the few lines between arguments and desk.

pub(crate) mod get_customer_record;
pub(crate) mod get_refund;
pub(crate) mod list_refunds;
pub(crate) mod preview_refund;
pub(crate) mod trigger_refund;
