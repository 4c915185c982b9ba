//! `find_customer`.

use refund_schema::{FindCustomerInput, FindCustomerOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "find_customer",
    title: "Find a customer",
    description: "Finds customers by name, e-mail address, telephone number or their number in another system. Use it in a warranty case to get the customerId that resolve_shipping_address takes; for refunds use get_customer_record, and lookup_order for orders. Prefer externalCustomerId or email to a name: they are exact, a name is not. At least one criterion is needed, and a customer must fit every one that is given. The best come first; matchCount says how many fit. If requiresConfirmation is true, the customer has to confirm who they are before you use a candidate or tell anything of it: several people have similar names, so never choose one yourself and never read a candidate's data out. It changes nothing. A search without a criterion, or with one that says too little, is an ordinary answer with matchCount 0 and refusalReason, which says what to do.",
    toolset: Toolset::Warranty,
    access: Access::Read,
    refusals: &[],
    input_schema: input_schema::<FindCustomerInput>,
    output_schema: output_schema::<FindCustomerOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let (criteria, take) = decode::<FindCustomerInput>(call.arguments)?.into_parts();
        let mut answer = desks.warranty.find_customer(&criteria, take).await?;
        loop {
            let result = Success::new(&FindCustomerOutput::from(&answer))?;
            if result.fits() || answer.customers.len() <= 1 {
                return Ok(result);
            }
            // Long names: fewer customers; matchCount says how many there are.
            let half = answer.customers.len().div_ceil(2);
            answer.customers.truncate(half);
        }
    })
}
