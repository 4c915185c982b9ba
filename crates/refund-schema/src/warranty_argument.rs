//! The kinds of arguments that the tools of warranties share. As in `argument.rs`, the rules stand in
//! the attributes and nowhere else.

use garde::Validate;
use refund_domain::CivilDate;
use refund_domain::warranty::{AddressText, Criterion, Identifier, ProblemText, RegionCode};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::argument::small_integer;
use crate::text::{FromText, Text};

macro_rules! from_text {
    ($($domain:ty => $new:path),+ $(,)?) => {
        $(impl FromText for $domain {
            fn from_text(text: &str) -> Result<Self, String> {
                $new(text).map_err(|error| error.to_string())
            }
        })+
    };
}

from_text!(
    Identifier => Identifier::new,
    CivilDate => CivilDate::parse,
    ProblemText => ProblemText::new,
    RegionCode => RegionCode::new,
    Criterion => Criterion::new,
    AddressText => AddressText::new,
);

/// What names a unit. Not blank; blanks at its ends are kept, because two units may differ in them.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend(
    "x-form" = "a text that is not blank",
    "x-no-number" = "because a number loses the zeros in front of it"
))]
#[garde(transparent)]
pub(crate) struct IdentifierArgument(
    #[garde(
        length(chars, min = 1, max = 128),
        pattern(r"^$|[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
    )]
    Text<Identifier>,
);

/// A day, to the letter.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-form" = "a day written yyyy-MM-dd, such as 2026-03-01", "x-day" = true))]
#[garde(transparent)]
pub(crate) struct DayArgument(#[garde(pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))] Text<CivilDate>);

/// What is wrong with a unit.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[garde(transparent)]
pub(crate) struct ProblemArgument(#[garde(length(chars, max = 4000))] Text<ProblemText>);

/// A country or a part of one.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-form" = "a region such as US or US-CA"))]
#[garde(transparent)]
pub(crate) struct RegionArgument(
    #[garde(pattern("^[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?$"))] Text<RegionCode>,
);

/// A criterion of a search. A blank one counts as left out, because many models send empty texts for
/// what they do not know.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-no-number" = "because a number loses the zeros in front of it"))]
#[garde(transparent)]
pub(crate) struct CriterionArgument(#[garde(length(chars, max = 320))] Text<Criterion>);

/// An address as a customer wrote it.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[schemars(extend("x-form" = "a text that is not blank"))]
#[garde(transparent)]
pub(crate) struct AddressTextArgument(
    #[garde(
        length(chars, min = 1, max = 500),
        pattern(r"^$|[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
    )]
    Text<AddressText>,
);

/// How many results a search lists at most.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, Validate)]
#[garde(transparent)]
pub(crate) struct TakeArgument(#[garde(range(min = 1, max = 25))] u32);

impl IdentifierArgument {
    pub(crate) fn into_domain(self) -> Identifier {
        self.0.into_value()
    }
}

impl DayArgument {
    pub(crate) fn into_domain(self) -> CivilDate {
        self.0.into_value()
    }
}

impl ProblemArgument {
    pub(crate) fn into_domain(self) -> ProblemText {
        self.0.into_value()
    }
}

impl RegionArgument {
    pub(crate) fn into_domain(self) -> RegionCode {
        self.0.into_value()
    }
}

impl CriterionArgument {
    pub(crate) fn into_domain(self) -> Criterion {
        self.0.into_value()
    }
}

impl AddressTextArgument {
    pub(crate) fn into_domain(self) -> AddressText {
        self.0.into_value()
    }
}

impl TakeArgument {
    /// As many units as a search lists if no number is asked for.
    pub(crate) fn usual_devices() -> Self {
        Self(10)
    }

    /// As many customers.
    pub(crate) fn usual_customers() -> Self {
        Self(5)
    }

    pub(crate) fn rows(self) -> u32 {
        self.0
    }
}

impl<'de> Deserialize<'de> for TakeArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        small_integer(deserializer).map(Self)
    }
}
