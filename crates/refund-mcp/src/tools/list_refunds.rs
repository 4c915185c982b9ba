//! `list_refunds`.

use refund_schema::{ListRefundsInput, ListRefundsOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "list_refunds",
    title: "List refunds",
    description: "Lists a customer's refunds, newest first: total says how many there are, refunds holds up to limit of them. If nextCursor is there, call again with it as cursor for the next page. Use it to see what a customer has already got before you refund again. It changes nothing.",
    toolset: Toolset::Refunds,
    access: Access::Read,
    refusals: &[("CUSTOMER_NOT_FOUND", "no customer has this id")],
    input_schema: input_schema::<ListRefundsInput>,
    output_schema: output_schema::<ListRefundsOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let (customer_id, limit, before) = decode::<ListRefundsInput>(call.arguments)?.into_parts();
        let mut limit = limit;
        loop {
            let list = desks.refunds.list_refunds(customer_id, limit, before);
            let page = list.await?;
            let result = Success::new(&ListRefundsOutput::new(customer_id, &page))?;
            if result.fits() || limit == 1 {
                return Ok(result);
            }
            // Long reasons: a shorter page, which says where the next one begins.
            limit = limit.div_ceil(2);
        }
    })
}
