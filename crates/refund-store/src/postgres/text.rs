//! Texts with U+0000, which PostgreSQL cannot store: `U+0000` is written as `U+0001 U+0001`, and
//! `U+0001` as `U+0001 U+0002`. Every other text is written as it stands. Written texts sort as the
//! texts themselves do.

use std::borrow::Cow;

const ESCAPE: char = '\u{1}';

/// The text as it is written.
pub(crate) fn encode(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\0' => written.extend([ESCAPE, '\u{1}']),
            ESCAPE => written.extend([ESCAPE, '\u{2}']),
            other => written.push(other),
        }
    }
    Cow::Owned(written)
}

/// A text that [`encode`] did not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a text holds U+0001 that stands for nothing")]
pub(crate) struct NotWritten;

/// The text of what is written.
pub(crate) fn decode(written: &str) -> Result<Cow<'_, str>, NotWritten> {
    if !written.contains(ESCAPE) {
        return Ok(Cow::Borrowed(written));
    }
    let mut text = String::with_capacity(written.len());
    let mut letters = written.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ESCAPE => match letters.next() {
                Some('\u{1}') => text.push('\0'),
                Some('\u{2}') => text.push(ESCAPE),
                _ => return Err(NotWritten),
            },
            other => text.push(other),
        }
    }
    Ok(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_texts_with_the_two_characters_change() {
        assert_eq!(encode("plain"), "plain");
        assert_eq!(encode("a\0b\u{1}"), "a\u{1}\u{1}b\u{1}\u{2}");
        for broken in ["\u{1}", "a\u{1}b", "\u{1}\u{3}"] {
            assert_eq!(decode(broken), Err(NotWritten), "{broken:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn texts_come_back_and_sort_alike(
            left in "[\u{0}-\u{3}ab]{0,6}",
            right in "[\u{0}-\u{3}ab]{0,6}",
        ) {
            let (first, second) = (encode(&left), encode(&right));
            prop_assert!(!first.contains('\0'));
            prop_assert_eq!(decode(&first).unwrap(), left.as_str());
            prop_assert_eq!(first.as_bytes().cmp(second.as_bytes()), left.as_bytes().cmp(right.as_bytes()));
        }
    }
}
