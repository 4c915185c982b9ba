//! The scorer: how well a text fits a query, from its words and its letters.
//!
//! Equal when squashed: 1. The text begins with the query: 0.90. Every word of the query is a word of
//! the text: 0.85. Otherwise 60 % overlap of words and 40 % resemblance of letters (Levenshtein), from
//! 0 to 0.89. Overlap is matched words over the larger number of words; a word of four or more
//! characters that is one edit away counts 0.8 of a match, because names are mistyped.
//!
//! The scorer ranks what an index finds ([`crate::warranty::search_keys`]).

use crate::warranty::{Score, words};

/// Shortest word that may be mistyped.
pub(crate) const SHORTEST_MISTYPED: usize = 4;

/// A text that was taken apart once, to be scored many times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    words: Vec<String>,
    squashed: String,
}

impl Phrase {
    /// The words of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let words = words(text);
        Self {
            squashed: words.concat(),
            words,
        }
    }

    /// Whether there is no word in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words, in order.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The words without anything between them.
    #[must_use]
    pub fn squashed(&self) -> &str {
        &self.squashed
    }
}

/// How well a text fits a query.
#[must_use]
pub fn score(query: &Phrase, text: &Phrase) -> Score {
    if query.is_empty() || text.is_empty() {
        return Score::ZERO;
    }
    if query.squashed == text.squashed {
        return Score::ONE;
    }
    if text.squashed.starts_with(&query.squashed) {
        return Score::PREFIX;
    }
    let matched = Matched::of(query, text);
    if matched.exactly == query.words.len() {
        return Score::ALL_WORDS;
    }
    blend(query, text, &matched)
}

/// How many words of a query are words of a text. Each word of the text is used once.
struct Matched {
    exactly: usize,
    nearly: usize,
}

impl Matched {
    fn of(query: &Phrase, text: &Phrase) -> Self {
        let mut left: Vec<&str> = text.words.iter().map(String::as_str).collect();
        let mut take = |fits: &dyn Fn(&str) -> bool| {
            let place = left.iter().position(|word| fits(word));
            place.map(|place| left.remove(place)).is_some()
        };
        let missing: Vec<&String> = query
            .words
            .iter()
            .filter(|word| !take(&|other: &str| other == word.as_str()))
            .collect();
        let nearly = missing
            .iter()
            .filter(|word| take(&|other: &str| is_mistyped(word, other)))
            .count();
        Self {
            exactly: query.words.len().saturating_sub(missing.len()),
            nearly,
        }
    }
}

fn is_mistyped(word: &str, other: &str) -> bool {
    let (length, other_length) = (word.chars().count(), other.chars().count());
    length.min(other_length) >= SHORTEST_MISTYPED
        && length.abs_diff(other_length) <= 1
        && strsim::levenshtein(word, other) == 1
}

/// 60 % of the overlap and 40 % of the resemblance, as one fraction that is rounded down once.
fn blend(query: &Phrase, text: &Phrase, matched: &Matched) -> Score {
    let most_words = query.words.len().max(text.words.len()) as u64;
    // In fifths of a word: five for a word, four for a mistyped one.
    let fifths = (matched.exactly as u64)
        .saturating_mul(5)
        .saturating_add((matched.nearly as u64).saturating_mul(4));
    let longest = query
        .squashed
        .chars()
        .count()
        .max(text.squashed.chars().count()) as u64;
    let edits = strsim::levenshtein(&query.squashed, &text.squashed) as u64;
    let alike = longest.saturating_sub(edits);

    let overlap = fifths.saturating_mul(6_000).saturating_mul(longest);
    let resemblance = alike
        .saturating_mul(4_000)
        .saturating_mul(most_words.saturating_mul(5));
    let whole = most_words.saturating_mul(5).saturating_mul(longest);
    let points = overlap.saturating_add(resemblance).checked_div(whole);
    Score::from_basis_points(points.unwrap_or(0)).min(Score::BEST_BLEND)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score_of(query: &str, text: &str) -> String {
        score(&Phrase::of(query), &Phrase::of(text)).to_string()
    }

    #[test]
    fn the_same_words_are_one() {
        for (query, text) in [
            ("O'Brien", "o brien"),
            ("OBRIEN", "O'Brien"),
            ("Beltran", "Beltrán"),
            ("山田太郎", "山田 太郎"),
            ("ax200", "AX-200"),
        ] {
            assert_eq!(score_of(query, text), "1", "{query} {text}");
        }
    }

    #[test]
    fn short_circuits_and_blends() {
        for (query, text, expected) in [
            ("AX-200", "AX-200 Handheld Terminal", "0.9"),
            ("山田", "山田太郎", "0.9"),
            ("terminal handheld", "AX-200 Handheld Terminal", "0.85"),
            ("smyth", "Anna Smyth", "0.85"),
            // One of two words, and five edits in nine letters: 0.3 + 0.4 * 4/9.
            ("anna jones", "Anna Smyth", "0.4777"),
            // A mistyped word: 0.6 * (1 + 0.8) / 2 + 0.4 * 8/9.
            ("anna smith", "Anna Smyth", "0.89"),
            // 0.6 * 0.8 / 2 + 0.4 * 4/9.
            ("smith", "Anna Smyth", "0.4177"),
            // Nothing in common but one letter of eight.
            ("zzzzzz", "AX-200 Handheld Terminal", "0"),
            ("abc", "abd", "0.2666"),
            ("", "AX-200", "0"),
            ("AX-200", "", "0"),
            ("---", "---", "0"),
        ] {
            assert_eq!(score_of(query, text), expected, "{query:?} {text:?}");
        }
    }

    // Case R-083.
    #[test]
    fn every_word_restricts_the_result() {
        let product = "BX-100 Kiosk Terminal";
        assert_eq!(score_of("kiosk bx", product), "0.85");
        for query in ["kiosk kt", "kiosk 2k", "xx kiosk"] {
            let query = Phrase::of(query);
            assert!(score(&query, &Phrase::of(product)) < Score::DEVICE_THRESHOLD);
        }
    }

    #[test]
    fn a_word_of_the_text_is_used_once() {
        assert_eq!(score_of("ann ann", "Jo Ann"), score_of("ann ann", "Ann Jo"));
        assert_ne!(score_of("ann ann", "Jo Ann"), "0.85");
    }

    fn name() -> impl Strategy<Value = String> {
        prop::collection::vec(
            prop_oneof![
                3 => prop::sample::select(vec!["anna", "smyth", "smith", "smithe", "o'brien", "Beltrán", "beltran", "山田"]).prop_map(str::to_owned),
                2 => "[ab]{1,5}",
                1 => "[a-e]{3,6}",
            ],
            0..4,
        )
        .prop_map(|parts| parts.join(" "))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn scores_stay_in_their_ranges(query in name(), text in name()) {
            let (query, text) = (Phrase::of(&query), Phrase::of(&text));
            let score = score(&query, &text);
            let equal = !query.is_empty() && query.squashed() == text.squashed();
            prop_assert_eq!(score == Score::ONE, equal);
            let above = [Score::ONE, Score::PREFIX];
            prop_assert!(score <= Score::BEST_BLEND || above.contains(&score));
        }

        #[test]
        fn spelling_does_not_change_a_score(query in name(), text in name()) {
            let plain = |text: &str| text.to_uppercase().replace(' ', " - ");
            prop_assert_eq!(score_of(&query, &text), score_of(&plain(&query), &plain(&text)));
        }
    }
}
