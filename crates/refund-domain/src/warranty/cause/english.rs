//! Reads English, and any text with blanks between its words.
//!
//! What counts stands in the tables. The reading of a mention is looked for in this order:
//! a context in which the word means something else; an answer behind it ("water damage: none"); doubt
//! (maybe, if, a question, another unit); denial before it ("no signs of water damage") or behind it
//! ("water damage was not found"). Denial must be tight, with nothing but filler and other mentions between
//! it and the mention, and it must deny all of it ("not dropped more than once" does not). Any other
//! negation that may reach the mention makes it unclear.

mod context;
mod denial;
mod tables;
mod token;

use super::{Cause, Entry, Lexicon, Reading};

use tables::{Kind, NO_NEGATION, TIMES};
use token::{Mark, Token, tokens};

/// How many words around a mention are looked at. A longer sentence says the rest elsewhere.
const REACH: usize = 24;

/// Each mention of a cause.
pub(super) fn read(text: &str, lexicon: &Lexicon) -> Vec<(Cause, Reading)> {
    let tokens = tokens(text);
    let mut mentions = Vec::new();
    let mut mentioned = vec![false; tokens.len()];
    for start in 0..tokens.len() {
        let Some(Mark::Word(first)) = tokens.get(start).map(|token| token.mark) else {
            continue;
        };
        for entry in lexicon.spaced.get(first).into_iter().flatten() {
            let end = start.saturating_add(entry.parts.len());
            let here = tokens.get(start..end).unwrap_or_default();
            let words = here.iter().map(|token| token.mark);
            if words.eq(entry.parts.iter().map(|word| Mark::Word(word))) {
                mentioned
                    .iter_mut()
                    .take(end)
                    .skip(start)
                    .for_each(|here| *here = true);
                mentions.push(Mention { start, end, entry });
            }
        }
    }
    let text = Text {
        tokens: &tokens,
        mentioned: &mentioned,
    };
    mentions
        .iter()
        .map(|mention| mention.entry.heard(text.reading(mention)))
        .collect()
}

/// A mention of a cause.
struct Mention<'a> {
    /// Its first token.
    start: usize,
    /// The token behind its last.
    end: usize,
    entry: &'a Entry,
}

struct Text<'a> {
    tokens: &'a [Token<'a>],
    /// Whether a token belongs to a mention.
    mentioned: &'a [bool],
}

