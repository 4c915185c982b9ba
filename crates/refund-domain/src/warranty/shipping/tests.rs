//! Free texts and the addresses that they mean.

use proptest::prelude::*;

use super::*;
use crate::warranty::{AddressLine, CountryCode, PostalCode};

fn address(
    label: Option<&str>,
    line1: &str,
    city: &str,
    state: &str,
    postal: &str,
    country: &str,
) -> Address {
    let line = |text: &str| AddressLine::new(text).unwrap();
    Address {
        label: label.map(line),
        line1: line(line1),
        line2: None,
        line3: None,
        city: line(city),
        state_or_province: (!state.is_empty()).then(|| line(state)),
        postal_code: PostalCode::new(postal).unwrap(),
        country_code: CountryCode::new(country).unwrap(),
        is_default: false,
    }
}

fn three() -> Vec<Address> {
    let mut home = address(
        Some("Home"),
        "12 Oak Street",
        "Springfield",
        "IL",
        "62704",
        "US",
    );
    home.is_default = true;
    vec![
        address(
            Some("Office"),
            "400 Market Street",
            "Springfield",
            "IL",
            "62701",
            "US",
        ),
        home,
        address(None, "7 Calle Mayor", "Málaga", "", "29015", "ES"),
    ]
}

fn line(found: &AddressFound) -> String {
    match found {
        AddressFound::Resolved(address) => address.line1.as_str().to_owned(),
        AddressFound::Fallback(address, why) => format!("{why:?}: {}", address.line1.as_str()),
        AddressFound::NoAddress => "none".to_owned(),
    }
}

#[test]
fn texts_and_what_they_mean() {
    for (text, expected) in [
        ("12 Oak Street, Springfield, IL 62704, US", "12 Oak Street"),
        ("400 market st springfield il 62701 us", "400 Market Street"),
        (
            "Please ship it to 400 Market Street, Springfield",
            "400 Market Street",
        ),
        ("my office", "400 Market Street"),
        ("office springfield", "400 Market Street"),
        ("calle mayor malaga", "7 Calle Mayor"),
        ("29015", "7 Calle Mayor"),
        ("Oak Street", "12 Oak Street"),
        // A tie prefers the default.
        ("Springfield", "12 Oak Street"),
        ("US", "NothingSpecific: 12 Oak Street"),
        ("us.", "NothingSpecific: 12 Oak Street"),
        ("street", "NothingSpecific: 12 Oak Street"),
        ("the", "NothingSpecific: 12 Oak Street"),
        ("IL", "NothingSpecific: 12 Oak Street"),
        ("12", "NothingSpecific: 12 Oak Street"),
        ("street, US", "NothingSpecific: 12 Oak Street"),
        ("United States of America", "NothingSpecific: 12 Oak Street"),
        ("Spain", "NothingSpecific: 12 Oak Street"),
        ("my usual address", "NothingSpecific: 12 Oak Street"),
        ("--", "NothingSpecific: 12 Oak Street"),
        ("", "NothingSpecific: 12 Oak Street"),
        ("99 Elm Avenue, Shelbyville", "TooWeak: 12 Oak Street"),
        ("Homer", "TooWeak: 12 Oak Street"),
        // Another house number or another street is another place, whatever else fits.
        (
            "99 Elm Street, Springfield, IL 62704, US",
            "TooWeak: 12 Oak Street",
        ),
        (
            "12 Elm Street, Springfield, IL 62704",
            "TooWeak: 12 Oak Street",
        ),
        (
            "13 Oak Street Springfield IL 62704",
            "TooWeak: 12 Oak Street",
        ),
        (
            "12 Market Street, Springfield, IL 62701",
            "TooWeak: 12 Oak Street",
        ),
        (
            "400 Oak Street, Springfield, IL 62704",
            "TooWeak: 12 Oak Street",
        ),
        ("12 Oak Street, Chicago", "TooWeak: 12 Oak Street"),
        ("12 Oak Street Sprngfield", "12 Oak Street"),
        ("Main Street", "NothingSpecific: 12 Oak Street"),
        ("del", "NothingSpecific: 12 Oak Street"),
    ] {
        assert_eq!(
            line(&resolve_address(text, &three()).found),
            expected,
            "{text}"
        );
    }
}

#[test]
fn the_score_is_the_achieved_one() {
    for (text, score) in [
        ("12 Oak Street, Springfield, IL 62704, US", "1"),
        ("12 Oak Street", "0.9"),
        ("Springfield", "0.85"),
        ("US", "0.85"),
    ] {
        assert_eq!(
            resolve_address(text, &three()).score.to_string(),
            score,
            "{text}"
        );
    }
}

#[test]
fn a_tie_without_the_default_is_no_answer() {
    let mut all = three();
    all.push(address(None, "9 Calle Mayor", "Málaga", "", "29015", "ES"));
    assert_eq!(
        line(&resolve_address("calle mayor malaga", &all).found),
        "Ambiguous: 12 Oak Street"
    );
    assert_eq!(
        line(&resolve_address("9 calle mayor", &all).found),
        "9 Calle Mayor"
    );
}

#[test]
fn streets_with_short_or_common_names_are_named() {
    let pune = address(None, "14 MG Road", "Pune", "Maharashtra", "411001", "IN");
    let main = address(None, "12 Main Street", "Springfield", "IL", "62704", "US");
    for (stored, text, means) in [
        (&pune, "MG Road", "14 MG Road"),
        (&pune, "14 MG Road", "14 MG Road"),
        (&pune, "MG Road, Mumbai", "TooWeak: 14 MG Road"),
        (&pune, "MG", "NothingSpecific: 14 MG Road"),
        (&pune, "FC Road", "TooWeak: 14 MG Road"),
        (&pune, "IN road", "NothingSpecific: 14 MG Road"),
        (&main, "12 Main Street", "12 Main Street"),
        (&main, "13 Main Street", "TooWeak: 12 Main Street"),
        (&main, "12 North Street", "TooWeak: 12 Main Street"),
        (&main, "12 Street", "NothingSpecific: 12 Main Street"),
        (&main, "Main Street", "NothingSpecific: 12 Main Street"),
    ] {
        let found = resolve_address(text, std::slice::from_ref(stored)).found;
        assert_eq!(line(&found), means, "{text}");
    }
}

#[test]
fn without_a_default_the_first_is_the_usual_one() {
    let mut all = three();
    for address in &mut all {
        address.is_default = false;
    }
    assert_eq!(
        line(&resolve_address("nowhere", &all).found),
        "TooWeak: 400 Market Street"
    );
    assert_eq!(
        resolve_address("anything", &[]).found,
        AddressFound::NoAddress
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// *Invariant:* resolved means at or above the threshold, and no order of the addresses changes
    /// which one is meant.
    #[test]
    fn resolved_is_confident(text in prop_oneof!["[a-z0-9 ]{0,24}", "(oak|market|springfield|il|us|street|mayor|12|home| ){1,8}"]) {
        let mut all = three();
        let answer = resolve_address(&text, &all);
        if let AddressFound::Resolved(_) = answer.found {
            prop_assert!(answer.score >= Score::PERSON_THRESHOLD);
        }
        all.reverse();
        prop_assert_eq!(resolve_address(&text, &all), answer);
    }
}
