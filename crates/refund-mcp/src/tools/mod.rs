//! The tools, one file each: what the model is told, and the few lines between arguments and desk.

pub(crate) mod check_return_eligibility;
pub(crate) mod check_warranty_coverage;
pub(crate) mod escalate_to_human;
pub(crate) mod find_customer;
pub(crate) mod find_device;
pub(crate) mod get_billing_status;
pub(crate) mod get_customer_record;
pub(crate) mod get_fee_quote;
pub(crate) mod get_open_returns_for_device;
pub(crate) mod get_refund;
pub(crate) mod list_refunds;
pub(crate) mod lookup_order;
pub(crate) mod preview_refund;
pub(crate) mod process_return;
pub(crate) mod resolve_shipping_address;
pub(crate) mod search_devices;
pub(crate) mod trigger_refund;
