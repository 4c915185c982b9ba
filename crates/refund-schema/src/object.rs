//! Reads the text of the arguments into its keys and the text of each value, and notices keys that
//! come twice.

use std::collections::HashMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The arguments, not yet judged.
///
/// Only the outermost keys are looked at: an object inside the arguments is no legal value of any
/// key, so a key that comes twice in there is refused together with the object.
#[derive(Debug)]
pub(crate) struct Object<'a> {
    /// In the order sent, a repeated key at its first place.
    entries: Vec<Entry<'a>>,
    places: HashMap<String, usize>,
}

/// A key and the text of its value.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) key: String,
    pub(crate) value: &'a RawValue,
    /// Whether the key came again, whatever its value was then.
    pub(crate) repeated: bool,
}

impl<'a> Object<'a> {
    /// Reads a text that begins with `{`. serde reads arrays and scalars elsewhere, so the caller
    /// looks at the first byte.
    pub(crate) fn read(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Entry<'a>> {
        self.places
            .get(key)
            .and_then(|place| self.entries.get(*place))
    }

    pub(crate) fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;

        impl<'de> Visitor<'de> for Keys {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut object = Object {
                    entries: Vec::new(),
                    places: HashMap::new(),
                };
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    let known = object.places.get(&key).copied();
                    if let Some(first) = known.and_then(|place| object.entries.get_mut(place)) {
                        first.repeated = true;
                    } else {
                        object.places.insert(key.clone(), object.entries.len());
                        object.entries.push(Entry {
                            key,
                            value,
                            repeated: false,
                        });
                    }
                }
                Ok(object)
            }
        }

        deserializer.deserialize_map(Keys)
    }
}
