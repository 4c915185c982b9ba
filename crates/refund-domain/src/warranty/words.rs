//! Texts as words: what counts as a word, and the form in which all words stand together.
//!
//! A word is a run of letters and digits, case-folded, with accents folded; everything else separates
//! words. Marks that belong to a letter (the vowel signs of Indic scripts, the voicing marks of kana)
//! stay with it. Characters that cannot be seen are not there.

use caseless::Caseless as _;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The words of a text, in order.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let folded: String = text
        .nfkd()
        .filter(|letter| !is_accent(*letter) && !is_invisible(*letter))
        .default_case_fold()
        .nfkd()
        .filter(|letter| !is_accent(*letter))
        .collect();
    let folded: String = folded.nfc().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in folded.chars() {
        if letter.is_alphanumeric() || (is_combining_mark(letter) && !word.is_empty()) {
            push_plain(&mut word, letter);
        } else if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The words of a text without anything between them: `O'Brien`, `o brien` and `OBRIEN` are the same.
#[must_use]
pub fn squash(text: &str) -> String {
    words(text).concat()
}

/// Marks above and below letters that people leave out when they type: those of European scripts, of
/// Hebrew and of Arabic.
fn is_accent(letter: char) -> bool {
    matches!(
        letter,
        '\u{300}'..='\u{36f}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{591}'..='\u{5bd}'
            | '\u{5bf}'
            | '\u{5c1}'..='\u{5c2}'
            | '\u{5c4}'..='\u{5c5}'
            | '\u{5c7}'
            | '\u{640}'
            | '\u{64b}'..='\u{65f}'
            | '\u{670}'
    )
}

/// Characters that have no picture and no width.
pub(super) fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
    )
}

/// Letters with a stroke and joined letters have no accent that could be taken off.
fn push_plain(word: &mut String, letter: char) {
    match letter {
        'ø' => word.push('o'),
        'ł' => word.push('l'),
        'đ' | 'ð' => word.push('d'),
        'ħ' => word.push('h'),
        'ŧ' => word.push('t'),
        'ı' => word.push('i'),
        'æ' => word.push_str("ae"),
        'œ' => word.push_str("oe"),
        'þ' => word.push_str("th"),
        other => word.push(other),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_accents_and_punctuation_do_not_matter() {
        for (text, expected) in [
            (
                "AX-200 Handheld Terminal",
                &["ax", "200", "handheld", "terminal"][..],
            ),
            ("O'Brien", &["o", "brien"]),
            ("Beltrán", &["beltran"]),
            ("Beltra\u{301}n", &["beltran"]),
            ("STRASSE Straße", &["strasse", "strasse"]),
            ("Øyvind Łukasz", &["oyvind", "lukasz"]),
            ("İstanbul ISTANBUL", &["istanbul", "istanbul"]),
            ("ＡＸ－２００", &["ax", "200"]),
            ("山田 太郎", &["山田", "太郎"]),
            ("ガ か\u{3099}", &["ガ", "が"]),
            ("ｶﾞ", &["ガ"]),
            ("한국", &["한국"]),
            ("अर्जुन", &["अर्जुन"]),
            ("مُحَمَّد", &["محمد"]),
            ("Ha\u{ad}nd\u{200b}held", &["handheld"]),
            ("٣ m", &["٣", "m"]),
            ("--- ' ", &[]),
            ("", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        for text in ["O'Brien", "o brien", "OBRIEN", "O\u{2019}Brien", "Ó Brien"] {
            assert_eq!(squash(text), "obrien");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_of_words_are_the_same_words(text in any::<String>()) {
            let once = words(&text);
            prop_assert_eq!(words(&once.join(" ")), once.clone());
            prop_assert!(once.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace)));
        }
    }
}
