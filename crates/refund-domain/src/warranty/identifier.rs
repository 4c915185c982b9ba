//! Identifiers of units: when two texts are the same identifier, and when one is nearly the other.
//!
//! *Same:* equal in [`NormalForm`] (case, blanks and punctuation do not matter). Only this identifies,
//! and only if it fits one unit.
//!
//! *Near:* equal but for look-alikes and zeros in front ([`LookAlikeKey`]), or one edit apart
//! ([`NormalForm::one_edit_variants`]). This suggests. A store finds both without a scan: it keeps the
//! two forms of every identifier of a unit in columns with an index, looks for the query's key in one
//! and for its variants in the other.

use std::collections::BTreeSet;
use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::warranty::Score;

/// An identifier without what does not matter: its letters and digits alone, in capitals. Full-width
/// letters and digits count as the plain ones, since they are the same keys of a keyboard.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NormalForm(String);

/// An identifier in which look-alikes are equal: O is 0; I and L are 1; S is 5; B is 8. Zeros in front
/// do not count.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LookAlikeKey(String);

/// How an identifier fits a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatchKind {
    /// Character for character.
    Exact,
    /// The same but for case, blanks and punctuation.
    Normalised,
    /// One edit or look-alikes away.
    Near,
    /// The same but for zeros in front, and look-alikes. Never more than a suggestion, even where it is
    /// one edit away: to some the zeros are part of the number.
    ZerosInFront,
}

/// What an edit may put in: near misses are those that a hand makes on the letters and digits of
/// serial numbers.
const ALPHABET: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Shortest normal form that has near misses: in a shorter one an edit leaves nothing to go by.
const SHORTEST_NEAR: usize = 3;

/// Longest normal form that has near misses: no identifier that is stored is longer by more than one.
const LONGEST_NEAR: usize = 65;

impl NormalForm {
    /// The form of a text; `None` where it has neither letter nor digit.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let form: String = text
            .nfc()
            .map(narrow)
            .flat_map(char::to_uppercase)
            .filter(|letter| letter.is_alphanumeric())
            .nfc()
            .collect();
        (!form.is_empty()).then_some(Self(form))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key for look-alikes.
    #[must_use]
    pub fn look_alike_key(&self) -> LookAlikeKey {
        let folded: String = self.0.chars().map(fold).collect();
        let significant = folded.trim_start_matches('0');
        LookAlikeKey(if significant.is_empty() {
            "0".to_owned()
        } else {
            significant.to_owned()
        })
    }

    /// Whether near misses of this are looked for.
    #[must_use]
    pub fn has_near_misses(&self) -> bool {
        (SHORTEST_NEAR..=LONGEST_NEAR).contains(&self.0.chars().count())
    }

    /// Every form that is one edit away: a character less, or one of A to Z and 0 to 9 more or
    /// instead. In order, each once, without the form itself; none for a form without near misses.
    #[must_use]
    pub fn one_edit_variants(&self) -> BTreeSet<NormalForm> {
        let mut variants = BTreeSet::new();
        if !self.has_near_misses() {
            return variants;
        }
        let letters: Vec<char> = self.0.chars().collect();
        for place in 0..=letters.len() {
            let (before, after) = letters.split_at(place);
            if let Some((_, rest)) = after.split_first() {
                variants.insert(Self(before.iter().chain(rest).collect()));
            }
            for &letter in ALPHABET {
                let letter = [char::from(letter)];
                variants.insert(Self(before.iter().chain(&letter).chain(after).collect()));
                if let Some((_, rest)) = after.split_first() {
                    variants.insert(Self(before.iter().chain(&letter).chain(rest).collect()));
                }
            }
        }
        variants.remove(self);
        variants
    }

