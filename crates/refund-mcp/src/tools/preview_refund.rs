//! `preview_refund`.

use refund_schema::{PreviewRefundInput, PreviewRefundOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "preview_refund",
    title: "Preview refund",
    description: "Says what trigger_refund would do with the same arguments, and moves no money: wouldSucceed, the refusal it would get, and the balance that would remain. Use it when you are asked what is possible, or before a refund that a person still has to agree to. It is no promise: the balance can change before the refund is made.",
    toolset: Toolset::Refunds,
    access: Access::Read,
    refusals: &[(
        "CUSTOMER_NOT_FOUND",
        "no customer has this id; every other refusal is the result of the preview",
    )],
    input_schema: input_schema::<PreviewRefundInput>,
    output_schema: output_schema::<PreviewRefundOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let request =
            decode::<PreviewRefundInput>(call.arguments)?.into_request(call.meta_key.cloned())?;
        let preview = desks.refunds.preview_refund(call.caller, &request).await?;
        Success::new(&PreviewRefundOutput::new(&request, &preview))
    })
}
