//! `get_fee_quote`.

use refund_schema::{GetFeeQuoteInput, GetFeeQuoteOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_fee_quote",
    title: "Quote a repair fee",
    description: "Tells what the repair of a unit costs, from the same price table that is charged: repairFee and depositAmount in currencyCode, and how many business days it takes. Use it for every question about a price, and answer from it and never from what you believe. If planIsCovered is true, nothing is owed for a covered defect, and repairFee is only what the repair would cost without cover: never present it as a price to pay. Whether the case itself is covered, check_warranty_coverage tells; ask it first. note says what is owed in words. The identifier must be complete (serial number, MAC address, IMEI or asset tag), or there is no fee: identified is then false, and the suggestions are for the customer to confirm. allowsRmaCreation is always false: a quote approves nothing. The same arguments give the same answer at any time. It changes nothing and refuses nothing: an unknown unit is an ordinary answer without a fee.",
    toolset: Toolset::Warranty,
    access: Access::Read,
    refusals: &[],
    input_schema: input_schema::<GetFeeQuoteInput>,
    output_schema: output_schema::<GetFeeQuoteOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let (identifier, today) = decode::<GetFeeQuoteInput>(call.arguments)?.into_parts();
        let answer = desks.warranty.fee_quote(&identifier, today);
        Success::new(&GetFeeQuoteOutput::from(&answer.await?))
    })
}
