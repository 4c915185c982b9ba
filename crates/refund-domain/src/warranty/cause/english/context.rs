//! Words that mean something else where they stand: "the connection dropped", "rain mode".

use super::tables::{AMOUNTS, COMPOUNDS, CONTEXTS, Context, GOES_ON, Kind, PREPOSITIONS};
use super::{Mention, Reading, Text, has};

impl Text<'_> {
    /// Another meaning of a mention, or a doubt about its meaning.
    pub(super) fn context(&self, mention: &Mention<'_>) -> Option<Reading> {
        let Mention { start, end, entry } = *mention;
        let base = entry.base.as_str();
        let behind = self.behind(end);
        if self.is(end, Kind::Protection) {
            return Some(Reading::Other);
        }
        if self.is(behind, Kind::Indicator) {
            return Some(Reading::Unclear);
        }
        let next = self.word(end).unwrap_or_default();
        let before = start.checked_sub(1).and_then(|before| self.word(before));
        let compound = COMPOUNDS
            .iter()
            .any(|(word, behind)| *word == base && has(behind, next));
        if compound || (before == Some("from") && self.word(start) == Some("scratch")) {
            return Some(Reading::Other);
        }
        // "a noise like water running".
        if before == Some("like") {
            return Some(Reading::Unclear);
        }
        let context = CONTEXTS.iter().find(|context| context.base == base);
        if let Some(reading) = context.and_then(|context| self.other(start, end, context)) {
            return Some(reading);
        }
        match base {
            "wet" => self.wet(start, end),
            "impact" => self.impact(end),
            "dropped" => self.dropped(start, end),
            "cosmetic" => self.good_looks(behind),
            _ => None,
        }
    }

    fn other(&self, start: usize, end: usize, context: &Context) -> Option<Reading> {
        let known = |list: &'static str| {
            move |here: usize| {
                let thing = self.is(here.saturating_add(1), Kind::Unit);
                !thing && self.word(here).is_some_and(|word| has(list, word))
            }
        };
        let named = |here: usize| self.is(here, Kind::Unit) && !self.is(here, Kind::Determiner);
        let real = self
            .after(end)
            .take(7)
            .any(|here| self.is(here, Kind::Physical) || (context.noun && named(here)));
        let object = self
            .after(end)
            .take_while(|here| self.is(*here, Kind::Unit) || self.is(*here, Kind::Determiner))
            .count();
        let is_thing = (0..object).any(|place| self.is(end.saturating_add(place), Kind::Unit));
        let mut before = self.before(start).take(5);
        let mut after = self.after(end).take(5);
        let subject = if context.noun {
            before.any(known(context.before))
        } else {
            self.subject(start).is_some_and(known(context.before))
        };
        let spoken_of = if context.noun {
            after.any(known(context.after))
        } else {
            !is_thing
                && after
                    .take_while(|here| !has(PREPOSITIONS, self.word(*here).unwrap_or_default()))
                    .any(known(context.after))
        };
        if subject || spoken_of {
            return Some(if real {
                Reading::Unclear
            } else {
                Reading::Other
            });
        }
        let me = usize::from(
            object == 0
                && self
                    .word(end)
                    .is_some_and(|word| matches!(word, "me" | "us" | "users" | "him" | "them")),
        );
        let particle = end.saturating_add(object).saturating_add(me);
        let word = self
            .word(particle)
            .filter(|word| has(context.particles, word))?;
        let next = particle.saturating_add(1);
        // "dropped off the network".
        if !is_thing && self.after(next).take(4).any(known(context.after)) {
            return Some(if real {
                Reading::Unclear
            } else {
                Reading::Other
            });
        }
        let amount = |place: usize| {
            self.word(place).is_some_and(|word| {
                has(AMOUNTS, word) || word.starts_with(|digit: char| digit.is_ascii_digit())
            })
        };
        match word {
            // "by half", "by 5 %"; but "by a courier".
            "by" => {
                let article = usize::from(self.word(next) == Some("a"));
                amount(next.saturating_add(article)).then_some(Reading::Other)
            }
            "off" if matches!(self.word(next), Some("at" | "with" | "to" | "for")) => {
                Some(Reading::Other)
            }
            _ if real => None,
            // "dropped it off at your counter".
            "off" => {
                let handed = matches!(
                    self.word(next),
                    None | Some(
                        "at" | "with"
                            | "to"
                            | "for"
                            | "by"
                            | "yesterday"
                            | "today"
                            | "on"
                            | "last"
                            | "this"
                    )
                );
                let thing = self
                    .after(next)
                    .take(4)
                    .any(|here| self.is(here, Kind::Unit));
                Some(if handed || (object == 0 && !thing) {
                    Reading::Other
                } else {
                    Reading::Unclear
                })
            }
            "from" | "below" => None,
            _ if object == 0 => Some(Reading::Other),
            _ => Some(Reading::Unclear),
        }
    }

    /// What is wet is the unit, unless a noun follows that is none.
    fn wet(&self, start: usize, end: usize) -> Option<Reading> {
        let predicate = start
            .checked_sub(1)
            .is_some_and(|before| self.is(before, Kind::Auxiliary));
        let goes_on = self.word(end).is_none_or(|next| has(GOES_ON, next));
        let known = self.parts(end)
            || self.is(end, Kind::Unit)
            || self.is(end, Kind::Noun)
            || self.is(end, Kind::Determiner);
        (!predicate && !goes_on && !known && !self.negates(end)).then_some(Reading::Unclear)
    }

    /// An impact on something that does not fall.
    fn impact(&self, end: usize) -> Option<Reading> {
        if !matches!(self.word(end), Some("on" | "of" | "to" | "for")) {
            return None;
        }
        let thing = self.after(end).skip(1).take(5).any(|here| {
            let named = self.is(here, Kind::Unit) && !self.is(here, Kind::Determiner);
            named || self.is(here, Kind::Physical)
        });
        (!thing).then_some(Reading::Unclear)
    }

    /// What dropped may be a unit, a person may have dropped it; anything else is for a person to see.
    fn dropped(&self, start: usize, end: usize) -> Option<Reading> {
        let thing = |here: usize| self.is(here, Kind::Unit) || self.is(here, Kind::Physical);
        // "to 5 %".
        let number = self
            .word(end.saturating_add(1))
            .is_some_and(|word| word.starts_with(|digit: char| digit.is_ascii_digit()));
        if self.word(end) == Some("to") && number {
            return Some(Reading::Other);
        }
        if self.after(end).take(7).any(thing) {
            return None;
        }
        let subject = self.subject(start);
        let subject = subject.filter(|subject| !self.negates(*subject))?;
        (!self.is(subject, Kind::Subject)
            && !self.is(subject, Kind::Unit)
            && !self.is(subject, Kind::Doubt))
        .then_some(Reading::Unclear)
    }

    /// The noun or pronoun before the verbs before a mention; a negation among them.
    fn subject(&self, start: usize) -> Option<usize> {
        self.before(start).find(|here| {
            let passes = self.is(*here, Kind::Auxiliary)
                || self.is(*here, Kind::Adverb)
                || self.is(*here, Kind::Filler)
                || (self.is(*here, Kind::Negation) && !self.negates(*here))
                || self.is_mention(*here)
                || self.word(*here) == Some("or")
                || self
                    .word(*here)
                    .is_some_and(|word| word.starts_with(|digit: char| digit.is_ascii_digit()));
            !passes
        })
    }

    /// "cosmetic condition is good".
    fn good_looks(&self, behind: usize) -> Option<Reading> {
        let verbs = self
            .after(behind)
            .take_while(|here| self.is(*here, Kind::Auxiliary));
        let place = behind.saturating_add(verbs.count());
        self.is(place, Kind::Good).then_some(Reading::Denied)
    }
}
