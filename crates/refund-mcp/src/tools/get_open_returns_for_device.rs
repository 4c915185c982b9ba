//! `get_open_returns_for_device`.

use refund_schema::{
    GetOpenReturnsForDeviceInput, GetOpenReturnsForDeviceOutput, decode, input_schema,
    output_schema,
};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_open_returns_for_device",
    title: "Get open returns of a device",
    description: "Lists the open returns of a unit. Call it before anyone opens, promises or talks about a return, so that a unit never gets a second one: if count is above 0, refer to the return that there is. deviceId is the deviceId that find_device or search_devices gave, to the letter; it is no search, so use find_device first if you have another identifier. An empty list says only that no return is open; it approves none. It changes nothing. An unknown unit is a result with isError and the code DEVICE_NOT_FOUND.",
    toolset: Toolset::Warranty,
    access: Access::Read,
    refusals: &[("DEVICE_NOT_FOUND", "no unit has this id")],
    input_schema: input_schema::<GetOpenReturnsForDeviceInput>,
    output_schema: output_schema::<GetOpenReturnsForDeviceOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let device_id = decode::<GetOpenReturnsForDeviceInput>(call.arguments)?.into();
        let answer = desks.warranty.open_returns(&device_id).await?;
        Success::new(&GetOpenReturnsForDeviceOutput::from(&answer))
    })
}
