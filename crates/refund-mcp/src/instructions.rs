//! What the server tells a model about the tools that it offers, when a session begins.
//!
//! *Invariant:* a tool that is not offered is not named. Each sentence says which tools it is about,
//! and is left out where one of them is missing; the test below looks for names in what is left.

use crate::catalogue::{Catalogue, Toolset};
use crate::prompts;

/// A sentence, and the tools without which it is not said.
type Sentence = (&'static [&'static str], &'static str);

const REFUNDS: [Sentence; 5] = [
    (&[], "A refund desk."),
    (
        &["get_customer_record", "trigger_refund"],
        "Look the customer up with get_customer_record before you refund.",
    ),
    (
        &["trigger_refund"],
        "trigger_refund moves money: give every refund one idempotency_key of its own, unique among all conversations, such as a fresh UUID, and send the same key again if you retry it, so that it is paid once.",
    ),
    (
        &["preview_refund"],
        "preview_refund tells what a refund would do without moving anything.",
    ),
    (
        &[],
        "A result with isError is a refusal: nothing was moved, and its text says why and what to do. Error -32602 means that the call itself was wrong: nothing was executed, and data.issues lists every problem at once; correct them, and never invent a value.",
    ),
];

const RETURNS: [Sentence; 8] = [
    (&[], "A returns and billing desk."),
    (
        &["lookup_order"],
        "Begin every conversation with lookup_order, which verifies who asks.",
    ),
    (
        &["check_return_eligibility"],
        "check_return_eligibility tells whether an order can be returned.",
    ),
    (
        &["process_return"],
        "process_return records a return, after the customer has clearly agreed; a return moves no money. Give every return one idempotency_key of its own, unique among all conversations, such as a fresh UUID, and send the same key again if you retry it.",
    ),
    (&["get_billing_status"], "get_billing_status is for bills."),
    (
        &["escalate_to_human"],
        "For whatever the tools are not for, call escalate_to_human at every message of the user and do what its guidance says; you write the answers. Give every conversation one session_id and every turn one idempotency_key, both unique among all conversations, and send the same key again if you retry a turn.",
    ),
    (
        &[],
        "A result with isError holds {\"error\": {code, category, message, details}}.",
    ),
    (
        &prompts::TOOLS,
        "The prompt support_desk is a complete system prompt for this.",
    ),
];

const WARRANTY: [Sentence; 6] = [
    (&[], "A warranty desk that only reads."),
    (
        &["check_warranty_coverage"],
        "Answer every question about coverage from check_warranty_coverage, never from what you believe.",
    ),
    (
        &["get_fee_quote"],
        "Answer every question about a price of a repair from get_fee_quote, never from what you believe.",
    ),
    (
        &["get_open_returns_for_device"],
        "Look for open returns with get_open_returns_for_device before anyone opens another.",
    ),
    (
        &["find_device", "search_devices"],
        "Prefer an identifier (find_device) to a search (search_devices).",
    ),
    (
        &[],
        "What is only nearly an identifier is a suggestion for the customer to confirm, and never the unit. Every answer is an evaluation, not an approval; allowsRmaCreation is always false. Not found and not identified are ordinary answers; a result with isError says that an id does not exist or that the store does not answer, and error -32602 that the call itself was wrong: data.issues lists every problem at once; correct them, and never invent a value.",
    ),
];

/// What a model is told about the tools that are offered.
pub(crate) fn of(catalogue: &Catalogue) -> String {
    let about: [(Toolset, &[Sentence]); 3] = [
        (Toolset::Refunds, &REFUNDS),
        (Toolset::Returns, &RETURNS),
        (Toolset::Warranty, &WARRANTY),
    ];
    let offered = about
        .into_iter()
        .filter(|(toolset, _)| catalogue.has(*toolset));
    let texts = offered.map(|(_, sentences)| {
        let said = sentences.iter().filter(|(tools, _)| {
            let mut tools = tools.iter();
            tools.all(|name| catalogue.find(name).is_some())
        });
        said.map(|(_, text)| *text).collect::<Vec<_>>().join(" ")
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;
    use crate::catalogue::{ALL, Selection};

    /// Everything, everything that reads, each group, and each tool alone.
    fn selections() -> Vec<Selection> {
        let of = |toolsets: &[Toolset], tools: &[&'static str], read_only| Selection {
            toolsets: toolsets.to_vec(),
            tools: tools.to_vec(),
            read_only,
            role: refund_domain::Role::Agent,
        };
        let all = Toolset::value_variants();
        let mut selections = vec![of(all, &[], false), of(all, &[], true)];
        selections.extend(all.iter().map(|toolset| of(&[*toolset], &[], false)));
        selections.extend(ALL.iter().map(|spec| of(all, &[spec.name], false)));
        selections
    }

    #[test]
    fn no_tool_is_named_that_is_not_offered() {
        for selection in selections() {
            let catalogue = Catalogue::new(&selection);
            let text = of(&catalogue);
            for spec in ALL {
                assert!(
                    catalogue.find(spec.name).is_some() || !text.contains(spec.name),
                    "{selection:?}: {text}"
                );
            }
            let whole = prompts::TOOLS
                .iter()
                .all(|name| catalogue.find(name).is_some());
            assert_eq!(text.contains("support_desk"), whole, "{selection:?}");
        }
        let everything = of(&Catalogue::new(&selections()[0]));
        for tools in REFUNDS
            .iter()
            .chain(&RETURNS)
            .chain(&WARRANTY)
            .map(|(tools, _)| tools)
        {
            for name in *tools {
                assert!(everything.contains(name) && ALL.iter().any(|spec| spec.name == *name));
            }
        }
    }
}
