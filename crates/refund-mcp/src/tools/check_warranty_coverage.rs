//! `check_warranty_coverage`.

use refund_schema::{
    CheckWarrantyCoverageInput, CheckWarrantyCoverageOutput, decode, input_schema, output_schema,
};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "check_warranty_coverage",
    title: "Check warranty coverage",
    description: "Evaluates what would happen with a unit that a customer wants to return or have repaired on a given day: whether it is covered, can be repaired for a fee, is turned down, or needs a person. Use it for every question about coverage, and answer from it and never from what you believe about warranties, products or dates: it is the policy itself. Look with get_open_returns_for_device first, so that nobody opens a second return. The identifier must be complete: prefer a serial number, MAC address, IMEI or asset tag to any search, and never make one up or correct one. Pass the customer's own words as problemDescription. If identified is false, nothing is known about coverage: never say that the unit is probably covered; ask the customer to confirm a suggestion, and call again. explanation is what you may tell the customer. What you say can only make the outcome stricter, never more generous. allowsRmaCreation is always false: this is an evaluation, not an approval, and no answer of it allows that a return is created. The same arguments give the same answer at any time. It changes nothing and refuses nothing: an unknown unit is an ordinary answer, NotEligible with the reason DeviceNotFound.",
    toolset: Toolset::Warranty,
    access: Access::Read,
    refusals: &[],
    input_schema: input_schema::<CheckWarrantyCoverageInput>,
    output_schema: output_schema::<CheckWarrantyCoverageOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let (identifier, today, facts) =
            decode::<CheckWarrantyCoverageInput>(call.arguments)?.into_parts();
        let answer = desks.warranty.check_coverage(&identifier, today, &facts);
        Success::new(&CheckWarrantyCoverageOutput::from(&answer.await?))
    })
}