    /// Whether another form is one edit away, as [`NormalForm::one_edit_variants`] says.
    fn is_one_edit_from(&self, other: &Self) -> bool {
        if !self.has_near_misses() || strsim::levenshtein(&self.0, &other.0) != 1 {
            return false;
        }
        let mut old: Vec<char> = self.0.chars().collect();
        // What the other has and this has not, if anything, is what the edit put in.
        let put_in =
            other.0.chars().find(
                |letter| match old.iter().position(|known| known == letter) {
                    Some(place) => {
                        old.swap_remove(place);
                        false
                    }
                    None => true,
                },
            );
        put_in.is_none_or(|letter| {
            u8::try_from(letter).is_ok_and(|letter| ALPHABET.contains(&letter))
        })
    }
}

impl LookAlikeKey {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How a stored identifier fits what was asked for; `None` where it does not.
#[must_use]
pub fn match_kind(asked: &str, stored: &str) -> Option<MatchKind> {
    let asked_form = NormalForm::of(asked)?;
    let stored_form = NormalForm::of(stored)?;
    if asked_form == stored_form {
        return Some(if asked == stored {
            MatchKind::Exact
        } else {
            MatchKind::Normalised
        });
    }
    let looks_alike = asked_form.look_alike_key() == stored_form.look_alike_key();
    if looks_alike && zeros_in_front(&asked_form) != zeros_in_front(&stored_form) {
        return Some(MatchKind::ZerosInFront);
    }
    let near = looks_alike && asked_form.has_near_misses();
    (near || asked_form.is_one_edit_from(&stored_form)).then_some(MatchKind::Near)
}

/// How good a match of identifiers is: 1 for the same, otherwise the share of characters that need no
/// edit, look-alikes counting as equal, and at most what a blend of words can reach.
#[must_use]
pub fn match_score(asked: &NormalForm, stored: &NormalForm) -> Score {
    if asked == stored {
        return Score::ONE;
    }
    let fold_all = |form: &NormalForm| form.0.chars().map(fold).collect::<String>();
    let (asked, stored) = (fold_all(asked), fold_all(stored));
    let longest = asked.chars().count().max(stored.chars().count());
    let edits = strsim::levenshtein(&asked, &stored);
    Score::share(longest.saturating_sub(edits), longest).min(Score::BEST_BLEND)
}

fn zeros_in_front(form: &NormalForm) -> usize {
    form.0
        .chars()
        .map(fold)
        .take_while(|letter| *letter == '0')
        .count()
}

/// The plain letter of a full-width one.
fn narrow(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => u32::from(letter)
            .checked_sub(0xfee0)
            .and_then(char::from_u32)
            .unwrap_or(letter),
        other => other,
    }
}

fn fold(letter: char) -> char {
    match letter {
        'O' => '0',
        'I' | 'L' => '1',
        'S' => '5',
        'B' => '8',
        other => other,
    }
}

/// Hidden: identifiers name a customer's unit.
impl fmt::Debug for NormalForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NormalForm(…)")
    }
}

