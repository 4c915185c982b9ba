//! The named members of one JSON object, as the text they were sent in. Nothing is built for the
//! values, so that a megabyte of arrays costs no more than its text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Up to `N` members, by their index in the list of names.
#[derive(Debug)]
pub(super) struct Members<'a, const N: usize> {
    names: [&'static str; N],
    values: [Option<&'a RawValue>; N],
    duplicate: Option<usize>,
}

impl<'a, const N: usize> Members<'a, N> {
    pub(super) fn new(names: [&'static str; N]) -> Self {
        Self {
            names,
            values: [None; N],
            duplicate: None,
        }
    }

    /// Reads an object. After an error the members that stood before it are there.
    pub(super) fn read(&mut self, text: &'a str) -> Result<(), serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        json.deserialize_map(&mut *self)?;
        json.end()
    }

    /// The value of the member with this index.
    pub(super) fn get(&self, index: usize) -> Option<&'a RawValue> {
        self.values.get(index).copied().flatten()
    }

    /// The first member that stood twice.
    pub(super) fn duplicate(&self) -> Option<usize> {
        self.duplicate
    }

    /// The name with this index.
    pub(super) fn name(&self, index: usize) -> &'static str {
        self.names.get(index).copied().unwrap_or_default()
    }
}

impl<'a, const N: usize> Visitor<'a> for &mut Members<'a, N> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(index) = map.next_key_seed(NameIndex(&self.names))? {
            let Some(slot) = index.and_then(|index| self.values.get_mut(index)) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if slot.is_some() {
                self.duplicate = self.duplicate.or(index);
            }
            *slot = Some(map.next_value()?);
        }
        Ok(())
    }
}

/// Calls `f` with the text of each element of an array, one by one.
///
/// # Errors
/// The text is no JSON array; `f` may have been called for elements before the fault.
pub(super) fn each<'a>(text: &'a str, f: impl FnMut(&'a str)) -> Result<(), serde_json::Error> {
    struct Elements<F>(F);

    impl<'a, F: FnMut(&'a str)> Visitor<'a> for Elements<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'a>>(mut self, mut elements: A) -> Result<(), A::Error> {
            while let Some(element) = elements.next_element::<&RawValue>()? {
                (self.0)(element.get());
            }
            Ok(())
        }
    }

    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_seq(Elements(f))?;
    json.end()
}

/// Turns a key into its index without keeping it.
struct NameIndex<'n>(&'n [&'static str]);

impl<'de> DeserializeSeed<'de> for NameIndex<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NameIndex<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| *name == key))
    }
}

/// The text of a JSON string; `None` for other values and for strings that are no Unicode text.
pub(super) fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    let raw = value.get();
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(raw).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}
