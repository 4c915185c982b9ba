//! The unit that a warranty is about: what names it, what it is, what is known of it.

use std::fmt;

use crate::text::{length, named, no_control, text_type};
use crate::warranty::{NormalForm, OpenReturn, Warranty};
use crate::{CivilDate, CustomerId, ProductName, Sku, TextError};

text_type!(
    /// A serial number, kept character for character: zeros, case, hyphens and blanks at its ends
    /// stay as they were stored. 1 to 64 characters, one of them a letter or digit.
    SerialNumber,
    personal
);
text_type!(
    /// A hardware address as it was stored: 12 or 16 hexadecimal digits, with punctuation or without.
    MacAddress,
    personal
);
text_type!(
    /// A mobile equipment identity as it was stored: 14 to 16 digits, with punctuation or without.
    Imei,
    personal
);
text_type!(
    /// The number that a customer gave the unit: 1 to 64 characters, one of them a letter or digit.
    AssetTag,
    personal
);
text_type!(
    /// A model's name, 1 to 200 characters.
    ModelName,
    shown
);
text_type!(
    /// A hardware revision or a firmware version, 1 to 64 characters.
    Revision,
    shown
);

/// Most characters of an identifier that is stored.
const MOST_CHARACTERS: usize = 64;

fn identifier(text: &str, what: &'static str) -> Result<(), TextError> {
    length(text, what, 1, MOST_CHARACTERS)?;
    no_control(text, what)?;
    if NormalForm::of(text).is_some() {
        Ok(())
    } else {
        Err(TextError::Form {
            what,
            rule: "must have a letter or a digit",
        })
    }
}

fn normal_form_is(text: &str, lengths: &[usize], digit: fn(&u8) -> bool) -> bool {
    NormalForm::of(text).is_some_and(|form| {
        lengths.contains(&form.as_str().len()) && form.as_str().as_bytes().iter().all(digit)
    })
}

impl SerialNumber {
    /// Checks. Nothing is trimmed or changed.
    ///
    /// # Errors
    /// Longer than 64, control characters, or neither letter nor digit.
    pub fn new(text: &str) -> Result<Self, TextError> {
        identifier(text, "a serial number")?;
        Ok(Self(text.to_owned()))
    }
}

impl PartialOrd for SerialNumber {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The order of the characters' numbers, as `COLLATE "C"` and `BINARY` have it.
impl Ord for SerialNumber {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl MacAddress {
    /// Checks. Nothing is changed.
    ///
    /// # Errors
    /// Not 12 or 16 hexadecimal digits besides punctuation.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "a MAC address";
        identifier(text, WHAT)?;
        if normal_form_is(text, &[12, 16], u8::is_ascii_hexdigit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must have 12 or 16 hexadecimal digits",
            })
        }
    }
}

impl Imei {
    /// Checks. Nothing is changed. The check digit is not judged: what is printed on the unit counts.
    ///
    /// # Errors
    /// Not 14 to 16 digits besides punctuation.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "an IMEI";
        identifier(text, WHAT)?;
        if normal_form_is(text, &[14, 15, 16], u8::is_ascii_digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must have 14 to 16 digits",
            })
        }
    }
}

impl AssetTag {
    /// Checks. Nothing is trimmed or changed.
    ///
    /// # Errors
    /// Longer than 64, control characters, or neither letter nor digit.
    pub fn new(text: &str) -> Result<Self, TextError> {
        identifier(text, "an asset tag")?;
        Ok(Self(text.to_owned()))
    }
}

impl ModelName {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 200, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a model", 200).map(Self)
    }
}

impl Revision {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 64, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a revision", 64).map(Self)
    }
}

/// A product as far as a warranty is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceProduct {
    /// The number.
    pub sku: Sku,
    /// The name.
    pub name: ProductName,
    /// The model, where it is known apart from the name.
    pub model: Option<ModelName>,
}

impl DeviceProduct {
    /// What a search by model looks at: the model, or the name of a product whose model is not known
    /// apart from it.
    #[must_use]
    pub fn model_or_name(&self) -> &str {
        match &self.model {
            Some(model) => model.as_str(),
            None => self.name.as_str(),
        }
    }
}

