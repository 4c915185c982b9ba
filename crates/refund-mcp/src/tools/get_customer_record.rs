//! `get_customer_record`.

use refund_schema::{
    GetCustomerRecordInput, GetCustomerRecordOutput, decode, input_schema, output_schema,
};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_customer_record",
    title: "Get customer record",
    description: "Looks up one customer by id and returns name, e-mail address, status, currency and the balance that can still be refunded. Use it before trigger_refund, to see whether the customer is active and how much is left. It changes nothing. An unknown id is refused with \"Customer CUST-… was not found.\"",
    toolset: Toolset::Refunds,
    access: Access::Read,
    refusals: &[("CUSTOMER_NOT_FOUND", "no customer has this id")],
    input_schema: input_schema::<GetCustomerRecordInput>,
    output_schema: output_schema::<GetCustomerRecordOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let customer_id = decode::<GetCustomerRecordInput>(call.arguments)?.into();
        let customer = desks.refunds.customer_record(customer_id).await?;
        Success::new(&GetCustomerRecordOutput::from(&customer))
    })
}
