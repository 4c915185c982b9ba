//! One JSON record taken apart, so that every value knows its line and duplicate keys are seen.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::fields::Cell;

/// The members of an object in the order of the text, duplicates included.
pub(crate) struct Members<'a>(pub(crate) Vec<(Cow<'a, str>, &'a RawValue)>);

/// A key, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for MembersVisitor<'a> {
            type Value = Members<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

/// Counts lines up to a part of the text. Cheap when the parts come in order.
pub(crate) struct Lines<'a> {
    text: &'a str,
    first: u64,
    offset: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    /// For a text that begins on this line.
    pub(crate) fn new(text: &'a str, first: u64) -> Self {
        Self {
            text,
            first,
            offset: 0,
            line: first,
        }
    }

    /// The line that a part of the text begins on.
    pub(crate) fn of(&mut self, part: &str) -> u64 {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if offset < self.offset {
            (self.offset, self.line) = (0, self.first);
        }
        let between = self.text.as_bytes().get(self.offset..offset).unwrap_or(&[]);
        let breaks = between.iter().filter(|byte| **byte == b'\n').count();
        self.line += u64::try_from(breaks).unwrap_or(u64::MAX);
        self.offset = offset;
        self.line
    }
}

/// What a value is to a field.
pub(crate) fn cell(value: &RawValue) -> Cell<'_> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'"') => {
            serde_json::from_str(text).map_or(Cell::Other, |Key(text): Key<'_>| Cell::Text(text))
        }
        Some(b'-' | b'0'..=b'9') => Cell::Number(text),
        Some(b'n') => Cell::Null,
        Some(b't') => Cell::Flag(true),
        Some(b'f') => Cell::Flag(false),
        _ => Cell::Other,
    }
}
