//! Causes that a warranty excludes, and how a text about a problem is read for them.
//!
//! A mention is *stated* ("I dropped it"), *unclear* ("it may have been dropped"), or neither: denied
//! ("it was not dropped") or about something else ("the connection dropped"). Only a stated cause
//! refuses; an unclear one goes to a person. Reading errs towards unclear: to refuse a customer for
//! something they did not say is worse than to ask.

mod english;
mod japanese;
mod lists;
#[cfg(test)]
mod tests;

use unicode_normalization::UnicodeNormalization as _;

/// A cause that a warranty excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// Water and other liquids.
    Liquid,
    /// Falls and blows.
    Impact,
    /// Wear that does not impair the function.
    Cosmetic,
}

impl Cause {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Self; 3] = [Self::Liquid, Self::Impact, Self::Cosmetic];

    /// The word in rules and in configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Liquid => "liquid",
            Self::Impact => "impact",
            Self::Cosmetic => "cosmetic",
        }
    }
}

/// The words that speak of each cause, as configuration has them: whole words or phrases, or pieces of
/// Japanese text. Case does not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseWords {
    /// Of [`Cause::Liquid`].
    pub liquid: Vec<String>,
    /// Of [`Cause::Impact`].
    pub impact: Vec<String>,
    /// Of [`Cause::Cosmetic`].
    pub cosmetic: Vec<String>,
}

/// English and Japanese.
impl Default for CauseWords {
    fn default() -> Self {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            liquid: own(lists::LIQUID),
            impact: own(lists::IMPACT),
            cosmetic: own(lists::COSMETIC),
        }
    }
}

/// Why words of causes cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CauseWordsError {
    /// A cause without words would be a rule that never fires.
    #[error("the cause {} has no words", .0.as_str())]
    Empty(Cause),
    /// A word without a letter.
    #[error("the cause {} has a word without a letter", .0.as_str())]
    Blank(Cause),
    /// A word that stands for two causes, or twice for one.
    #[error("the word {word} stands for {} and for {}", first.as_str(), second.as_str())]
    Overlap {
        /// The word, as it is compared.
        word: String,
        /// Where it came first.
        first: Cause,
        /// Where it came again.
        second: Cause,
    },
}

/// Words of causes that were checked, in the form in which texts are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lexicon {
    /// Words that stand between blanks, each a sequence of one or more.
    pub(crate) spaced: Vec<(Vec<String>, Cause)>,
    /// Pieces of text without blanks, the longest first.
    pub(crate) pieces: Vec<(String, Cause)>,
}

/// What a mention of a cause says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It happened.
    Stated,
    /// It may have happened.
    Unclear,
    /// It did not happen.
    Denied,
    /// The word means something else.
    Other,
}

/// The causes of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CausesFound {
    /// Those that the text states, in the order of [`Cause::ALL`].
    pub stated: Vec<Cause>,
    /// Those that it may mean, in the same order.
    pub unclear: Vec<Cause>,
}

impl Lexicon {
    pub(crate) fn new(words: &CauseWords) -> Result<Self, CauseWordsError> {
        let mut seen: Vec<(String, Cause)> = Vec::new();
        let mut spaced = Vec::new();
        let mut pieces = Vec::new();
        let lists = [
            (Cause::Liquid, &words.liquid),
            (Cause::Impact, &words.impact),
            (Cause::Cosmetic, &words.cosmetic),
        ];
        for (cause, list) in lists {
            if list.is_empty() {
                return Err(CauseWordsError::Empty(cause));
            }
            for word in list {
                let word = readable(word).trim().to_owned();
                if !word.chars().any(char::is_alphanumeric) {
                    return Err(CauseWordsError::Blank(cause));
                }
                if let Some((_, first)) = seen.iter().find(|(known, _)| *known == word) {
                    return Err(CauseWordsError::Overlap {
                        word,
                        first: *first,
                        second: cause,
                    });
                }
                if japanese::is_written_in(&word) {
                    pieces.push((word.clone(), cause));
                } else {
                    let parts = word
                        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
                        .filter(|part| !part.is_empty())
                        .map(str::to_owned)
                        .collect();
                    spaced.push((parts, cause));
                }
                seen.push((word, cause));
            }
        }
        pieces.sort_by_key(|(piece, _)| std::cmp::Reverse(piece.chars().count()));
        Ok(Self { spaced, pieces })
    }

    /// The causes of a text. A cause that one mention states and another denies is unclear.
    pub(crate) fn causes_of(&self, text: &str) -> CausesFound {
        let text = readable(text);
        let mut readings = english::read(&text, self);
        readings.extend(japanese::read(&text, self));
        let mut found = CausesFound::default();
        for cause in Cause::ALL {
            let has = |wanted| readings.contains(&(cause, wanted));
            if has(Reading::Stated) && !has(Reading::Denied) {
                found.stated.push(cause);
            } else if has(Reading::Stated) || has(Reading::Unclear) {
                found.unclear.push(cause);
            }
        }
        found
    }
}

/// The form in which texts and words are compared: compatibility forms composed, lower case, one kind
/// of apostrophe.
fn readable(text: &str) -> String {
    text.nfkc()
        .flat_map(char::to_lowercase)
        .map(|letter| match letter {
            '\u{2018}' | '\u{2019}' | '\u{2bc}' | '`' | '\u{b4}' => '\'',
            other => other,
        })
        .collect()
}
