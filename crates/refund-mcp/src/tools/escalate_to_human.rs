//! `escalate_to_human`.

use refund_schema::{
    EscalateToHumanInput, EscalateToHumanOutput, decode, input_schema, output_schema,
};

use crate::catalogue::{Access, Call, Desks, ToolFuture, ToolSpec, Toolset};
use crate::outcome::Success;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "escalate_to_human",
    title: "Escalate to human",
    description: "Counts one turn of a conversation that is neither about a return nor about a bill, and says in guidance what you are to do at this turn. Call it once for every message of the user, with the same session_id, which no other conversation has. It never writes the operator's answer: you do. A conversation has 10 turns: 1 to 4 answer; 5 (confirm_close) answer, then ask whether the matter is closed, and do not call for a reply that says yes; 6 to 9 answer; 10 (force_closed) say that it is closed and ask for a new enquiry. Give each turn an idempotency_key of its own, unique among all conversations, and send the same key again if you retry it: it is counted once, and the first answer comes back with replayed true. After the last turn the result has isError and the code SESSION_CLOSED; a key that was used for something else gives IDEMPOTENCY_CONFLICT.",
    toolset: Toolset::Returns,
    access: Access::Add,
    refusals: &[
        (
            "IDEMPOTENCY_CONFLICT",
            "the key was used before, for something else",
        ),
        (
            "SESSION_CLOSED",
            "the conversation has had its last turn; a new enquiry needs a new session_id",
        ),
    ],
    input_schema: input_schema::<EscalateToHumanInput>,
    output_schema: output_schema::<EscalateToHumanOutput>,
    run,
};

fn run<'a>(desks: &'a Desks, call: Call<'a>) -> ToolFuture<'a> {
    Box::pin(async move {
        let request =
            decode::<EscalateToHumanInput>(call.arguments)?.into_request(call.meta_key.cloned())?;
        let message = request.user_message.clone();
        let caller = call.caller.clone();
        let answer = desks.returns.count_turn(caller, request).await?;
        let guidance = call.language.guidance(answer.value.turn_count);
        Success::new(&EscalateToHumanOutput::new(&answer, guidance, &message))
    })
}
