//! `trigger_refund`.

use refund_schema::{TriggerRefundInput, TriggerRefundOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "trigger_refund",
    title: "Trigger refund",
    description: "Refunds money to a customer: reduces the refundable balance and records the refund, durably, before it answers. Use it only when a refund has been decided; preview_refund tells what would happen without moving money. The amount is in the customer's currency. Give each refund an idempotency_key of its own, unique among all conversations, and send the same key again if you retry it: the first receipt comes back with replayed true and nothing is paid twice. A result with isError is a refusal (unknown or suspended customer, amount above the refundable balance, decimals the currency does not have, a key used for something else): nothing was moved, and the text says why.",
    toolset: Toolset::Refunds,
    access: Access::Write,
    refusals: &[
        (
            "IDEMPOTENCY_CONFLICT",
            "the key was used before, for something else",
        ),
        ("CUSTOMER_NOT_FOUND", "no customer has this id"),
        ("CUSTOMER_SUSPENDED", "the customer is not active"),
        (
            "CURRENCY_PRECISION",
            "the amount has decimals that the customer's currency lacks; nothing is rounded",
        ),
        (
            "EXCEEDS_BALANCE",
            "the amount is more than can still be refunded",
        ),
    ],
    input_schema: input_schema::<TriggerRefundInput>,
    output_schema: output_schema::<TriggerRefundOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let request =
            decode::<TriggerRefundInput>(call.arguments)?.into_request(call.meta_key.cloned())?;
        let receipt = desks
            .refunds
            .trigger_refund(call.caller.clone(), request)
            .await?;
        Success::new(&TriggerRefundOutput::from(&receipt))
    })
}
