//! Causes that a warranty excludes, and how a text about a problem is read for them.
//!
//! A mention is *stated* ("I dropped it"), *unclear* ("it may have been dropped"), or neither: denied
//! ("it was not dropped") or about something else ("the connection dropped"). Only a stated cause
//! refuses; an unclear one goes to a person. Reading errs towards unclear: what is neither plainly
//! stated nor plainly denied is for a person, because to refuse a customer for something they did not say
//! is worse than to ask, and so is to promise what the text speaks against.
//!
//! The time it takes grows with the length of a text and no faster.

mod english;
mod forms;
mod japanese;
mod lists;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;

use crate::warranty::words::is_invisible;

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
    /// A word that says nothing: blank, without a letter, or a single one of an alphabet or of kana.
    #[error("the cause {} has the word {word:?}, which needs two letters or a Chinese character", cause.as_str())]
    Odd {
        /// Where it stands.
        cause: Cause,
        /// As written.
        word: String,
    },
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Lexicon {
    /// Words that stand between blanks, by the first of them.
    spaced: BTreeMap<String, Vec<Entry>>,
    /// Pieces of text without blanks, by their first character, the longest first.
    pieces: BTreeMap<char, Vec<Entry>>,
}

/// A word of a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// The words of a phrase, or the one piece of text.
    parts: Vec<String>,
    cause: Cause,
    /// The word of the list that this is, or is a form of. It says which other meanings there are.
    base: String,
    /// Whether it is in the list itself. Another form of it is heard, but never refuses.
    listed: bool,
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
        let mut seen: BTreeMap<String, Cause> = BTreeMap::new();
        let lists = [
            (Cause::Liquid, &words.liquid),
            (Cause::Impact, &words.impact),
            (Cause::Cosmetic, &words.cosmetic),
        ];
        for (cause, list) in lists {
            if list.is_empty() {
                return Err(CauseWordsError::Empty(cause));
            }
            for written in list {
                let word = readable(written).trim().to_owned();
                if !says_something(&word) {
                    return Err(CauseWordsError::Odd {
                        cause,
                        word: written.clone(),
                    });
                }
                if let Some(first) = seen.insert(word.clone(), cause) {
                    return Err(CauseWordsError::Overlap {
                        word,
                        first,
                        second: cause,
                    });
                }
            }
        }
        let mut lexicon = Self::default();
        for (word, cause) in &seen {
            lexicon.add(word, *cause, word, true);
        }
        for (base, forms) in forms::FORMS {
            let Some(cause) = seen.get(*base) else {
                continue;
            };
            for form in forms.iter().filter(|form| !seen.contains_key(**form)) {
                lexicon.add(form, *cause, base, false);
            }
        }
        for entries in lexicon.pieces.values_mut() {
            let length = |entry: &Entry| entry.parts.first().map_or(0, String::len);
            entries.sort_by_key(|entry| Reverse(length(entry)));
        }
        Ok(lexicon)
    }

    fn add(&mut self, word: &str, cause: Cause, base: &str, listed: bool) {
        let entry = |parts| Entry {
            parts,
            cause,
            base: base.to_owned(),
            listed,
        };
        if japanese::is_written_in(word) {
            if let Some(first) = word.chars().next() {
                let pieces = self.pieces.entry(first).or_default();
                pieces.push(entry(vec![word.to_owned()]));
            }
            return;
        }
        let parts: Vec<String> = word
            .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        if let Some(first) = parts.first() {
            let entries = self.spaced.entry(first.clone()).or_default();
            entries.push(entry(parts));
        }
    }

    /// The causes of a text. A cause that one mention states and another denies is unclear.
    pub(crate) fn causes_of(&self, text: &str) -> CausesFound {
        let mut found = self.read(&readable(text));
        // A character that cannot be seen stands inside a word, or in the place of a blank.
        if text.contains(is_unseen) {
            let apart = self.read(&readable(&text.replace(is_unseen, " ")));
            let also = apart.stated.into_iter().chain(apart.unclear);
            found.unclear.extend(also);
            found.unclear.sort_unstable();
            found.unclear.dedup();
            found.unclear.retain(|cause| !found.stated.contains(cause));
        }
        found
    }

    fn read(&self, text: &str) -> CausesFound {
        let mut readings = english::read(text, self);
        readings.extend(japanese::read(text, self));
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

impl Entry {
    /// The reading of a mention: a form that the list does not have leaves open what it has not denied.
    fn heard(&self, reading: Reading) -> (Cause, Reading) {
        match reading {
            Reading::Stated if !self.listed => (self.cause, Reading::Unclear),
            reading => (self.cause, reading),
        }
    }
}

/// Whether a word can be looked for: two letters, or one Chinese character.
fn says_something(word: &str) -> bool {
    let chinese = |letter| matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
    let letters = word.chars().filter(|letter| letter.is_alphabetic());
    word.contains(chinese) || letters.count() >= 2
}

/// The form in which texts and words are compared: compatibility forms composed, lower case, one kind
/// of apostrophe, nothing that cannot be seen.
fn readable(text: &str) -> String {
    text.nfkc()
        .filter(|letter| !is_unseen(*letter))
        .flat_map(char::to_lowercase)
        .map(|letter| match letter {
            '\u{2018}' | '\u{2019}' | '\u{2bc}' | '`' | '\u{b4}' => '\'',
            other => other,
        })
        .collect()
}

fn is_unseen(letter: char) -> bool {
    is_invisible(letter)
        || matches!(
            letter,
            '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{2065}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{ffa0}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}
