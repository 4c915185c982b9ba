//! `resolve_shipping_address`.

use refund_schema::{
    ResolveShippingAddressInput, ResolveShippingAddressOutput, decode, input_schema, output_schema,
};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "resolve_shipping_address",
    title: "Resolve a shipping address",
    description: "Tells which of a customer's stored addresses a text means. Use it when a customer says where to send something, with the customerId of find_customer and the customer's own words. resolved true means that the text fits the address that is shown. resolved false means that it does not: with isFallback true the address is merely the customer's usual one, matchScore says how weak the fit was and reason why; ship nothing there before the customer confirms it, and never present it as what they said. A country, a street word or a house number alone never resolves. It stores no address and changes nothing. An unknown customer is a result with isError and the code CUSTOMER_NOT_FOUND; a customer without an address is an ordinary answer with a reason.",
    toolset: Toolset::Warranty,
    access: Access::Read,
    refusals: &[("CUSTOMER_NOT_FOUND", "no customer has this id")],
    input_schema: input_schema::<ResolveShippingAddressInput>,
    output_schema: output_schema::<ResolveShippingAddressOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let (customer_id, text) =
            decode::<ResolveShippingAddressInput>(call.arguments)?.into_parts();
        let answer = desks.warranty.resolve_shipping_address(customer_id, &text);
        Success::new(&ResolveShippingAddressOutput::from(&answer.await?))
    })
}
