//! English text as tokens, each with what it can do in a sentence.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::tables::{KINDS, Kind};

/// A word, or a mark that means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark<'a> {
    Word(&'a str),
    Comma,
    Colon,
    Open,
    Stop,
    Question,
}

/// A mark, and the kinds of its word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) mark: Mark<'a>,
    kinds: u32,
}

impl<'a> Token<'a> {
    fn new(mark: Mark<'a>) -> Self {
        let kinds = match mark {
            Mark::Word(word) => kinds_of(word),
            _ => 0,
        };
        Self { mark, kinds }
    }

    pub(super) fn is(&self, kind: Kind) -> bool {
        self.kinds & bit(kind) != 0
    }

    /// Whether a sentence ends here.
    pub(super) fn ends(&self) -> bool {
        matches!(self.mark, Mark::Stop | Mark::Question | Mark::Open)
    }
}

fn bit(kind: Kind) -> u32 {
    1_u32.checked_shl(kind as u32).unwrap_or(0)
}

fn kinds_of(word: &str) -> u32 {
    static KNOWN: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
        let mut known = HashMap::new();
        for (kind, words) in KINDS {
            for word in words.split_ascii_whitespace() {
                *known.entry(word).or_default() |= bit(*kind);
            }
        }
        known
    });
    let negation = if word.ends_with("n't") {
        bit(Kind::Negation)
    } else {
        0
    };
    KNOWN.get(word).copied().unwrap_or(0) | negation
}

/// What stands for a word: signs, abbreviations, an empty box.
const SIGNS: &[(&str, &str)] = &[
    ("w/out", "without"),
    ("w/o", "without"),
    ("n/a", "none"),
    ("[ ]", "unchecked"),
    ("[]", "unchecked"),
    ("\u{2610}", "unchecked"),
    ("\u{274c}", "none"),
    ("\u{2717}", "none"),
    ("\u{2718}", "none"),
    ("\u{1f6ab}", "none"),
    ("&", "and"),
];

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = |letter: char| letter.is_alphanumeric() || letter == '\'';
        let sign = SIGNS.iter().find_map(|(sign, word)| {
            let behind = rest.strip_prefix(sign)?;
            let whole = !in_word(first) || !behind.starts_with(in_word);
            whole.then_some((behind, *word))
        });
        if let Some((behind, word)) = sign {
            tokens.push(Token::new(Mark::Word(word)));
            rest = behind;
            continue;
        }
        let length = rest.find(|letter| !in_word(letter)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        if !word.is_empty() {
            let word = word.trim_matches('\'');
            if !word.is_empty() {
                tokens.push(Token::new(Mark::Word(word)));
            }
            rest = behind;
            continue;
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        tokens.extend(mark(first, rest).map(Token::new));
    }
    tokens
}

fn mark(first: char, behind: &str) -> Option<Mark<'static>> {
    let blank_follows = behind.chars().next().is_none_or(char::is_whitespace);
    Some(match first {
        '.' if blank_follows => Mark::Stop,
        '!' | ';' | '\n' | '\r' | ')' | '\u{3002}' => Mark::Stop,
        '(' => Mark::Open,
        '?' => Mark::Question,
        ',' | '/' | '\u{3001}' => Mark::Comma,
        ':' | '=' | '\u{2013}' | '\u{2014}' => Mark::Colon,
        '-' if blank_follows => Mark::Colon,
        _ => return None,
    })
}
