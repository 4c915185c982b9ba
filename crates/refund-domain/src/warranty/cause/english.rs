//! Reads English, and any text with blanks between its words.
//!
//! What counts stands in the tables. The reading of a mention is looked for in this order:
//! a context in which the word means something else; doubt (maybe, if, a question, another unit);
//! denial before it ("no signs of water damage") or after it ("water damage: none"). Denial must be
//! tight, with nothing but filler between it and the mention. A negation nearby that is not tight makes
//! the mention unclear.

mod tables;

use super::{Cause, Lexicon, Reading};

use tables::{
    ANOTHER, ASKS, CONTEXTS, DOUBT, FILLER, FOUND, NEGATION, NEW_STATEMENT, NO, NO_NEGATION, NOUNS,
    PROTECTION, REASON, VERBS, YES,
};

#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Comma,
    Colon,
    Stop,
    Question,
}

/// Each mention of a cause.
pub(super) fn read(text: &str, lexicon: &Lexicon) -> Vec<(Cause, Reading)> {
    let tokens = tokens(text);
    let mut mentions: Vec<(usize, usize, Cause)> = Vec::new();
    for start in 0..tokens.len() {
        for (phrase, cause) in &lexicon.spaced {
            let end = start.saturating_add(phrase.len());
            let fits = tokens.get(start..end).is_some_and(|here| {
                here.iter()
                    .zip(phrase)
                    .all(|(token, word)| *token == Token::Word(word))
            });
            if fits {
                mentions.push((start, end, *cause));
            }
        }
    }
    let text = Text {
        tokens: &tokens,
        mentions: &mentions,
    };
    mentions
        .iter()
        .map(|(start, end, cause)| (*cause, text.reading(*start, *end)))
        .collect()
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = |letter: char| letter.is_alphanumeric() || letter == '\'';
        let length = rest.find(|letter| !in_word(letter)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        if !word.is_empty() {
            let word = word.trim_matches('\'');
            if !word.is_empty() {
                tokens.push(Token::Word(word));
            }
            rest = behind;
            continue;
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        let blank_follows = rest.chars().next().is_none_or(char::is_whitespace);
        match first {
            '.' if blank_follows => tokens.push(Token::Stop),
            '!' | ';' | '\n' | '\r' | '(' | ')' | '\u{3002}' => tokens.push(Token::Stop),
            '?' => tokens.push(Token::Question),
            ',' | '/' | '\u{3001}' => tokens.push(Token::Comma),
            ':' | '=' | '\u{2013}' | '\u{2014}' => tokens.push(Token::Colon),
            '-' if blank_follows => tokens.push(Token::Colon),
            _ => {}
        }
    }
    tokens
}

struct Text<'a> {
    tokens: &'a [Token<'a>],
    /// First token, the token behind the last, cause.
    mentions: &'a [(usize, usize, Cause)],
}

