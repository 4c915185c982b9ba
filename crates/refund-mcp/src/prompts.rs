//! The prompts that clients can fetch: how an agent drives the toolset `returns`. The text stands in
//! `messages/*.ftl` and, word for word, in `docs/orchestration.md`.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage,
    RequestMetaObject, Role,
};

use crate::messages::{Key, LANGUAGE_META, Language};

/// The prompt's name.
const NAME: &str = "support_desk";
/// The tools that the text tells to call. (It names trigger_refund too, for those who have it.)
pub(crate) const TOOLS: [&str; 5] = [
    "check_return_eligibility",
    "escalate_to_human",
    "get_billing_status",
    "lookup_order",
    "process_return",
];
/// Its one argument.
pub(crate) const LANGUAGE: &str = "language";

/// The language that a request states, if it is one of ours.
pub(crate) fn stated(meta: &RequestMetaObject) -> Option<Language> {
    Language::of_tag(meta.get(LANGUAGE_META)?.as_str()?)
}

/// What clients are told about the prompt.
pub(crate) fn support_desk(language: Language) -> Prompt {
    let argument = PromptArgument::new(LANGUAGE)
        .with_description(language.text(Key::SupportDeskLanguage))
        .with_required(false);
    let description = language.text(Key::SupportDeskDescription);
    Prompt::new(NAME, Some(description), Some(vec![argument]))
        .with_title(language.text(Key::SupportDeskTitle))
}

/// The prompt itself.
///
/// # Errors
/// Another prompt, another argument, or a language that the text does not exist in.
pub(crate) fn get(
    request: &GetPromptRequestParams,
    usual: Language,
) -> Result<GetPromptResult, ErrorData> {
    let invalid = |text: String| ErrorData::invalid_params(text, None);
    if request.name != NAME {
        let shown: String = request.name.chars().take(64).collect();
        return Err(invalid(format!("Unknown prompt: {shown}")));
    }
    let arguments = request.arguments.clone().unwrap_or_default();
    if let Some(unknown) = arguments.keys().find(|name| *name != LANGUAGE) {
        let shown: String = unknown.chars().take(64).collect();
        return Err(invalid(format!(
            "Unknown argument {shown}: the prompt {NAME} takes {LANGUAGE}"
        )));
    }
    let language = match arguments.get(LANGUAGE) {
        None => usual,
        Some(tag) => tag
            .as_str()
            .and_then(Language::of_tag)
            .ok_or_else(|| invalid(format!("{LANGUAGE} must be en or ja")))?,
    };
    let text = language.text(Key::SupportDeskPrompt);
    // MCP has no role for a system prompt; clients that set one take the text of the first message.
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message])
        .with_description(language.text(Key::SupportDeskDescription)))
}
