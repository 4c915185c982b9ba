//! What a negation before or behind a mention does to it.

use super::tables::{EXCEPT, Kind};
use super::{Mark, REACH, Reading, Text, has};

/// What stands between a mention and a negation before it.
#[derive(Debug, Default)]
struct Between {
    /// A word that is no filler.
    loose: bool,
    /// A comma.
    comma: bool,
    /// An `and` between two mentions.
    and: bool,
    /// An `or`, which tells that a list is one of what is denied.
    or: bool,
    /// A verb, which may begin a statement behind "no".
    verb: bool,
    /// How many words.
    words: usize,
}

impl Text<'_> {
    /// A negation in front of a mention.
    pub(super) fn denied_before(&self, start: usize, end: usize) -> Reading {
        let mut between = Between {
            or: self.or_follows(end),
            ..Between::default()
        };
        // A word that begins a statement, where it is filler as well: "not because of water".
        let mut opened = false;
        for here in (0..start).rev().take(REACH) {
            match self.mark(here) {
                Some(Mark::Word(_)) if self.negates(here) => {
                    return self.denial(here, end, &between);
                }
                Some(Mark::Word(word)) => {
                    let joins = word == "and" && self.joins(here);
                    between.or |= matches!(word, "or" | "nor");
                    between.and |= joins;
                    between.verb |= self.is(here, Kind::Auxiliary);
                    between.words = between.words.saturating_add(1);
                    let tight = joins
                        || matches!(word, "or" | "nor")
                        || self.is_item(here)
                        || self.is(here, Kind::Auxiliary);
                    if !tight && !between.comma && (opened || self.parts(here)) {
                        return Reading::Stated;
                    }
                    opened |= self.is(here, Kind::Opens);
                    between.loose |= !tight;
                }
                Some(Mark::Comma)
                    if !self.clause_begins(here.saturating_add(1))
                        && (!opened || between.comma) =>
                {
                    between.comma = true;
                    between.loose |= !here.checked_sub(1).is_some_and(|item| self.is_item(item));
                }
                // "No signs of: water, cracks".
                Some(Mark::Colon)
                    if !between.loose
                        && here
                            .checked_sub(1)
                            .is_some_and(|word| self.is(word, Kind::Filler)) => {}
                _ => return Reading::Stated,
            }
        }
        // The sentence began far away.
        if start > REACH && !between.loose {
            Reading::Unclear
        } else {
            Reading::Stated
        }
    }

    /// Whether a word can end an item of a list of damages.
    fn is_item(&self, place: usize) -> bool {
        self.ends_mention(place) || self.is(place, Kind::Filler) || self.is(place, Kind::Item)
    }

    /// Whether an `and` joins a mention to what stands before it.
    fn joins(&self, place: usize) -> bool {
        let item = |before: usize| self.ends_mention(before) || self.is(before, Kind::Item);
        place.checked_sub(1).is_some_and(item) && self.is_mention(place.saturating_add(1))
    }

    /// Whether `or` follows in the list that a mention stands in.
    fn or_follows(&self, end: usize) -> bool {
        (end..end.saturating_add(6))
            .take_while(|here| self.mark(*here) == Some(Mark::Comma) || !self.parts(*here))
            .any(|here| matches!(self.word(here), Some("or" | "nor")))
    }

    /// Whether a statement of its own begins behind a comma: "it …", "the screen is …".
    fn clause_begins(&self, place: usize) -> bool {
        let verb_follows =
            |from: usize| (from..from.saturating_add(4)).any(|here| self.is(here, Kind::Auxiliary));
        self.is(place, Kind::Subject)
            || (self.is(place, Kind::Determiner) && verb_follows(place))
            || (self.is(place, Kind::Unit) && verb_follows(place))
    }

    /// Whether a negation is about what a faulty unit does not do.
    fn is_consumed(&self, negation: usize) -> bool {
        let mut rest = self.after(negation.saturating_add(1)).skip_while(|here| {
            self.is(*here, Kind::Auxiliary)
                || self.is(*here, Kind::Adverb)
                || self.is(*here, Kind::Determiner)
                || matches!(self.word(*here), Some("more" | "longer" | "any" | "able"))
        });
        rest.next().is_some_and(|here| self.is(here, Kind::Symptom))
    }

    /// What a negation before a mention makes of it.
    fn denial(&self, here: usize, end: usize, between: &Between) -> Reading {
        if between.loose {
            let far = between.comma || between.words > 8;
            return if far && self.is_consumed(here) {
                Reading::Stated
            } else {
                Reading::Unclear
            };
        }
        let word = self.word(here).unwrap_or_default();
        // "no it was dropped".
        let begins = between.verb && matches!(word, "no" | "zero" | "non" | "0");
        // Denied twice is not denied.
        let again = word != "nor" && self.before(here).take(5).any(|word| self.negates(word));
        let joined = between.and && !matches!(word, "free" | "without" | "clear");
        let open = between.comma && !between.or;
        let limited = self.is_limited(end) || (here..end).any(|here| self.is(here, Kind::Degree));
        if begins || again || joined || open || limited {
            Reading::Unclear
        } else {
            Reading::Denied
        }
    }

    /// Whether a denial is of a degree or of a time only: "never dropped until yesterday".
    fn is_limited(&self, end: usize) -> bool {
        for here in (end..self.tokens.len()).take(5) {
            match self.mark(here) {
                Some(Mark::Word(_)) if self.is(here, Kind::Limit) => return true,
                Some(Mark::Word("as")) => return self.word(here.saturating_add(1)) == Some("far"),
                Some(Mark::Word(_)) if self.parts(here) => return false,
                Some(Mark::Word(_)) => {}
                Some(Mark::Comma) => {
                    let next = self.word(here.saturating_add(1));
                    return next.is_some_and(|word| has(EXCEPT, word));
                }
                _ => return false,
            }
        }
        false
    }

    /// A negation behind a mention: `water damage was not found`.
    pub(super) fn denied_after(&self, end: usize) -> Reading {
        let behind = self.behind(end);
        if self.word(behind) == Some("free") && !self.negates(behind) {
            return Reading::Denied;
        }
        let verb = |here: &usize| self.is(*here, Kind::Auxiliary);
        let mut verbs = self.after(behind).skip_while(verb);
        if let Some(negation) = verbs.next().filter(|here| self.negates(*here)) {
            let mut rest = self.after(negation.saturating_add(1)).skip_while(verb);
            let found = rest.next().filter(|here| self.is(*here, Kind::Found));
            if found.is_some_and(|found| !self.is_limited(found.saturating_add(1))) {
                return Reading::Denied;
            }
        }
        let negated = self.after(end).take(5).any(|here| {
            let answer = self.is(here, Kind::No) && !self.is(here, Kind::Negation);
            let negation = self.word(here) != Some("nor") && self.negates(here);
            answer || (negation && !self.is_consumed(here))
        });
        if negated {
            Reading::Unclear
        } else {
            Reading::Stated
        }
    }
}