impl Text<'_> {
    fn word(&self, place: usize) -> Option<&str> {
        match self.tokens.get(place) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn is_mention(&self, place: usize) -> bool {
        self.mentions
            .iter()
            .any(|(start, end, _)| (*start..*end).contains(&place))
    }

    /// Whether a word begins a statement of its own, so that a negation before it does not reach
    /// behind it. `and` joins two mentions, and parts everything else.
    fn parts(&self, place: usize) -> bool {
        match self.word(place) {
            Some("and") => {
                let joins = place
                    .checked_sub(1)
                    .is_some_and(|before| self.ends_mention(before));
                !(joins && self.is_mention(place.saturating_add(1)))
            }
            Some(word) => NEW_STATEMENT.contains(&word),
            None => true,
        }
    }

    /// The words before a place, the nearest first, up to a comma or a new statement.
    fn before(&self, place: usize) -> Vec<&str> {
        (0..place)
            .rev()
            .take_while(|here| !self.parts(*here))
            .filter_map(|here| self.word(here))
            .collect()
    }

    /// The words from a place on, up to a comma or a new statement.
    fn after(&self, place: usize) -> Vec<&str> {
        (place..self.tokens.len())
            .take_while(|here| !self.parts(*here))
            .filter_map(|here| self.word(here))
            .collect()
    }

    fn reading(&self, start: usize, end: usize) -> Reading {
        if let Some(reading) = self.context(start, end) {
            return reading;
        }
        match self.answer(end) {
            Some(true) => return Reading::Stated,
            Some(false) => return Reading::Denied,
            None => {}
        }
        if self.is_doubted(start, end) {
            return Reading::Unclear;
        }
        match (self.denied_before(start, end), self.denied_after(end)) {
            (Reading::Stated, after) => after,
            (before, Reading::Stated) => before,
            // Denied twice is not denied.
            _ => Reading::Unclear,
        }
    }

    /// Another meaning of the word.
    fn context(&self, start: usize, end: usize) -> Option<Reading> {
        let before = self.before(start);
        let after = self.after(end);
        if after.first().is_some_and(|next| PROTECTION.contains(next)) {
            return Some(Reading::Other);
        }
        let word = self.word(start)?;
        let near =
            |words: &[&str], known: &[&str]| words.iter().take(3).any(|word| known.contains(word));
        let (_, left, right, physical) = CONTEXTS.iter().find(|(known, ..)| *known == word)?;
        let to_a_number = after.first() == Some(&"to")
            && after
                .get(1)
                .is_some_and(|next| next.starts_with(|digit: char| digit.is_ascii_digit()));
        let other =
            near(&before, left) || near(&after, right) || (word == "dropped" && to_a_number);
        let real = after.iter().take(5).any(|word| physical.contains(word));
        match (other, real) {
            (true, true) => Some(Reading::Unclear),
            (true, false) => Some(Reading::Other),
            (false, _) => None,
        }
    }

    /// `Dropped? No.` and `water damage: none`: the answer, where there is one and nothing else.
    fn answer(&self, end: usize) -> Option<bool> {
        let mut place = end;
        while self.word(place).is_some_and(|word| NOUNS.contains(&word)) {
            place = place.saturating_add(1);
        }
        if !matches!(self.tokens.get(place), Some(Token::Colon | Token::Question)) {
            return None;
        }
        let answer = self.word(place.saturating_add(1))?;
        if self.word(place.saturating_add(2)).is_some() {
            return None;
        }
        if YES.contains(&answer) {
            Some(true)
        } else if NO.contains(&answer) {
            Some(false)
        } else {
            None
        }
    }

    fn is_doubted(&self, start: usize, end: usize) -> bool {
        let doubts = |word: &&str| DOUBT.contains(word);
        let mut causes_cross = Vec::new();
        // A cause that is doubted is doubted with its reason: "probably because it was dropped".
        for here in (0..start).rev() {
            match self.word(here) {
                Some(word) if REASON.contains(&word) => causes_cross.push(word),
                Some(word) if !self.parts(here) => causes_cross.push(word),
                _ => break,
            }
        }
        causes_cross.iter().any(doubts)
            || self.after(end).iter().take(4).any(doubts)
            || self.before(start).iter().any(|word| ANOTHER.contains(word))
            || self.is_asked(start, end)
    }

    fn is_asked(&self, start: usize, end: usize) -> bool {
        let ends = |token: &Token<'_>| matches!(token, Token::Stop | Token::Question);
        let rest = self.tokens.get(end..).unwrap_or_default();
        let Some(stop) = rest.iter().position(ends) else {
            return false;
        };
        if rest.get(stop) != Some(&Token::Question) {
            return false;
        }
        let last_part = !rest.iter().take(stop).any(|token| *token == Token::Comma);
        let before = self.tokens.get(..start).unwrap_or_default();
        let first = before
            .iter()
            .rposition(ends)
            .map_or(0, |place| place.saturating_add(1));
        last_part || self.word(first).is_some_and(|word| ASKS.contains(&word))
    }

    /// A negation in front of a mention.
    fn denied_before(&self, start: usize, end: usize) -> Reading {
        let mut place = start;
        let mut over_comma = false;
        let mut over_and = false;
        let mut or = (end..end.saturating_add(4))
            .take_while(|here| {
                self.is_mention(*here)
                    || !self.parts(*here)
                    || self.tokens.get(*here) == Some(&Token::Comma)
            })
            .any(|here| matches!(self.word(here), Some("or" | "nor")));
        while let Some(here) = place.checked_sub(1) {
            match self.tokens.get(here) {
                Some(Token::Word(word)) => {
                    let next = self.word(here.saturating_add(1));
                    if negates(word, next) {
                        let verbs = here.saturating_add(1)..start;
                        let pronoun_like = matches!(*word, "no" | "zero" | "non")
                            && verbs.clone().any(|place| {
                                self.word(place).is_some_and(|word| VERBS.contains(&word))
                            });
                        let again = *word != "nor"
                            && self
                                .before(here)
                                .into_iter()
                                .take(5)
                                .any(|word| negates(word, None));
                        let list_is_open = over_comma && !or;
                        return if pronoun_like || again || list_is_open || over_and {
                            Reading::Unclear
                        } else {
                            Reading::Denied
                        };
                    }
                    or |= matches!(*word, "or" | "nor");
                    over_and |= *word == "and";
                    let listed =
                        matches!(*word, "or" | "nor") || (*word == "and" && !self.parts(here));
                    if !(listed
                        || FILLER.contains(word)
                        || VERBS.contains(word)
                        || self.is_mention(here))
                    {
                        break;
                    }
                }
                // A list of mentions: "no water, impact or cosmetic damage".
                Some(Token::Comma)
                    if here
                        .checked_sub(1)
                        .is_some_and(|before| self.ends_mention(before)) =>
                {
                    over_comma = true;
                }
                _ => break,
            }
            place = here;
        }
        let loose = self.before(start).into_iter().take(5).collect::<Vec<_>>();
        let near = loose.iter().enumerate().any(|(distance, word)| {
            negates(
                word,
                distance
                    .checked_sub(1)
                    .and_then(|next| loose.get(next).copied()),
            )
        });
        if near {
            Reading::Unclear
        } else {
            Reading::Stated
        }
    }

    /// `water` and `water damage`.
    fn ends_mention(&self, place: usize) -> bool {
        let noun = self.word(place).is_some_and(|word| NOUNS.contains(&word));
        self.is_mention(place)
            || (noun
                && place
                    .checked_sub(1)
                    .is_some_and(|before| self.is_mention(before)))
    }

    /// A negation behind a mention: `water damage was not found`.
    fn denied_after(&self, end: usize) -> Reading {
        let after = self.after(end);
        let mut words = after
            .iter()
            .copied()
            .skip_while(|word| NOUNS.contains(word))
            .peekable();
        if words.peek() == Some(&"free") {
            return Reading::Denied;
        }
        let mut verbs = words.skip_while(|word| VERBS.contains(word));
        if verbs.next().is_some_and(|word| negates(word, None)) {
            let mut rest = verbs.skip_while(|word| VERBS.contains(word));
            if rest.next().is_some_and(|word| FOUND.contains(&word)) {
                return Reading::Denied;
            }
        }
        if after
            .into_iter()
            .take(4)
            .any(|word| word != "nor" && negates(word, None))
        {
            Reading::Unclear
        } else {
            Reading::Stated
        }
    }
}

/// Whether a word negates, given the one behind it: "not only" and "no doubt" do not.
fn negates(word: &str, next: Option<&str>) -> bool {
    match word {
        "not" | "no" if next.is_some_and(|next| NO_NEGATION.contains(&next)) => false,
        "free" => matches!(next, Some("of" | "from")),
        "lack" | "absence" => next == Some("of"),
        _ => NEGATION.contains(&word) || word.ends_with("n't"),
    }
}
