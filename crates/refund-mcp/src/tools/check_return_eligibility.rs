//! `check_return_eligibility`.

use refund_domain::OrderId;
use refund_schema::{
    CheckReturnEligibilityInput, CheckReturnEligibilityOutput, decode, input_schema, output_schema,
};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "check_return_eligibility",
    title: "Check return eligibility",
    description: "Tells whether an order can be returned today: within one calendar month of the order date, the last day included, and not returned before. An order that is dated later than today can be returned. Use it before process_return, and for questions about deadlines. That an order can no longer be returned is an ordinary answer: eligible false, with reason EXPIRED or ALREADY_RETURNED, and message for the customer. It changes nothing. An unknown order is a result with isError and the code ORDER_NOT_FOUND.",
    toolset: Toolset::Returns,
    access: Access::Read,
    refusals: &[("ORDER_NOT_FOUND", "no order has this id")],
    input_schema: input_schema::<CheckReturnEligibilityInput>,
    output_schema: output_schema::<CheckReturnEligibilityOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let order_id: OrderId = decode::<CheckReturnEligibilityInput>(call.arguments)?.into();
        let judged = desks.returns.eligibility(order_id.clone()).await?;
        let zone = desks.returns.calendar().zone;
        let message = call.language.eligibility(&order_id, &judged, zone);
        Success::new(&CheckReturnEligibilityOutput::new(
            &order_id, &judged, message,
        ))
    })
}
