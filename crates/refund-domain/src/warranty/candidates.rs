//! What a store indexes so that a search by text needs no scan and finds what a scan would find.
//!
//! For every text that is searched (a customer's name; a product's name, its number and
//! [`crate::warranty::DeviceProduct::model_or_name`]) a store keeps
//!
//! 1. one row for each of its [`search_keys`], in a table with an index on the key, and
//! 2. its [`squash`]ed form, in a column with an index.
//!
//! A name of three words of seven letters has about 24 keys. [`crate::warranty::squash`] of a query is
//! the beginning that it looks for.
//!
//! It answers a [`TextProbe`] with every text that has one of the probe's keys, and every text whose
//! squashed form lies in the probe's range. Both are comparisons of whole texts or of their beginnings
//! in the order of bytes (`BINARY`, `COLLATE "C"`), so every database gives the same rows.
//!
//! # Why nothing is missed
//!
//! A text that has no row in common with the query has no equal word, no mistyped word, is not equal
//! when squashed and does not begin with the query. What is left of its score is at most 40 %
//! resemblance of letters, below every threshold. Two facts make this true:
//!
//! - *Words alone do not suffice.* A mistyped word counts too, so words of four or more characters are
//!   indexed with all forms that lack one character: two words that are one edit apart share such a
//!   form, or one of them is such a form of the other.
//! - *Squashed forms must be searched by their beginning*, not only as a whole: `AX-2` begins
//!   `AX-200 Handheld Terminal` and shares a word with it only by chance.

use std::collections::BTreeSet;

use crate::warranty::matching::SHORTEST_MISTYPED;
use crate::warranty::{Phrase, squash};

/// The keys under which a text is found: its words, and every form of a word of four or more
/// characters that lacks one character. In order, each once.
#[must_use]
pub fn search_keys(text: &str) -> BTreeSet<String> {
    keys_of(&Phrase::of(text))
}

fn keys_of(phrase: &Phrase) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for word in phrase.words() {
        let letters: Vec<char> = word.chars().collect();
        if letters.len() >= SHORTEST_MISTYPED {
            for place in 0..letters.len() {
                let (before, after) = letters.split_at(place);
                keys.insert(before.iter().chain(after.iter().skip(1)).collect());
            }
        }
        keys.insert(word.clone());
    }
    keys
}

/// What a search by text asks a store for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextProbe {
    query: Phrase,
    keys: BTreeSet<String>,
    below: String,
}

impl TextProbe {
    /// The probe of a query; `None` where there is no word in it.
    #[must_use]
    pub fn of(query: &str) -> Option<Self> {
        let query = Phrase::of(query);
        if query.is_empty() {
            return None;
        }
        Some(Self {
            keys: keys_of(&query),
            // No letter or digit sorts behind the last code point.
            below: format!("{}{}", query.squashed(), char::MAX),
            query,
        })
    }

    /// The query, taken apart.
    #[must_use]
    pub fn query(&self) -> &Phrase {
        &self.query
    }

    /// The keys: a text that has one of them is a candidate.
    #[must_use]
    pub fn keys(&self) -> &BTreeSet<String> {
        &self.keys
    }

    /// The range of squashed forms, from the first to before the second: a text whose squashed form
    /// lies in it is a candidate.
    #[must_use]
    pub fn squash_range(&self) -> (&str, &str) {
        (self.query.squashed(), &self.below)
    }

    /// Whether a text is a candidate, as an index would say. For stores without an index, and for tests.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        let squashed = squash(text);
        let (from, below) = self.squash_range();
        (from <= squashed.as_str() && squashed.as_str() < below)
            || search_keys(text).iter().any(|key| self.keys.contains(key))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::warranty::{Score, score};

    #[test]
    fn keys_are_words_and_words_with_a_letter_less() {
        let keys: Vec<String> = search_keys("AX-200, Café").into_iter().collect();
        assert_eq!(
            keys,
            ["200", "afe", "ax", "caf", "cafe", "cae", "cfe"]
                .map(str::to_owned)
                .into_iter()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect::<Vec<_>>()
        );
        assert!(search_keys("--").is_empty());
        assert!(TextProbe::of(" - ").is_none());
    }

    #[test]
    fn each_way_to_match_has_its_way_to_be_found() {
        for (query, text, found) in [
            ("smyth", "Anna Smyth", true),
            ("smith", "Anna Smyth", true),
            ("smythe", "Anna Smyth", true),
            ("smyt", "Anna Smyth", true),
            ("ax2", "AX-200 Handheld Terminal", true),
            ("ann as", "Anna Smyth", true),
            ("nna", "Anna Smyth", true),
            ("zzz", "Anna Smyth", false),
            ("myt", "Anna Smyth", false),
        ] {
            assert_eq!(TextProbe::of(query).unwrap().finds(text), found, "{query}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec(
            prop_oneof![
                3 => "[ab]{1,6}",
                2 => "[abc]{4,6}",
                2 => "[a-d1]{1,4}",
                1 => "[aéß山田ガ\u{301}]{1,4}",
            ],
            1..4,
        )
        .prop_map(|parts| parts.join("-"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// *Invariant:* candidates are complete: what an index does not find stays below every
        /// threshold, because nothing but the resemblance of letters is left.
        #[test]
        fn what_is_not_found_is_below_every_threshold(query in text(), text in text()) {
            if let Some(probe) = TextProbe::of(&query) {
                let score = score(probe.query(), &Phrase::of(&text));
                if !probe.finds(&text) {
                    prop_assert!(score.basis_points() <= 4_000);
                    prop_assert!(score < Score::PERSON_THRESHOLD && score < Score::DEVICE_THRESHOLD);
                }
            }
        }

        #[test]
        fn any_text_is_a_candidate_for_itself(text in any::<String>()) {
            if let Some(probe) = TextProbe::of(&text) {
                prop_assert!(probe.finds(&text));
            }
        }
    }
}