/// A unit as a store holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The serial number, which is the unit's id.
    pub serial: SerialNumber,
    /// What it is.
    pub sku: Sku,
    /// Whose it is, where that is known.
    pub customer_id: Option<CustomerId>,
    /// Hardware address.
    pub mac: Option<MacAddress>,
    /// Mobile equipment identity.
    pub imei: Option<Imei>,
    /// The customer's number for it.
    pub asset_tag: Option<AssetTag>,
    /// When it was shipped, where that is known.
    pub shipped_on: Option<CivilDate>,
    /// Hardware revision.
    pub hardware_revision: Option<Revision>,
    /// Firmware version.
    pub firmware_version: Option<Revision>,
}

/// The kinds of identifiers that a unit has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdentifierKind {
    /// The serial number.
    Serial,
    /// The MAC address.
    Mac,
    /// The IMEI.
    Imei,
    /// The asset tag.
    AssetTag,
}

impl fmt::Display for IdentifierKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Serial => "serial",
            Self::Mac => "mac",
            Self::Imei => "imei",
            Self::AssetTag => "asset_tag",
        })
    }
}

impl Device {
    /// Everything that names the unit, the serial number first. A store indexes each of them.
    pub fn identifiers(&self) -> impl Iterator<Item = (IdentifierKind, &str)> {
        let others = [
            (
                IdentifierKind::Mac,
                self.mac.as_ref().map(MacAddress::as_str),
            ),
            (IdentifierKind::Imei, self.imei.as_ref().map(Imei::as_str)),
            (
                IdentifierKind::AssetTag,
                self.asset_tag.as_ref().map(AssetTag::as_str),
            ),
        ];
        std::iter::once((IdentifierKind::Serial, self.serial.as_str())).chain(
            others
                .into_iter()
                .filter_map(|(kind, text)| Some((kind, text?))),
        )
    }
}

/// A unit with its product, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedUnit {
    /// The unit.
    pub device: Device,
    /// What it is.
    pub product: DeviceProduct,
    /// Whether a return of it is open.
    pub has_open_return: bool,
}

/// A unit with everything that its coverage depends on, read at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitRecord {
    /// The unit.
    pub device: Device,
    /// What it is.
    pub product: DeviceProduct,
    /// All of its warranties, in any order.
    pub warranties: Vec<Warranty>,
    /// Its open returns, the oldest first, those of one instant by number.
    pub open_returns: Vec<OpenReturn>,
}

impl UnitRecord {
    /// Whether a return of it is open.
    #[must_use]
    pub fn has_open_return(&self) -> bool {
        !self.open_returns.is_empty()
    }

    /// The unit as it is listed.
    #[must_use]
    pub fn listed(&self) -> ListedUnit {
        ListedUnit {
            device: self.device.clone(),
            product: self.product.clone(),
            has_open_return: self.has_open_return(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Case R-071.
    #[test]
    fn serials_are_kept_character_for_character() {
        for text in ["00120300", "ax2-0001", " X1 ", "0", "製番-1", "A\u{3000}1"] {
            assert_eq!(SerialNumber::new(text).unwrap().as_str(), text);
        }
        for text in ["", " ", "--", "A\n1", &"x".repeat(65)] {
            assert!(SerialNumber::new(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn alternate_identifiers_have_their_form() {
        for text in ["A4C1F2E30001", "a4:c1:f2:e3:00:01", "A4C1.F2E3.0001"] {
            assert_eq!(MacAddress::new(text).unwrap().as_str(), text);
        }
        for text in ["A4C1F2E3000", "G4C1F2E30001", "", "A4C1F2E300012"] {
            assert!(MacAddress::new(text).is_err(), "{text}");
        }
        for text in ["356938035643809", "35-693803-564380-9", "35693803564380"] {
            assert_eq!(Imei::new(text).unwrap().as_str(), text);
        }
        for text in ["35693803564380A", "3569380356438", "٣٥٦٩٣٨٠٣٥٦٤٣٨٠٩"] {
            assert!(Imei::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_names_a_unit_does_not_show_itself() {
        let shown = format!(
            "{:?} {:?} {:?} {:?}",
            SerialNumber::new("AX2-0001-0001"),
            MacAddress::new("A4C1F2E30001"),
            Imei::new("356938035643809"),
            AssetTag::new("DESK-17")
        );
        for secret in ["AX2", "A4C1", "3569", "DESK"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}
