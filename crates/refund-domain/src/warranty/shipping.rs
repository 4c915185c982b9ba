//! Which of a customer's addresses a free text means.
//!
//! A text that names no more than a country, a state, a street word or a house number means none. The
//! best address must reach the threshold; of several that are equally good the default one is meant,
//! and if it is not among them, none is.

use crate::warranty::{Address, Phrase, Score, score};

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressMatch {
    /// The score that the best address reached.
    pub score: Score,
    /// What came out.
    pub found: AddressFound,
}

/// What came out of looking for an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressFound {
    /// The text means this address.
    Resolved(Address),
    /// It does not: the customer's usual address, and why it is no more than that.
    Fallback(Address, NotResolved),
    /// The customer has no address.
    NoAddress,
}

/// Why a text means no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotResolved {
    /// It names nothing that tells addresses apart.
    NothingSpecific,
    /// No address is near enough.
    TooWeak,
    /// Several fit equally well.
    Ambiguous,
}

impl NotResolved {
    /// What to tell the caller.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::NothingSpecific => {
                "The text names no more than a country, a state, a street word or a house number, which fits too many places. The address shown is the customer's usual one: confirm it, or ask for a street and a city."
            }
            Self::TooWeak => {
                "No stored address is near enough to the text. The address shown is the customer's usual one: confirm it, or ask which address is meant."
            }
            Self::Ambiguous => {
                "The text fits several stored addresses equally well. The address shown is the customer's usual one: confirm it, or ask which address is meant."
            }
        }
    }
}

/// What to tell the caller of a customer without an address.
pub const NO_ADDRESS_REASON: &str = "The customer has no stored address. Ask for one.";

/// Looks for the address that a text means.
#[must_use]
pub fn resolve_address(text: &str, addresses: &[Address]) -> AddressMatch {
    let Some(usual) = addresses
        .iter()
        .find(|address| address.is_default)
        .or(addresses.first())
    else {
        return AddressMatch {
            score: Score::ZERO,
            found: AddressFound::NoAddress,
        };
    };
    let queries = queries(text);
    let scored: Vec<(Score, &Address)> = addresses
        .iter()
        .map(|address| (score_of(&queries, address), address))
        .collect();
    let best = scored
        .iter()
        .map(|(score, _)| *score)
        .max()
        .unwrap_or(Score::ZERO);
    let winners: Vec<&Address> = scored
        .iter()
        .filter(|(score, _)| *score == best)
        .map(|(_, address)| *address)
        .collect();
    let winner = match winners.as_slice() {
        [only] => Some(*only),
        several => several.iter().copied().find(|address| address.is_default),
    };
    let fallback = |why| AddressFound::Fallback(usual.clone(), why);
    let found = if !is_specific(text, addresses) {
        fallback(NotResolved::NothingSpecific)
    } else if best < Score::PERSON_THRESHOLD {
        fallback(NotResolved::TooWeak)
    } else {
        match winner {
            Some(address) => AddressFound::Resolved(address.clone()),
            None => fallback(NotResolved::Ambiguous),
        }
    };
    AddressMatch { score: best, found }
}

/// The text as it stands, and without the words of a request around an address.
fn queries(text: &str) -> Vec<Phrase> {
    let whole = Phrase::of(text);
    let kept: Vec<&str> = whole
        .words()
        .iter()
        .map(String::as_str)
        .filter(|word| !REQUEST_WORDS.contains(word))
        .collect();
    let bare = Phrase::of(&kept.join(" "));
    if bare.is_empty() || bare == whole {
        vec![whole]
    } else {
        vec![whole, bare]
    }
}

/// The best score of a text for an address. A label counts only if all of the text is in it, or in it
/// and the address: resemblance to a label is no resemblance to a place.
fn score_of(queries: &[Phrase], address: &Address) -> Score {
    let text = address.text();
    let place = Phrase::of(&text);
    let labels: Vec<Phrase> = address
        .label
        .iter()
        .flat_map(|label| {
            [
                Phrase::of(label.as_str()),
                Phrase::of(&format!("{} {text}", label.as_str())),
            ]
        })
        .collect();
    let of_one = |query: &Phrase| {
        let by_label = labels
            .iter()
            .map(|label| score(query, label))
            .filter(|score| *score >= Score::ALL_WORDS);
        by_label
            .chain([score(query, &place)])
            .max()
            .unwrap_or(Score::ZERO)
    };
    queries.iter().map(of_one).max().unwrap_or(Score::ZERO)
}

/// Whether a text has a word that can tell addresses apart.
fn is_specific(text: &str, addresses: &[Address]) -> bool {
    let country = |word: &str| {
        COUNTRY_WORDS.contains(&word)
            || addresses
                .iter()
                .any(|address| address.country_code.as_str().eq_ignore_ascii_case(word))
    };
    let phrase = Phrase::of(text);
    phrase.words().iter().any(|word| {
        let length = word.chars().count();
        let least = if word.chars().any(char::is_numeric) {
            4
        } else if word.is_ascii() {
            3
        } else {
            1
        };
        let common =
            REQUEST_WORDS.contains(&word.as_str()) || STREET_WORDS.contains(&word.as_str());
        length >= least && !common && !country(word)
    })
}

/// Words of a request around an address.
const REQUEST_WORDS: &[&str] = &[
    "please",
    "ship",
    "shipping",
    "send",
    "deliver",
    "delivery",
    "to",
    "it",
    "my",
    "our",
    "the",
    "at",
    "in",
    "of",
    "and",
    "a",
    "an",
    "address",
    "usual",
    "default",
    "same",
    "as",
    "last",
    "time",
    "for",
    "me",
    "us",
    "thanks",
    "thank",
    "you",
    "住所",
    "宛",
    "送って",
    "ください",
];

/// Words that most addresses have.
const STREET_WORDS: &[&str] = &[
    "street",
    "st",
    "road",
    "rd",
    "avenue",
    "ave",
    "av",
    "lane",
    "ln",
    "drive",
    "dr",
    "boulevard",
    "blvd",
    "way",
    "court",
    "ct",
    "place",
    "pl",
    "square",
    "sq",
    "terrace",
    "close",
    "crescent",
    "highway",
    "hwy",
    "parkway",
    "pkwy",
    "suite",
    "ste",
    "apartment",
    "apt",
    "unit",
    "floor",
    "fl",
    "room",
    "rm",
    "building",
    "bldg",
    "block",
    "house",
    "flat",
    "box",
    "north",
    "south",
    "east",
    "west",
    "calle",
    "avenida",
    "plaza",
    "strasse",
    "rue",
    "via",
    "marg",
    "nagar",
    "丁目",
    "番地",
    "号",
    "県",
    "市",
    "区",
    "町",
    "路",
    "街",
];

/// Names of countries, word by word.
const COUNTRY_WORDS: &[&str] = &[
    "usa",
    "united",
    "states",
    "america",
    "kingdom",
    "great",
    "britain",
    "england",
    "uk",
    "japan",
    "日本",
    "spain",
    "espana",
    "india",
    "भारत",
    "australia",
    "china",
    "中国",
    "emirates",
    "arab",
    "uae",
    "canada",
    "germany",
    "deutschland",
    "france",
    "italy",
    "italia",
    "mexico",
    "brazil",
    "brasil",
    "korea",
    "singapore",
    "ireland",
    "netherlands",
    "switzerland",
    "austria",
    "sweden",
    "norway",
    "denmark",
    "finland",
    "poland",
    "portugal",
];

#[cfg(test)]
mod tests;
