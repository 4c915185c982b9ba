//! `get_refund`.

use refund_domain::RefundName;
use refund_schema::{GetRefundInput, GetRefundOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_refund",
    title: "Get refund",
    description: "Returns one refund, by its refund_id or by the idempotency_key it was made with (give exactly one). Use it to find out what became of a trigger_refund call whose answer was lost. remainingRefundableBalance is the balance just after that refund, not today's. It changes nothing. If there is none, the result is a refusal with code REFUND_NOT_FOUND: then no money was moved under that key.",
    toolset: Toolset::Refunds,
    access: Access::Read,
    refusals: &[(
        "REFUND_NOT_FOUND",
        "no refund has this id, or none was made with this key by this caller",
    )],
    input_schema: input_schema::<GetRefundInput>,
    output_schema: output_schema::<GetRefundOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let refund = match decode::<GetRefundInput>(call.arguments)?.into() {
            RefundName::Id(id) => desks.refunds.refund(id).await?,
            RefundName::Key(key) => {
                desks
                    .refunds
                    .refund_by_key(&call.caller.principal, &key)
                    .await?
            }
        };
        Success::new(&GetRefundOutput::from(&refund))
    })
}
