//! Which of a customer's addresses a free text means.
//!
//! A text that names no more than a country, a state, a street word or a house number means none. The
//! best address must reach the threshold, and every telling word of the text must be in it: another house
//! number or another street is another place. Of several that are equally good the default one is meant,
//! and if it is not among them, none is.

use crate::warranty::{Address, AddressLine, Phrase, Score, score};

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
    let telling = telling_words(text, addresses);
    let found = if !is_specific(&telling, text, addresses) {
        fallback(NotResolved::NothingSpecific)
    } else if best < Score::PERSON_THRESHOLD
        || winner.is_some_and(|address| !has_all(address, &telling))
    {
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

/// The words of a text that say which place it is: no word of a request, of any street, of a country, or
/// of a state that is no city as well.
fn telling_words(text: &str, addresses: &[Address]) -> Vec<String> {
    let country = |word: &str| {
        COUNTRY_WORDS.contains(&word)
            || addresses
                .iter()
                .any(|address| address.country_code.as_str().eq_ignore_ascii_case(word))
    };
    let within = |line: &str, word: &str| Phrase::of(line).words().iter().any(|own| own == word);
    let state = |word: &str| {
        addresses.iter().any(|address| {
            let states = address.state_or_province.as_ref();
            states.is_some_and(|state| within(state.as_str(), word))
                && !within(address.city.as_str(), word)
        })
    };
    Phrase::of(text)
        .words()
        .iter()
        .filter(|word| {
            let word = word.as_str();
            !REQUEST_WORDS.contains(&word)
                && !STREET_WORDS.contains(&word)
                && !country(word)
                && !state(word)
        })
        .cloned()
        .collect()
}

/// Whether a text can tell addresses apart: by a word of some length, by a house number with a name, by a
/// short name of a street, or because it is a postal code or a label.
fn is_specific(telling: &[String], text: &str, addresses: &[Address]) -> bool {
    let is_number = |word: &str| word.chars().any(char::is_numeric);
    let long = |word: &String| {
        let least = match word.is_ascii() {
            true if is_number(word) => 4,
            true => 3,
            false => 1,
        };
        word.chars().count() >= least
    };
    let number = telling.iter().any(|word| is_number(word));
    let name = telling.iter().any(|word| !is_number(word));
    let words = Phrase::of(text);
    let of_street = words.words().iter();
    let of_street = of_street.filter(|word| STREET_WORDS.contains(&word.as_str()));
    let street_words = of_street.count();
    // "12 Elm", "12 Main Street", "MG Road".
    let numbered = number && (name || street_words >= 2);
    let street = street_words >= 1
        && telling
            .iter()
            .any(|word| word.chars().count() >= 2 && !is_number(word));
    // The postal code or the label itself, and no more than that.
    let named = queries(text).iter().any(|query| {
        let is = |own: &str| Phrase::of(own).squashed() == query.squashed();
        addresses.iter().any(|address| {
            is(address.postal_code.as_str())
                || address
                    .label
                    .as_ref()
                    .is_some_and(|label| is(label.as_str()))
        })
    });
    telling.iter().any(long) || numbered || street || (named && !text.trim().is_empty())
}

/// Whether each of these words is in an address or in its label, be it with a letter wrong or joined
/// with its neighbour.
fn has_all(address: &Address, telling: &[String]) -> bool {
    let label = address.label.as_ref().map_or("", AddressLine::as_str);
    let place = Phrase::of(&format!("{} {label}", address.text()));
    let squashed = place.squashed();
    telling.iter().all(|word| {
        let number = word.chars().any(char::is_numeric);
        let near = |own: &String| {
            own == word
                || (!number && word.chars().count() >= 4 && strsim::levenshtein(own, word) <= 1)
        };
        // Writing without blanks joins what is stored apart.
        let joined = (!word.is_ascii() || word.chars().count() >= 6) && squashed.contains(word);
        place.words().iter().any(near) || joined
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
    "villa",
    "walk",
    "view",
    "main",
    "marg",
    "nagar",
    "de",
    "del",
    "la",
    "las",
    "los",
    "el",
    "al",
    "di",
    "da",
    "do",
    "dos",
    "der",
    "den",
    "van",
    "von",
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
