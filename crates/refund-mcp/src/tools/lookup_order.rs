//! `lookup_order`.

use refund_schema::{LookupOrderInput, LookupOrderOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "lookup_order",
    title: "Look up orders",
    description: "The first step of a conversation with a customer: it verifies who asks. Looks a customer up by e-mail address and returns the customer with the orders, newest first; the other tools of this group take the order_id from here. The address must be exactly the customer's, upper and lower case apart: several customers have similar addresses, so never guess or correct one. Do not talk about an account before this tool has found it. user.customer_id is what get_customer_record and trigger_refund take. It changes nothing. An unknown address is a result with isError and the code USER_NOT_FOUND.",
    toolset: Toolset::Returns,
    access: Access::Read,
    refusals: &[("USER_NOT_FOUND", "no customer has this address")],
    input_schema: input_schema::<LookupOrderInput>,
    output_schema: output_schema::<LookupOrderOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let user_id = decode::<LookupOrderInput>(call.arguments)?.into();
        let found = desks.returns.orders(user_id).await?;
        Success::new(&LookupOrderOutput::from(&found))
    })
}