/// Hidden: identifiers name a customer's unit.
impl fmt::Debug for LookAlikeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LookAlikeKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form(text: &str) -> NormalForm {
        NormalForm::of(text).unwrap()
    }

    // Cases.
    #[test]
    fn what_is_the_same_what_is_near_and_what_is_neither() {
        use MatchKind::{Exact, Near, Normalised, ZerosInFront};
        for (asked, stored, kind) in [
            ("AX2-0001-0001", "AX2-0001-0001", Some(Exact)),
            ("ax2 0001 0001", "AX2-0001-0001", Some(Normalised)),
            (
                "ＡＸ２－０００１－０００１",
                "AX2-0001-0001",
                Some(Normalised),
            ),
            ("E6191609", "E619-1609", Some(Normalised)),
            ("E619-1609", "E6191609", Some(Normalised)),
            (" X1 ", "X1", Some(Normalised)),
            ("a4:c1:f2:e3:00:01", "A4C1F2E30001", Some(Normalised)),
            ("AOBIC", "A0B1C", Some(Near)),
            ("aoblc", "A0B1C", Some(Near)),
            ("5B1O", "S810", Some(Near)),
            ("A0B1", "AOB1", Some(Near)),
            ("AX2-0001-0006", "AX2-0001-0001", Some(Near)),
            ("AX2-0001-001", "AX2-0001-0001", Some(Near)),
            ("AX2-0001-00011", "AX2-0001-0001", Some(Near)),
            ("MRC5-K9Q2-77TD-X4Z1", "MRC5-K9Q2-77TD-X4Z7", Some(Near)),
            ("00038675971547", "38675971547", Some(ZerosInFront)),
            ("38675971547", "00038675971547", Some(ZerosInFront)),
            ("069", "69", Some(ZerosInFront)),
            ("69", "069", Some(ZerosInFront)),
            ("O69", "69", Some(ZerosInFront)),
            ("AX2-0001-0016", "AX2-0001-0001", None),
            ("AX2-0001", "AX2-0001-0001", None),
            ("AX2", "AX2-0001-0001", None),
            ("zzzzzz", "AX2-0001-0001", None),
            ("A", "B", None),
            ("AX", "AY", None),
            ("--", "AX2-0001-0001", None),
            ("", "", None),
            ("AX2\u{416}", "AX2", Some(Near)),
            ("AX2", "AX2\u{416}", None),
        ] {
            assert_eq!(match_kind(asked, stored), kind, "{asked} {stored}");
        }
    }

    #[test]
    fn a_near_miss_never_scores_as_the_thing_itself() {
        for (asked, stored, score) in [
            ("AX2-0001-0001", "ax200010001", "1"),
            ("AOBIC", "A0B1C", "0.89"),
            ("AX2-0001-0006", "AX2-0001-0001", "0.89"),
            ("A0B1", "A0B2", "0.75"),
            ("00038675971547", "38675971547", "0.7857"),
        ] {
            let score_of = match_score(&form(asked), &form(stored));
            assert_eq!(score_of.to_string(), score, "{asked} {stored}");
        }
    }

    #[test]
    fn what_identifies_hides_in_debug() {
        let shown = format!("{:?} {:?}", form("AX2"), form("AX2").look_alike_key());
        assert!(!shown.contains('2'), "{shown}");
    }

    fn identifier() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[0OIl1S5B8A]{1,5}",
            3 => "[0-9]{1,6}",
            3 => "[A-Ca-c0-2 -]{1,7}",
            1 => "[é\u{416}製0A]{1,5}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// *Invariant:* what a store finds by index (the form, the variants, the key) holds everything
        /// that matches, so that no scan is needed.
        #[test]
        fn the_index_finds_every_match(asked in identifier(), stored in identifier()) {
            let (Some(asked_form), Some(stored_form)) = (NormalForm::of(&asked), NormalForm::of(&stored)) else {
                prop_assert_eq!(match_kind(&asked, &stored), None);
                return Ok(());
            };
            let variant = asked_form.one_edit_variants().contains(&stored_form);
            let alike = asked_form.look_alike_key() == stored_form.look_alike_key();
            match match_kind(&asked, &stored) {
                Some(MatchKind::Exact | MatchKind::Normalised) => prop_assert_eq!(&asked_form, &stored_form),
                Some(MatchKind::Near) => prop_assert!(variant || alike),
                Some(MatchKind::ZerosInFront) => prop_assert!(alike),
                None => prop_assert!(!variant && asked_form != stored_form),
            }
        }

        /// *Invariant:* matching does not depend on which of the two is asked for, as long as both can
        /// be typed.
        #[test]
        fn matching_is_the_same_both_ways(one in "[0OIl1S5B8A-]{1,6}", other in "[0OIl1S5B8A-]{1,6}") {
            let kind = match_kind(&one, &other);
            let long = |text: &str| NormalForm::of(text).is_some_and(|form| form.has_near_misses());
            if kind != Some(MatchKind::Near) || (long(&one) && long(&other)) {
                prop_assert!(kind == match_kind(&other, &one) || !(long(&one) && long(&other)));
            }
        }

        #[test]
        fn a_form_is_its_own(text in any::<String>()) {
            if let Some(form) = NormalForm::of(&text) {
                let again = NormalForm::of(form.as_str()).unwrap();
                prop_assert_eq!(again, form);
            }
        }
    }
}
