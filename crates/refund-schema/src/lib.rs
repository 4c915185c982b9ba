//! What the tools take and give: one type per tool for its arguments and one for its answer, the one
//! decoder for all arguments, and the JSON Schemas that are published.
//!
//! Start here, in reading order:
//!
//! - [`TriggerRefundInput`] and its like: one file per tool, with the same name, holding both types.
//! - [`decode`]: from the text of the arguments to such a type, or to every [`Issue`] in them.
//! - [`input_schema`] and [`output_schema`]: what `tools/list` publishes.
//!
//! ```
//! use refund_domain::RefundRequest;
//! use refund_schema::{TriggerRefundInput, decode};
//!
//! let arguments = r#"{"customer_id": "CUST-00001", "amount": 10.10, "reason": "Item arrived damaged"}"#;
//! let input = decode::<TriggerRefundInput>(Some(arguments)).expect("every rule is kept");
//! let request = RefundRequest::from(input);
//! assert_eq!(request.amount.decimal(), "10.10".parse().unwrap());
//!
//! let issues = decode::<TriggerRefundInput>(Some(r#"{"customer_id": "7", "amount": "1"}"#));
//! let messages: Vec<_> = issues.unwrap_err().into_iter().map(|issue| issue.message).collect();
//! assert_eq!(messages.len(), 3, "every problem at once: {messages:?}");
//! ```
//!
//! *Invariant:* the rules of an argument stand once, as attributes of its type. The published schema
//! is generated from them and the decoder is driven by it; `tests/contract/judges.rs` holds schema, decoder
//! and type against each other. `docs/decisions/argument-decoding.md` says why.

mod adjust_balance;
mod check_return_eligibility;
mod check_warranty_coverage;
mod escalate_to_human;
mod find_customer;
mod find_device;
mod get_billing_status;
mod get_customer_record;
mod get_fee_quote;
mod get_open_returns_for_device;
mod get_refund;
mod list_refunds;
mod lookup_order;
mod preview_refund;
mod process_return;
mod resolve_shipping_address;
mod search_devices;
mod trigger_refund;

mod amount;
mod argument;
mod decimal_text;
mod decode;
mod issue;
mod judge;
mod meta;
mod number;
mod object;
mod personal;
mod problem;
mod rules;
mod schema;
mod text;
mod user;
mod warranty_argument;
mod warranty_output;

pub use adjust_balance::AdjustBalanceOutput;
pub use check_return_eligibility::{CheckReturnEligibilityInput, CheckReturnEligibilityOutput};
pub use check_warranty_coverage::{CheckWarrantyCoverageInput, CheckWarrantyCoverageOutput};
pub use decode::{ToolInput, decode};
pub use escalate_to_human::{EscalateToHumanInput, EscalateToHumanOutput};
pub use find_customer::{FindCustomerInput, FindCustomerOutput};
pub use find_device::{FindDeviceInput, FindDeviceOutput};
pub use get_billing_status::{GetBillingStatusInput, GetBillingStatusOutput};
pub use get_customer_record::{GetCustomerRecordInput, GetCustomerRecordOutput};
pub use get_fee_quote::{GetFeeQuoteInput, GetFeeQuoteOutput};
pub use get_open_returns_for_device::{
    GetOpenReturnsForDeviceInput, GetOpenReturnsForDeviceOutput,
};
pub use get_refund::{GetRefundInput, GetRefundOutput};
pub use issue::{Issue, IssueCode, PathSegment};
pub use list_refunds::{ListRefundsInput, ListRefundsOutput};
pub use lookup_order::{LookupOrderInput, LookupOrderOutput};
pub use meta::{IDEMPOTENCY_KEY_META, idempotency_key_from_meta};
pub use preview_refund::{PreviewRefundInput, PreviewRefundOutput};
pub use problem::{JsonType, Problem, TextForm};
pub use process_return::{ProcessReturnInput, ProcessReturnOutput};
pub use resolve_shipping_address::{ResolveShippingAddressInput, ResolveShippingAddressOutput};
pub use rules::Rules;
pub use schema::{input_schema, output_schema};
pub use search_devices::{SearchDevicesInput, SearchDevicesOutput};
pub use trigger_refund::{TriggerRefundInput, TriggerRefundOutput};
