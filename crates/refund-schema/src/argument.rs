//! The kinds of arguments that tools share, each with its rules as attributes. The rules stand here
//! and nowhere else: schemars publishes them, the decoder enforces what is published, garde checks
//! once more.
//!
//! Keys that begin with `x-` say what JSON Schema cannot, and are not published: `x-trim` (the rules
//! are about the text without the white space around it), `x-max-decimals` (decimal places, by
//! value), `x-form` (the pattern in words, for messages), `x-day` (a day of the calendar, beyond its
//! pattern), `x-no-number` (why a number is no substitute, for messages).

use garde::Validate;
use refund_domain::{
    CustomerId, IdempotencyKey, OrderId, Reason, RefundId, RefundPosition, ReturnReason, SessionId,
    UserId, UserMessage,
};
use schemars::JsonSchema;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::decimal_text::DecimalText;
use crate::problem::TextForm;
use crate::text::Text;

/// A customer's id.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-form" = "CUST- and five digits, such as CUST-00001"))]
#[garde(transparent)]
pub(crate) struct CustomerIdArgument(#[garde(pattern("^CUST-[0-9]{5}$"))] Text<CustomerId>);

/// Why a refund is made.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-trim" = true))]
#[garde(transparent)]
pub(crate) struct ReasonArgument(#[garde(length(chars, min = 10, max = 500))] Text<Reason>);

/// The caller's own name for a refund.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-form" = TextForm::VISIBLE_ASCII))]
#[garde(transparent)]
pub(crate) struct IdempotencyKeyArgument(
    #[garde(length(chars, min = 1, max = 255), pattern("^[!-~]*$"))] Text<IdempotencyKey>,
);

/// A refund's id.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-form" = "a UUID with hyphens, such as 3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f"))]
#[garde(transparent)]
pub(crate) struct RefundIdArgument(
    #[garde(pattern(
        "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
    ))]
    Text<RefundId>,
);

/// Where a page begins.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-form" = "the nextCursor of the previous answer, unchanged"))]
#[garde(transparent)]
pub(crate) struct CursorArgument(
    #[garde(pattern("^r(0|[1-9a-f][0-9a-f]{0,14}|[1-7][0-9a-f]{15})$"))] Text<RefundPosition>,
);

/// A text that is not blank: its pattern asks for a character outside Unicode White_Space, or nothing at all,
/// which is too short and no more.
macro_rules! any_id_argument {
    ($(#[$docs:meta])* $name:ident, $domain:ty) => {
        $(#[$docs])*
        #[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
        #[schemars(extend("x-form" = TextForm::NOT_BLANK))]
        #[garde(transparent)]
        pub(crate) struct $name(
            #[garde(
                length(chars, min = 1, max = 320),
                pattern(r"^$|[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
            )]
            Text<$domain>,
        );

        impl $name {
            pub(crate) fn into_domain(self) -> $domain {
                self.0.into_value()
            }
        }
    };
}

any_id_argument!(
    /// What a customer is named with.
    UserIdArgument,
    UserId
);
any_id_argument!(
    /// An order's id.
    OrderIdArgument,
    OrderId
);
any_id_argument!(
    /// A conversation's id.
    SessionIdArgument,
    SessionId
);

/// Why an order is returned.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-trim" = true))]
#[garde(transparent)]
pub(crate) struct ReturnReasonArgument(
    #[garde(length(chars, min = 1, max = 500))] Text<ReturnReason>,
);

/// What a user wrote.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[garde(transparent)]
pub(crate) struct UserMessageArgument(
    #[garde(length(chars, min = 1, max = 4000))] Text<UserMessage>,
);

/// How many rows a page has at most.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, Validate)]
#[garde(transparent)]
pub(crate) struct LimitArgument(#[garde(range(min = 1, max = 100))] u32);

impl CustomerIdArgument {
    pub(crate) fn into_domain(self) -> CustomerId {
        self.0.into_value()
    }
}

impl ReasonArgument {
    pub(crate) fn into_domain(self) -> Reason {
        self.0.into_value()
    }
}

impl IdempotencyKeyArgument {
    pub(crate) fn into_domain(self) -> IdempotencyKey {
        self.0.into_value()
    }
}

impl RefundIdArgument {
    pub(crate) fn into_domain(self) -> RefundId {
        self.0.into_value()
    }
}

impl CursorArgument {
    pub(crate) fn into_domain(self) -> RefundPosition {
        self.0.into_value()
    }
}

impl ReturnReasonArgument {
    pub(crate) fn into_domain(self) -> ReturnReason {
        self.0.into_value()
    }
}

impl UserMessageArgument {
    pub(crate) fn into_domain(self) -> UserMessage {
        self.0.into_value()
    }
}

impl LimitArgument {
    /// The number of rows when none is asked for.
    pub(crate) fn usual() -> Self {
        Self(20)
    }

    pub(crate) fn rows(self) -> u32 {
        self.0
    }
}

/// From the number's text, because an integer is one by its value: `20.0` and `2e1` are twenty.
impl<'de> Deserialize<'de> for LimitArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        small_integer(deserializer).map(Self)
    }
}

