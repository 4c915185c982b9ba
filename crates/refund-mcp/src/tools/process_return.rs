//! `process_return`.

use std::sync::Arc;

use refund_schema::{ProcessReturnInput, ProcessReturnOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::messages::ReturnMail;
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "process_return",
    title: "Process return",
    description: "Records the return of an order, durably, before it answers, and hands the customer's notification over for delivery. It moves no money: a refund is a decision of its own, made with trigger_refund. Use it only after the customer has clearly agreed. Whether the order can be returned is checked here again. A suspended customer's order can be returned too. Give each return an idempotency_key of its own, unique among all conversations, and send the same key again if you retry it: the first answer comes back with replayed true. A result with isError changed nothing: ORDER_NOT_FOUND, RETURN_NOT_ELIGIBLE (details.reason is EXPIRED or ALREADY_RETURNED), or IDEMPOTENCY_CONFLICT for a key that was used for something else.",
    toolset: Toolset::Returns,
    access: Access::Write,
    refusals: &[
        (
            "IDEMPOTENCY_CONFLICT",
            "the key was used before, for something else",
        ),
        ("ORDER_NOT_FOUND", "no order has this id"),
        (
            "RETURN_NOT_ELIGIBLE",
            "the order was returned before, or its last day has passed; details.reason says which",
        ),
    ],
    input_schema: input_schema::<ProcessReturnInput>,
    output_schema: output_schema::<ProcessReturnOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let request =
            decode::<ProcessReturnInput>(call.arguments)?.into_request(call.meta_key.cloned())?;
        let writer = Arc::new(ReturnMail(call.language));
        let caller = call.caller.clone();
        let answer = desks
            .returns
            .process_return(caller, request, writer)
            .await?;
        Success::new(&ProcessReturnOutput::from(&answer))
    })
}
