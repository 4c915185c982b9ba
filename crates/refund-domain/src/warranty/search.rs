//! What is asked when no identifier is at hand, and why a search may not be made.

use std::fmt;

use crate::TextError;
use crate::text::{length, text_type};
use crate::warranty::{TextProbe, squash};

text_type!(
    /// A criterion of a search as it was typed, at most 320 characters. A blank one is none.
    Criterion,
    personal
);
text_type!(
    /// An identifier as it was typed: a serial number, a MAC address, an IMEI or an asset tag. At most
    /// 128 characters, not blank.
    Identifier,
    personal
);
text_type!(
    /// An address as a customer wrote it, at most 500 characters, not blank.
    AddressText,
    personal
);

impl Criterion {
    /// Most characters.
    pub const MOST: usize = 320;

    /// Checks.
    ///
    /// # Errors
    /// Longer than [`Criterion::MOST`].
    pub fn new(text: &str) -> Result<Self, TextError> {
        length(text, "a criterion", 0, Self::MOST)?;
        Ok(Self(text.to_owned()))
    }

    /// Whether nothing is asked with it.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl Identifier {
    /// Most characters.
    pub const MOST: usize = 128;

    /// Checks. Nothing is trimmed: two units may differ in nothing but a blank.
    ///
    /// # Errors
    /// Blank, or longer than [`Identifier::MOST`].
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "an identifier";
        length(text.trim(), WHAT, 1, Self::MOST)?;
        length(text, WHAT, 1, Self::MOST)?;
        Ok(Self(text.to_owned()))
    }
}

impl AddressText {
    /// Most characters.
    pub const MOST: usize = 500;

    /// Checks.
    ///
    /// # Errors
    /// Blank, or longer than [`AddressText::MOST`].
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "an address";
        length(text.trim(), WHAT, 1, Self::MOST)?;
        length(text, WHAT, 1, Self::MOST)?;
        Ok(Self(text.to_owned()))
    }
}

/// Most candidates that a search ranks. One that has more is refused, because it tells nothing apart.
/// How many there are depends on the stored texts alone, so every store refuses the same searches.
pub const MOST_CANDIDATES: u32 = 2_000;

/// Why a search is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchRefusal {
    /// No criterion.
    NothingAsked,
    /// A criterion that says too little.
    TooShort(&'static str),
    /// More than [`MOST_CANDIDATES`] candidates.
    TooBroad(&'static str),
}

impl fmt::Display for SearchRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingAsked => {
                f.write_str("Nothing was asked for: give at least one criterion.")
            }
            Self::TooShort(name) => write!(
                f,
                "{name} says too little to search for: give at least two letters or digits (four digits of a telephone number)."
            ),
            Self::TooBroad(name) => write!(
                f,
                "{name} fits more than {MOST_CANDIDATES} entries: give more of it, or another criterion."
            ),
        }
    }
}

/// The probe of a criterion. One Chinese character, kana or Hangul syllable is a word; one other letter
/// or digit is not.
pub(crate) fn probe(name: &'static str, criterion: &Criterion) -> Result<TextProbe, SearchRefusal> {
    let squashed = squash(criterion.as_str());
    let mut letters = squashed.chars();
    let says_enough = match (letters.next(), letters.next()) {
        (Some(_), Some(_)) => true,
        (Some(only), None) => is_a_word_by_itself(only),
        (None, _) => false,
    };
    TextProbe::of(criterion.as_str())
        .filter(|_| says_enough)
        .ok_or(SearchRefusal::TooShort(name))
}

fn is_a_word_by_itself(letter: char) -> bool {
    matches!(
        letter,
        '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    // Cases.
    #[test]
    fn too_short_is_said_and_never_silent() {
        for (text, made) in [
            ("2k", true),
            ("33", true),
            ("2k 33", true),
            ("林", true),
            ("ア", true),
            ("김", true),
            ("a", false),
            ("7", false),
            (" é ", false),
            ("-'-", false),
        ] {
            let probe = probe("name", &Criterion::new(text).unwrap());
            assert_eq!(probe.is_ok(), made, "{text}");
            if !made {
                assert_eq!(probe, Err(SearchRefusal::TooShort("name")));
            }
        }
    }

    #[test]
    fn blanks_belong_to_identifiers_but_do_not_make_one() {
        assert_eq!(Identifier::new(" X1 ").unwrap().as_str(), " X1 ");
        for text in ["", " ", "\u{3000}\t", &"x".repeat(129)] {
            assert!(Identifier::new(text).is_err(), "{text:?}");
        }
        assert!(Criterion::new(" \u{3000}").unwrap().is_blank());
        assert!(AddressText::new("\n").is_err());
    }
}
