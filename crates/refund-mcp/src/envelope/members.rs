//! The named members of one JSON object, as the text they were sent in. Nothing is built for the
//! values, so that a megabyte of arrays costs no more than its text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use refund_schema::PathSegment;
use serde::Deserialize;
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

/// Where a key stands that its object has twice, at any depth: the path to the first of them.
///
/// # Errors
/// The text is no JSON that can be read, or is nested too deeply.
pub(super) fn twice(text: &str) -> Result<Option<Vec<PathSegment>>, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let found = json.deserialize_any(Once)?;
    json.end()?;
    Ok(found.map(|mut path| {
        path.reverse();
        path
    }))
}

/// Looks for a key that comes twice; the path to it is built from its end.
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = Option<Vec<PathSegment>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// A key as it was sent, without a copy where nothing in it was escaped.
#[derive(Deserialize, PartialEq, Eq, Hash)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for Once {
    type Value = Option<Vec<PathSegment>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let below = map.next_value_seed(Once)?;
            if below.is_some() || keys.contains(&key) {
                let mut path = below.unwrap_or_default();
                path.push(PathSegment::Key(key.0.into_owned()));
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return Ok(Some(path));
            }
            keys.insert(key);
        }
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut index = 0;
        while let Some(below) = elements.next_element_seed(Once)? {
            if let Some(mut path) = below {
                path.push(PathSegment::Index(index));
                while elements.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(Some(path));
            }
            index += 1;
        }
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_comes_twice_is_found_at_any_depth() {
        let path = |text: &str| {
            let found = twice(text).unwrap();
            found.map(|path| serde_json::to_string(&path).unwrap())
        };
        for text in [
            "{}",
            "[]",
            "null",
            "[1,-1,1.5,true,\"a\"]",
            r#"{"a":{"a":1},"b":[{"a":2},{"a":3}]}"#,
        ] {
            assert_eq!(path(text), None, "{text}");
        }
        for (text, expected) in [
            (r#"{"a":1,"b":2,"a":1}"#, r#"["a"]"#),
            (r#"{"a":1,"\u0061":1,"c":{}}"#, r#"["a"]"#),
            (
                r#"{"a":{"b":[0,{"c":1,"c":2},{}]},"d":1}"#,
                r#"["a","b",1,"c"]"#,
            ),
            (r#"{"a":{"b":1,"b":2},"a":1}"#, r#"["a","b"]"#),
        ] {
            assert_eq!(path(text).as_deref(), Some(expected), "{text}");
        }
        let deep = "[".repeat(100_000);
        for text in ["{", "{\"a\":1e400}", "{\"\\ud800\":1}", "{} {}", &deep] {
            assert!(twice(text).is_err());
        }
    }
}
