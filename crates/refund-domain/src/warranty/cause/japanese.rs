//! Reads Japanese, which has no blanks: words are pieces of text, and what denies a mention stands
//! behind it, in its own clause.
//!
//! What stands at a place of a sentence (filler, a denial, a new statement) does not depend on where the
//! walk to it began. So each sentence is walked once, from its end, for all of its mentions.

mod tables;

use super::{Cause, Entry, Lexicon, Reading};

use tables::{
    ABSTRACT, ALL, BEFORE, BOTH, DEGREE, DENIED_AGAIN, DOUBT, FALLING, FILLER, GOOD, HEDGES,
    NEGATION, NEUTRAL, NEW_STATEMENT, OPEN, OTHER, PLACES, REJECTS, TOPIC, UNITS,
};

/// How many characters before or behind a mention can be about it.
const NEAR: usize = 14;

/// Whether a word is written in kana or Chinese characters.
pub(super) fn is_written_in(word: &str) -> bool {
    word.chars()
        .any(|letter| matches!(letter, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'))
}

/// Each mention of a cause. Of two that overlap the longer counts.
pub(super) fn read(text: &str, lexicon: &Lexicon) -> Vec<(Cause, Reading)> {
    if !is_written_in(text) {
        return Vec::new();
    }
    text.split_inclusive(['。', '！', '!', '？', '?', '\n', '.', ';'])
        .flat_map(|sentence| Sentence::new(sentence, lexicon).read())
        .collect()
}

/// Where the walk from a place of a sentence ends.
#[derive(Debug, Clone, Copy)]
struct Walk {
    /// Where it ends.
    at: usize,
    /// How it ends.
    end: End,
    /// Whether it went over what makes a denial one of all that was listed.
    topic: bool,
    /// How many commas it went over.
    commas: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// At a denial.
    Denied,
    /// At something else.
    Open,
}

struct Sentence<'a> {
    text: &'a str,
    lexicon: &'a Lexicon,
    /// By the place in the text; what is no beginning of a character has a walk that ends there.
    walks: Vec<Walk>,
    /// Behind the last word of doubt there is none.
    last_doubt: Option<usize>,
    /// Before the end of the first hedge there is none.
    first_hedge: Option<usize>,
}

impl<'a> Sentence<'a> {
    fn new(text: &'a str, lexicon: &'a Lexicon) -> Self {
        let mut sentence = Self {
            text,
            lexicon,
            walks: vec![Walk::open(text.len()); text.len().saturating_add(1)],
            last_doubt: words(DOUBT).filter_map(|word| text.rfind(word)).max(),
            first_hedge: words(HEDGES)
                .filter_map(|word| Some(text.find(word)?.saturating_add(word.len())))
                .min(),
        };
        for (at, _) in text.char_indices().rev() {
            let walk = sentence.walk(at);
            if let Some(place) = sentence.walks.get_mut(at) {
                *place = walk;
            }
        }
        sentence
    }

    fn read(&self) -> Vec<(Cause, Reading)> {
        let mut readings = Vec::new();
        let mut taken = 0;
        for (start, _) in self.text.char_indices() {
            if start < taken {
                continue;
            }
            let Some((entry, length)) = self.piece_at(start) else {
                continue;
            };
            taken = start.saturating_add(length);
            readings.push(entry.heard(self.reading(entry, start, taken)));
        }
        readings
    }

    fn from(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    /// The mention that begins at a place, and its length.
    fn piece_at(&self, at: usize) -> Option<(&'a Entry, usize)> {
        let rest = self.from(at);
        let entries = self.lexicon.pieces.get(&rest.chars().next()?)?;
        entries.iter().find_map(|entry| {
            let piece = entry.parts.first()?;
            count_work();
            rest.starts_with(piece.as_str())
                .then_some((entry, piece.len()))
        })
    }

    /// The walk from a place, when those from the places behind it are known. It goes over what may stand
    /// between a mention and its denial: filler, and other mentions.
    fn walk(&self, at: usize) -> Walk {
        count_work();
        let rest = self.from(at);
        let starts = |list| {
            words(list)
                .find(|word| rest.starts_with(word))
                .map(|word| word.len())
        };
        if starts(NEGATION).is_some() || ends_with_none(rest) {
            return Walk {
                end: End::Denied,
                ..Walk::open(at)
            };
        }
        // A list: "落下、水濡れなし", "傷、割れ、いずれもなし".
        if let Some(behind) = rest.strip_prefix(['、', ',', '/']) {
            let next = self.text.len().saturating_sub(behind.trim_start().len());
            let all = words(ALL).any(|word| self.from(next).starts_with(word));
            if all || self.piece_at(next).is_some() {
                let walk = self.walks.get(next).copied().unwrap_or(Walk::open(at));
                return Walk {
                    commas: walk.commas.saturating_add(if all { 2 } else { 1 }),
                    ..walk
                };
            }
        }
        if starts(NEW_STATEMENT).is_some() {
            return Walk::open(at);
        }
        let topic = starts(TOPIC).is_some();
        let length = self.piece_at(at).map(|(_, length)| length);
        match length.or_else(|| starts(FILLER)) {
            Some(length) => {
                let behind = at.saturating_add(length);
                let walk = self.walks.get(behind).copied().unwrap_or(Walk::open(at));
                let all = usize::from(starts(BOTH).is_some());
                Walk {
                    topic: walk.topic || (topic && walk.commas == 0),
                    commas: walk.commas.saturating_add(all),
                    ..walk
                }
            }
            None => Walk::open(at),
        }
    }

    fn reading(&self, entry: &Entry, start: usize, end: usize) -> Reading {
        let piece = entry.parts.first().map_or("", String::as_str);
        let (before, after) = (self.text.get(..start).unwrap_or_default(), self.from(end));
        if let Some(reading) = self.context(piece, before, after) {
            return reading;
        }
        if words(BEFORE).any(|word| before.ends_with(word)) {
            return Reading::Denied;
        }
        let doubted = self.last_doubt.is_some_and(|doubt| doubt >= end)
            || self.first_hedge.is_some_and(|hedge| hedge <= start);
        if doubted {
            return Reading::Unclear;
        }
        let walk = self.walks.get(end).copied().unwrap_or(Walk::open(end));
        let neutral = words(NEUTRAL).any(|word| word == piece);
        match walk.end {
            End::Denied => self.denied(before, walk),
            End::Open
                if neutral && words(GOOD).any(|word| self.from(walk.at).starts_with(word)) =>
            {
                Reading::Denied
            }
            End::Open if neutral => Reading::Unclear,
            End::Open => self.stated(after, end, walk.at),
        }
    }

    /// A denial behind nothing but filler: of the mention, unless it is denied again or is of a degree.
    fn denied(&self, before: &str, walk: Walk) -> Reading {
        let behind = words(NEGATION)
            .filter_map(|word| self.from(walk.at).strip_prefix(word))
            .min_by_key(|behind| behind.len())
            .unwrap_or_default();
        let again = words(DENIED_AGAIN).any(|word| behind.starts_with(word));
        let near = last(before, NEAR)
            .rsplit(['、', ','])
            .next()
            .unwrap_or_default();
        let limited = words(DEGREE).any(|word| near.contains(word));
        // "落下、水濡れなし" denies both, or the second.
        let in_a_list = before.ends_with(['、', ',']) && walk.topic;
        let open = (walk.commas == 1 && !in_a_list)
            || (walk.commas > 1 && !walk.topic && !self.ends(walk));
        if again || limited || open {
            Reading::Unclear
        } else {
            Reading::Denied
        }
    }

    /// Whether a list of three or more ends with its denial.
    fn ends(&self, walk: Walk) -> bool {
        let rest = self.from(walk.at).trim_end_matches(['。', '.', '!', '\n']);
        words(NEGATION).any(|word| rest == word) || ends_with_none(rest)
    }

    /// What is not denied, unless a negation nearby may be about it. What follows a new statement says
    /// nothing about this one: "落としてから電源が入らない", "濡れて起動しません".
    fn stated(&self, after: &str, end: usize, at: usize) -> Reading {
        let rest = self.from(at);
        let walked = self.text.get(end..at).unwrap_or_default();
        let joined = walked.ends_with(['て', 'で']);
        let parted = words(NEW_STATEMENT).any(|word| rest.starts_with(word))
            || (joined && !rest.starts_with(is_hiragana));
        let near = first(after, NEAR);
        let clause = near
            .split(['、', ',', '。', '\n'])
            .next()
            .unwrap_or_default();
        if !parted && words(NEGATION).any(|word| clause.contains(word)) && !crosses(clause) {
            Reading::Unclear
        } else {
            Reading::Stated
        }
    }

    /// Another meaning of a mention, or a doubt about its meaning.
    fn context(&self, piece: &str, before: &str, after: &str) -> Option<Reading> {
        let begins = |word: &str| piece.starts_with(word) || word.starts_with(piece);
        // "耐衝撃", "防滴".
        if before.ends_with(['耐', '防']) {
            return Some(Reading::Other);
        }
        let other = OTHER.iter().any(|(word, left, right)| {
            // What of the word the mention leaves out stands behind it.
            let rest = word.strip_prefix(piece).unwrap_or_default();
            begins(word)
                && after.starts_with(rest)
                && (words(left).any(|left| before.ends_with(left))
                    || words(right).any(|right| after.starts_with(right)))
        });
        if other {
            return Some(Reading::Other);
        }
        let open = |(word, right): &(&str, &'static str)| {
            piece.starts_with(word) && words(right).any(|right| after.starts_with(right))
        };
        if OPEN.iter().any(open) {
            return Some(Reading::Unclear);
        }
        words(FALLING)
            .any(|word| piece.starts_with(word))
            .then(|| fallen(before))?
    }
}

impl Walk {
    fn open(at: usize) -> Self {
        Self {
            at,
            end: End::Open,
            topic: false,
            commas: 0,
        }
    }
}

/// What falls: a unit, or something that is no thing ("音量を落とした"). Of what is neither a person knows.
fn fallen(before: &str) -> Option<Reading> {
    let near = last(before, 2 * NEAR);
    let before = near.rsplit(['、', ',']).next().unwrap_or_default();
    let ends = |text: &str, list| words(list).any(|word| text.ends_with(word));
    let placed = words(PLACES).any(|place| before.contains(place));
    let object = before.strip_suffix(['を', 'も', 'は', 'が']);
    let object = object.or_else(|| before.strip_suffix("から"));
    let other = match object {
        Some(object) => !ends(object, UNITS) && ends(object, ABSTRACT),
        None => ends(before, ABSTRACT) || ends(before, REJECTS),
    };
    if other {
        return Some(match placed {
            true => Reading::Unclear,
            false => Reading::Other,
        });
    }
    let unknown = before.ends_with('を') && object.is_some_and(|object| !ends(object, UNITS));
    (unknown && !placed).then_some(Reading::Unclear)
}

fn is_hiragana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{309f}')
}

/// "水没：無" and "傷無": a single character that says no, and nothing behind it.
fn ends_with_none(rest: &str) -> bool {
    rest.strip_prefix('無')
        .is_some_and(|behind| !behind.starts_with(char::is_alphanumeric))
}

/// Whether a new statement begins before the negation.
fn crosses(near: &str) -> bool {
    let first = |list| words(list).filter_map(|word| near.find(word)).min();
    match (first(NEW_STATEMENT), first(NEGATION)) {
        (Some(statement), Some(negation)) => statement < negation,
        _ => false,
    }
}

/// The words of a list.
fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
}

/// The first characters of a text.
fn first(text: &str, count: usize) -> &str {
    let end = text
        .char_indices()
        .nth(count)
        .map_or(text.len(), |(place, _)| place);
    text.get(..end).unwrap_or_default()
}

/// The last characters of a text.
fn last(text: &str, count: usize) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take(count)
        .last()
        .map_or(text.len(), |(place, _)| place);
    text.get(start..).unwrap_or_default()
}

/// Counts the places that are looked at, for the test that a long text takes no more than its share.
fn count_work() {
    #[cfg(test)]
    WORK.set(WORK.get().saturating_add(1));
}

#[cfg(test)]
thread_local! {
    pub(super) static WORK: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}
