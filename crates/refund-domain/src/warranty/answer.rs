//! What the desk answers. Whole entities: what of them leaves the process, the projections of
//! `refund-schema` say.

use crate::warranty::{
    Cover, DeviceProduct, Evaluation, ListedUnit, OpenReturn, RepairFee, Score, SearchRefusal,
    SerialNumber, UnitRecord,
};
use crate::{CivilDate, Customer, ProductName};

/// A unit that may be meant, to confirm with the customer. Never one whose return is open, unless the
/// caller asked for those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Its serial number.
    pub serial: SerialNumber,
    /// What it is.
    pub product_name: ProductName,
    /// How near the identifier is.
    pub score: Score,
}

/// Most suggestions of an answer.
pub const MOST_SUGGESTIONS: usize = 3;

/// The answer about coverage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageAnswer {
    /// The unit, if it was identified.
    pub unit: Option<UnitRecord>,
    /// Whether nothing is told of the unit but what its case comes to: its return is open, and
    /// it was not asked for by its serial number.
    pub hidden: bool,
    /// What the case comes to.
    pub evaluation: Evaluation,
    /// What the customer may be told.
    pub explanation: String,
    /// Units that may be meant; none if one was identified.
    pub suggestions: Vec<Suggestion>,
}

/// The answer about a price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteAnswer {
    /// The price, if the unit was identified.
    pub quote: Option<Quote>,
    /// Units that may be meant; none if one was identified.
    pub suggestions: Vec<Suggestion>,
    /// What is owed, in words.
    pub note: String,
}

/// A price for a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The unit.
    pub unit: UnitRecord,
    /// Whether nothing is told of the unit but its price: its return is open, and
    /// it was not asked for by its serial number.
    pub hidden: bool,
    /// What a repair costs without cover.
    pub fee: RepairFee,
    /// Whether a plan pays.
    pub cover: Cover,
    /// How many business days a repair takes; unknown where no warranty governs.
    pub turnaround_business_days: Option<u16>,
}

/// The answer about a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceAnswer {
    /// The day that the answer is about.
    pub as_of: CivilDate,
    /// What was found.
    pub found: DeviceFound,
    /// Units that may be meant.
    pub suggestions: Vec<Suggestion>,
}

/// What became of looking for a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceFound {
    /// Nothing that could be said to be it.
    Nothing,
    /// A unit whose return is open, which the caller did not ask to see. Nothing of it is told.
    Suppressed {
        /// Whether it is only nearly what was asked for.
        near: bool,
    },
    /// A unit.
    Shown(Box<ShownDevice>),
}

/// A unit that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownDevice {
    /// The unit.
    pub unit: UnitRecord,
    /// Its cover on the day.
    pub cover: Cover,
    /// By what it was found.
    pub matched_on: MatchedOn,
    /// How well.
    pub score: Score,
}

/// By what a unit was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchedOn {
    /// Its serial number.
    Serial,
    /// Its MAC address, IMEI or asset tag.
    AlternateIdentifier,
    /// Nearly one of them: to be confirmed.
    Fuzzy,
}

impl MatchedOn {
    /// All of them, in the order the schemas publish.
    pub const ALL: [Self; 3] = [Self::Serial, Self::AlternateIdentifier, Self::Fuzzy];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::AlternateIdentifier => "alternate-identifier",
            Self::Fuzzy => "fuzzy",
        }
    }
}

impl DeviceAnswer {
    /// Whether a person has to confirm the unit: it is nearly what was asked for, or there are
    /// suggestions.
    #[must_use]
    pub fn requires_confirmation(&self) -> bool {
        let near = match &self.found {
            DeviceFound::Nothing => false,
            DeviceFound::Suppressed { near } => *near,
            DeviceFound::Shown(shown) => shown.matched_on == MatchedOn::Fuzzy,
        };
        near || !self.suggestions.is_empty()
    }
}

/// The answer of a search for units.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceSearchAnswer {
    /// How many units without an open return fit.
    pub matches: u64,
    /// How many that fit were left out because of an open return.
    pub suppressed: u64,
    /// The best of them.
    pub units: Vec<(ListedUnit, Score)>,
    /// Why the search was not made.
    pub refusal: Option<SearchRefusal>,
}

/// The open returns of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReturnsAnswer {
    /// The unit.
    pub serial: SerialNumber,
    /// Its product.
    pub product: DeviceProduct,
    /// Its open returns, the oldest first.
    pub returns: Vec<OpenReturn>,
}

/// The answer of a search for customers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CustomerSearchAnswer {
    /// How many customers fit.
    pub matches: u64,
    /// The best of them.
    pub customers: Vec<FoundCustomer>,
    /// Why the search was not made.
    pub refusal: Option<SearchRefusal>,
    /// Nothing was found, and the address that was asked for has letters that look like others.
    pub look_alike_letters: bool,
}

/// A customer that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCustomer {
    /// The customer.
    pub customer: Customer,
    /// How many addresses there are.
    pub address_count: u32,
    /// How well the customer fits.
    pub score: Score,
}

impl CustomerSearchAnswer {
    /// Whether a person has to confirm the customer: there are several, or the one was not named in
    /// full.
    #[must_use]
    pub fn requires_confirmation(&self) -> bool {
        let unsure = |found: &FoundCustomer| found.score < Score::ALL_WORDS;
        self.matches > 1 || self.customers.iter().any(unsure)
    }
}
