//! `find_device`.

use refund_schema::{FindDeviceInput, FindDeviceOutput, decode, input_schema, output_schema};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "find_device",
    title: "Find a device",
    description: "Finds one unit by its serial number, MAC address, IMEI or asset tag, and tells which warranty governs it. Use it whenever the customer has any identifier at all; use search_devices only when there is none. Upper and lower case, blanks and punctuation do not matter. With matchedOn fuzzy the identifier is only nearly that of the unit: requiresConfirmation is true, and the customer has to confirm the serial number before you use it anywhere. found false means that no unit has the identifier; suggestions may then be what was meant, to be confirmed and never assumed. found true with suppressed true means that the unit exists but has an open return, so nothing of it is shown: do not open another return, and ask again with includeUnitsWithOpenReturns only if you have a reason to see it. For whether and how a case is covered use check_warranty_coverage; isInWarranty is about the plan alone. It changes nothing and refuses nothing: an unknown identifier is an ordinary answer.",
    toolset: Toolset::Warranty,
    access: Access::Read,
    refusals: &[],
    input_schema: input_schema::<FindDeviceInput>,
    output_schema: output_schema::<FindDeviceOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let (identifier, today, with_open_returns) =
            decode::<FindDeviceInput>(call.arguments)?.into_parts();
        let as_of = today.unwrap_or_else(|| desks.today());
        let answer = desks
            .warranty
            .find_device(&identifier, as_of, with_open_returns);
        Success::new(&FindDeviceOutput::from(&answer.await?))
    })
}
