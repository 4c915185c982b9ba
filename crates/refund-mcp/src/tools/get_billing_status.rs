//! `get_billing_status`.

use refund_schema::{
    GetBillingStatusInput, GetBillingStatusOutput, decode, input_schema, output_schema,
};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::messages::Key;
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_billing_status",
    title: "Get billing status",
    description: "Tells which of a customer's orders are paid and which are not, with the amount of each (unit price times quantity) and its currency. An unpaid order has payment_instructions: pass them on to the letter, and never make up account details. Do not ask for the payment of an order that has been returned (returned true): whether it is still owed is decided by people. Use it for questions about bills and payments, after lookup_order has found the customer. It takes no payment and changes nothing. An unknown address is a result with isError and the code USER_NOT_FOUND.",
    toolset: Toolset::Returns,
    access: Access::Read,
    refusals: &[("USER_NOT_FOUND", "no customer has this address")],
    input_schema: input_schema::<GetBillingStatusInput>,
    output_schema: output_schema::<GetBillingStatusOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let user_id = decode::<GetBillingStatusInput>(call.arguments)?.into();
        let found = desks.returns.billing(user_id).await?;
        let instructions = match &desks.payment_instructions {
            Some(configured) => configured.clone(),
            None => call.language.text(Key::PaymentInstructions),
        };
        Success::new(&GetBillingStatusOutput::new(&found, &instructions))
    })
}