impl<'a> Text<'a> {
    fn mark(&self, place: usize) -> Option<Mark<'a>> {
        self.tokens.get(place).map(|token| token.mark)
    }

    fn word(&self, place: usize) -> Option<&'a str> {
        match self.mark(place) {
            Some(Mark::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn is(&self, place: usize, kind: Kind) -> bool {
        self.tokens.get(place).is_some_and(|token| token.is(kind))
    }

    fn ends(&self, place: usize) -> bool {
        self.tokens.get(place).is_none_or(Token::ends)
    }

    fn is_mention(&self, place: usize) -> bool {
        self.mentioned.get(place) == Some(&true)
    }

    /// `water` and `water damage`.
    fn ends_mention(&self, place: usize) -> bool {
        let before = place.checked_sub(1);
        self.is_mention(place)
            || (self.is(place, Kind::Noun) && before.is_some_and(|before| self.is_mention(before)))
    }

    /// Whether a word begins a statement of its own, so that what stands before it does not reach
    /// behind it. `and` joins two mentions, and parts everything else.
    fn parts(&self, place: usize) -> bool {
        match self.word(place) {
            Some("and") => {
                let joins = place
                    .checked_sub(1)
                    .is_some_and(|before| self.ends_mention(before));
                !(joins && self.is_mention(place.saturating_add(1)))
            }
            Some(_) => self.is(place, Kind::Opens),
            None => true,
        }
    }

    /// The places of the words before a place, the nearest first, up to a mark or a new statement.
    fn before(&self, place: usize) -> impl Iterator<Item = usize> {
        (0..place)
            .rev()
            .take(REACH)
            .take_while(|here| !self.parts(*here))
    }

    /// The places of the words from a place on, up to a mark or a new statement.
    fn after(&self, place: usize) -> impl Iterator<Item = usize> {
        (place..self.tokens.len())
            .take(REACH)
            .take_while(|here| !self.parts(*here))
    }

    /// The place behind the nouns that still belong to a mention.
    fn behind(&self, end: usize) -> usize {
        let nouns = self
            .after(end)
            .take_while(|here| self.is(*here, Kind::Noun));
        end.saturating_add(nouns.count())
    }

    /// Whether a word negates: "not only" and "no doubt" do not, "away from" does.
    fn negates(&self, place: usize) -> bool {
        let next = self.word(place.saturating_add(1)).unwrap_or_default();
        match self.word(place) {
            Some("not" | "no") if has(NO_NEGATION, next) => false,
            Some("free" | "away" | "far" | "clear" | "safe") => matches!(next, "of" | "from"),
            Some("lack" | "absence") => next == "of",
            _ => self.is(place, Kind::Negation),
        }
    }

    fn reading(&self, mention: &Mention<'_>) -> Reading {
        let Mention { start, end, .. } = *mention;
        if let Some(reading) = self.context(mention) {
            return reading;
        }
        if let Some(reading) = self.answer(mention) {
            return reading;
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

    /// `Dropped? No.`, `water damage: none` and `impact: high`: the answer, where there is one.
    fn answer(&self, mention: &Mention<'_>) -> Option<Reading> {
        let mark = self.behind(mention.end);
        let answer = mark.saturating_add(1);
        let next = answer.saturating_add(1);
        let alone = self.word(next).is_none();
        let listed = match self.mark(mark)? {
            Mark::Colon | Mark::Question | Mark::Open => false,
            Mark::Comma => true,
            Mark::Word(_) | Mark::Stop => return None,
        };
        let denies = self.is(answer, Kind::No);
        if denies && !self.is(next, Kind::Symptom) {
            // "water, none" may deny what comes before, or what comes next.
            let denied = alone && !listed;
            return Some(if denied {
                Reading::Denied
            } else {
                Reading::Unclear
            })
            .filter(|_| alone || !listed);
        }
        if listed {
            return None;
        }
        let base = mention.entry.base.as_str();
        if self.is(answer, Kind::Yes) && alone {
            Some(Reading::Stated)
        } else if base == "cosmetic" && self.is(answer, Kind::Good) {
            Some(Reading::Denied)
        } else if base == "impact" && self.is(answer, Kind::Level) {
            Some(Reading::Other)
        } else if self.is(answer, Kind::Doubt) {
            Some(Reading::Unclear)
        } else {
            None
        }
    }

    fn is_doubted(&self, start: usize, end: usize) -> bool {
        // A cause that is doubted is doubted with its reason: "probably because it was dropped".
        let before = (0..start)
            .rev()
            .take(REACH)
            .take_while(|here| self.is(*here, Kind::Reason) || !self.parts(*here));
        let words = before.chain(self.after(end).take(4));
        words.into_iter().any(|here| self.doubts(here))
            || self.is_doubted_at_last(end)
            || self.before(start).any(|here| self.is_another(here))
            || self.is_asked(start, end)
    }

    /// "dropped, from low height, I think".
    fn is_doubted_at_last(&self, end: usize) -> bool {
        let mut rest = (end..self.tokens.len()).take(REACH);
        let stop = rest
            .find(|here| self.ends(*here))
            .unwrap_or(self.tokens.len());
        let words = (end..stop)
            .rev()
            .take_while(|here| self.word(*here).is_some());
        let (mut doubt, mut count) = (false, 0_usize);
        for here in words {
            doubt |= self.doubts(here);
            count = count.saturating_add(1);
        }
        doubt && count <= 3 && end.saturating_add(count) < stop
    }

    /// "I doubt", but not "no doubt".
    fn doubts(&self, place: usize) -> bool {
        let sure = self.word(place) == Some("doubt")
            && place.checked_sub(1).is_some_and(|before| {
                matches!(
                    self.word(before),
                    Some("no" | "not" | "never" | "without" | "beyond")
                )
            });
        self.is(place, Kind::Doubt) && !sure
    }

    /// "another phone" and "the old one", but not "last week".
    fn is_another(&self, place: usize) -> bool {
        let next = place.saturating_add(1);
        match self.word(place) {
            Some("last") => !self.word(next).is_some_and(|word| has(TIMES, word)),
            Some("other") => (next..next.saturating_add(3)).any(|here| self.is(here, Kind::Unit)),
            _ => self.is(place, Kind::Another),
        }
    }

    fn is_asked(&self, start: usize, end: usize) -> bool {
        let mut rest = (end..self.tokens.len()).take(REACH);
        let Some(stop) = rest.find(|here| self.ends(*here)) else {
            return false;
        };
        if self.mark(stop) != Some(Mark::Question) {
            return false;
        }
        let last_part = !(end..stop).any(|here| self.mark(here) == Some(Mark::Comma));
        let first = (0..start)
            .rev()
            .take(REACH)
            .find(|here| self.ends(*here))
            .map_or(0, |place| place.saturating_add(1));
        last_part || self.is(first, Kind::Asks)
    }
}

/// Whether a word is in a list of words between blanks.
fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}
