//! What the `returns` toolset says to people and models, in their language. The texts stand in
//! `messages/*.ftl`, one file a language; `docs/decisions/messages.md` says why there.
//!
//! *Invariant:* every key exists in every language with the same placeholders, and nothing else stands
//! in the files. The tests of this module hold it.

mod issues;
mod returns;

use std::sync::LazyLock;

use clap::ValueEnum;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

pub(crate) use returns::ReturnMail;

/// The member of a request's `_meta` with which a client states its language: a BCP 47 tag.
pub(crate) const LANGUAGE_META: &str = "refund-mcp/locale";

/// A language that the texts exist in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// English.
    En,
    /// Japanese.
    Ja,
}

impl Language {
    /// The word in the configuration and in `_meta`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
        }
    }

    /// The language of a BCP 47 tag such as `ja-JP`; `None` for a language that the texts do not
    /// exist in.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        Self::value_variants()
            .iter()
            .find(|language| language.as_str().eq_ignore_ascii_case(primary))
            .copied()
    }

    fn source(self) -> &'static str {
        match self {
            Self::En => include_str!("../../messages/en.ftl"),
            Self::Ja => include_str!("../../messages/ja.ftl"),
        }
    }

    fn bundle(self) -> &'static Bundle {
        static EN: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::En));
        static JA: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::Ja));
        match self {
            Self::En => &EN,
            Self::Ja => &JA,
        }
    }

    /// A text without placeholders.
    pub(crate) fn text(self, key: Key) -> String {
        self.say(key, &FluentArgs::new())
    }

    /// A text with its placeholders filled in. What is wrong with a file is found by the tests; here it
    /// must not take a call along, so the key stands in for its text.
    fn say(self, key: Key, args: &FluentArgs<'_>) -> String {
        let bundle = self.bundle();
        let pattern = bundle
            .get_message(key.as_str())
            .and_then(|message| message.value());
        let mut errors = Vec::new();
        match pattern {
            Some(pattern) => bundle
                .format_pattern(pattern, Some(args), &mut errors)
                .into_owned(),
            None => key.as_str().to_owned(),
        }
    }
}

type Bundle = FluentBundle<FluentResource>;

fn bundle(language: Language) -> Bundle {
    let tag = language.as_str().parse().unwrap_or_default();
    let mut bundle = FluentBundle::new_concurrent(vec![tag]);
    // No marks around what is filled in: ids are copied from these texts.
    bundle.set_use_isolating(false);
    let resource = match FluentResource::try_new(language.source().to_owned()) {
        Ok(resource) | Err((resource, _)) => resource,
    };
    bundle.add_resource_overriding(resource);
    bundle
}

fn args<'a, const N: usize>(pairs: [(&'static str, FluentValue<'a>); N]) -> FluentArgs<'a> {
    pairs.into_iter().collect()
}

macro_rules! keys {
    ($($name:ident = $key:literal,)*) => {
        /// The name of a text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Key {
            $(#[doc = $key] $name,)*
        }

        impl Key {
            /// All of them.
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name,)*];

            fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $key,)*
                }
            }
        }
    };
}

keys! {
    EligibilityOk = "eligibility-ok",
    EligibilityExpired = "eligibility-expired",
    EligibilityAlreadyReturned = "eligibility-already-returned",
    UserNotFound = "refusal-user-not-found",
    UserNotFoundLookAlike = "refusal-user-not-found-look-alike",
    OrderNotFound = "refusal-order-not-found",
    ReturnExpired = "refusal-return-expired",
    ReturnAlreadyReturned = "refusal-return-already-returned",
    SessionClosed = "refusal-session-closed",
    UsedByReturn = "refusal-key-used-by-return",
    UsedByTurn = "refusal-key-used-by-turn",
    UsedByTool = "refusal-key-used-by-tool",
    InvalidInput = "invalid-input",
    IssueNoArguments = "issue-no-arguments",
    IssueNoObject = "issue-no-object",
    IssueUnreadable = "issue-unreadable",
    IssueMissing = "issue-missing",
    IssueMissingForm = "issue-missing-form",
    IssueRepeated = "issue-repeated",
    IssueUnknown = "issue-unknown",
    IssueUnknownNear = "issue-unknown-near",
    IssueMoreUnknown = "issue-more-unknown",
    IssueNoText = "issue-no-text",
    IssueHalfPair = "issue-half-pair",
    IssueTooShort = "issue-too-short",
    IssueTooShortTrimmed = "issue-too-short-trimmed",
    IssueTooLong = "issue-too-long",
    IssueTooLongTrimmed = "issue-too-long-trimmed",
    IssueForm = "issue-form",
    IssueKeysDiffer = "issue-keys-differ",
    FormNotBlank = "form-not-blank",
    FormVisibleAscii = "form-visible-ascii",
    JsonNull = "json-null",
    JsonBoolean = "json-boolean",
    JsonNumber = "json-number",
    JsonString = "json-string",
    JsonArray = "json-array",
    JsonObject = "json-object",
    InternalError = "internal-error",
    InternalErrorUnknown = "internal-error-unknown",
    StoreUnavailable = "store-unavailable",
    StoreFull = "store-full",
    StoreDamaged = "store-damaged",
    ReturnMailSubject = "return-mail-subject",
    ReturnMailBody = "return-mail-body",
    PaymentInstructions = "payment-instructions",
    GuidanceAnswer = "guidance-answer",
    GuidanceConfirmClose = "guidance-confirm-close",
    GuidanceGoOn = "guidance-go-on",
    GuidanceOneTurnLeft = "guidance-one-turn-left",
    GuidanceClosed = "guidance-closed",
    SupportDeskTitle = "support-desk-title",
    SupportDeskDescription = "support-desk-description",
    SupportDeskLanguage = "support-desk-language",
    SupportDeskPrompt = "support-desk-prompt",
}

#[cfg(test)]
mod tests;
