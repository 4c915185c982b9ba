//! `search_devices`.

use refund_schema::{SearchDevicesInput, SearchDevicesOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "search_devices",
    title: "Search devices",
    description: "Lists units by what is known of the product: its name, its model, its number (sku). Use it only when the customer has no identifier to hand: prefer find_device when any identifier exists, because an identifier is exact and this is not. At least one criterion is needed, and a unit must fit every one that is given. The best come first, at most take of them; matchCount says how many fit, and truncated whether there are more. A unit found here is a candidate and nothing more: have the customer read its serial number from the label, then use that with the other tools. Units with an open return are left out and only counted in suppressedCount. It changes nothing. A search without a criterion, or with one that says too little, is an ordinary answer with matchCount 0 and refusalReason, which says what to do.",
    toolset: Toolset::Warranty,
    access: Access::Read,
    refusals: &[],
    input_schema: input_schema::<SearchDevicesInput>,
    output_schema: output_schema::<SearchDevicesOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let (criteria, take) = decode::<SearchDevicesInput>(call.arguments)?.into_parts();
        let mut answer = desks.warranty.search_devices(&criteria, take).await?;
        loop {
            let result = Success::new(&SearchDevicesOutput::from(&answer))?;
            if result.fits() || answer.units.len() <= 1 {
                return Ok(result);
            }
            // Long names: fewer units, and truncated says that there are more.
            answer.units.truncate(answer.units.len().div_ceil(2));
        }
    })
}