/// An integer by its value, from its text.
pub(crate) fn small_integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    DecimalText::parse(raw.get())
        .and_then(|number| number.to_parts())
        .filter(|(_, places)| *places == 0)
        .and_then(|(integer, _)| u32::try_from(integer).ok())
        .ok_or_else(|| D::Error::invalid_value(Unexpected::Other("this"), &"a small integer"))
}

/// An optional key that, if it is there, has a value: JSON `null` is not "absent".
pub(crate) fn given<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::KeyRule;

    fn accepts<T: JsonSchema>(text: &str) -> bool {
        let json = serde_json::to_string(text).unwrap();
        let raw = serde_json::from_str::<&RawValue>(&json).unwrap();
        KeyRule::of::<T>("key").unwrap().judge(raw).is_empty()
    }

    #[test]
    fn patterns_accept_what_the_domain_accepts() {
        for text in [
            "CUST-00001",
            "CUST-99999",
            "cust-00001",
            "CUST-00001 ",
            " CUST-00001",
            "CUST-000001",
            "CUST-0001",
            "CUST-00001\n",
            "CUST-٠٠٠٠١",
            "",
            "CUST-",
            "xCUST-00001",
        ] {
            assert_eq!(
                accepts::<CustomerIdArgument>(text),
                CustomerId::new(text).is_ok(),
                "{text:?}"
            );
        }
        for text in [
            "3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f",
            "3F2C9F0E-5F43-4D3E-9A51-0C9B7D1D2E4F",
            "00000000-0000-0000-0000-000000000000",
            "3f2c9f0e5f434d3e9a510c9b7d1d2e4f",
            "{3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f}",
            "3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4g",
            "urn:uuid:3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f",
            "3f2c9f0e-5f43-4d3e-9a510-c9b7d1d2e4f",
            "",
        ] {
            assert_eq!(
                accepts::<RefundIdArgument>(text),
                RefundId::new(text).is_ok(),
                "{text:?}"
            );
        }
        for text in [
            "k",
            "ticket-4711",
            "two words",
            "ключ",
            "",
            "tab\t",
            "~!",
            "\u{7f}",
        ] {
            assert_eq!(
                accepts::<IdempotencyKeyArgument>(text),
                IdempotencyKey::new(text).is_ok(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn an_id_without_a_form_is_any_text_that_is_not_blank() {
        // Each character alone: the blank ones are those that the domain trims, all below U+3100.
        let rule = KeyRule::of::<OrderIdArgument>("key").unwrap();
        for character in ('\0'..='\u{3100}').chain('\u{10ff00}'..=char::MAX) {
            let text = character.to_string();
            let json = serde_json::to_string(&text).unwrap();
            let raw = serde_json::from_str::<&RawValue>(&json).unwrap();
            let accepted = OrderId::new(&text).is_ok();
            assert_eq!(rule.judge(raw).is_empty(), accepted, "{character:?}");
            assert_eq!(accepted, !character.is_whitespace(), "{character:?}");
        }
        let longest = "é".repeat(320);
        let too_long = "x".repeat(321);
        for text in [
            "",
            " \t\u{3000}",
            " x",
            "a\nb",
            "\n\nb",
            &longest,
            &too_long,
        ] {
            assert_eq!(
                accepts::<UserIdArgument>(text),
                UserId::new(text).is_ok(),
                "{text:?}"
            );
            assert_eq!(
                accepts::<SessionIdArgument>(text),
                SessionId::new(text).is_ok(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_cursor_is_what_a_position_was_written_as() {
        for number in [
            0,
            1,
            15,
            16,
            255,
            4096,
            0x7fff_ffff_ffff_ffff,
            0x1000_0000_0000_0000,
        ] {
            let position = RefundPosition::from_number(number).unwrap();
            assert!(accepts::<CursorArgument>(&position.to_string()), "{number}");
        }
        for text in [
            "",
            "r",
            "r01",
            "rA",
            "0",
            "R1",
            "r8000000000000000",
            "rffffffffffffffff",
            "r1 ",
            "r11111111111111111",
            "next",
        ] {
            assert_eq!(RefundPosition::parse(text), None, "{text}");
            assert!(!accepts::<CursorArgument>(text), "{text}");
        }
    }
}
