//! Warranties: whether a unit is covered, what a repair costs, and which unit, customer or address is
//! meant. Everything here only reads.
//!
//! Start here, in reading order:
//!
//! - [`Device`], [`Warranty`], [`OpenReturn`], [`Address`]: the entities.
//! - [`WarrantyPolicy`]: the rules as data, checked once.
//! - [`evaluate`]: facts in, outcome and rule trace out; [`Cover`]: the one answer to "does a plan pay".
//! - [`NormalForm`], [`match_kind`]: when two identifiers are the same, and when nearly.
//! - [`score`] and [`candidates`]: how well texts match, and what a store indexes to find them.
//! - [`ports`]: what a store must offer, readers alone.
//! - [`WarrantyDesk`]: the use cases over the readers.
//!
//! *Invariant:* a tool that states a false fact is worse than one that asks. What is only nearly an
//! identifier is suggested and never decides; what a caller says can only make an outcome stricter.

mod address;
mod answer;
pub mod candidates;
mod cause;
mod coverage;
mod desk;
mod device;
mod explanation;
mod identifier;
mod matching;
mod note;
mod phone;
mod plan;
mod policy;
pub mod ports;
mod refusal;
mod region;
mod scoped;
mod score;
mod search;
mod shipping;
mod words;

pub use address::{Address, AddressLine, CountryCode, PostalCode};
pub use answer::{
    CoverageAnswer, CustomerSearchAnswer, DeviceAnswer, DeviceFound, DeviceSearchAnswer,
    FoundCustomer, MOST_SUGGESTIONS, MatchedOn, OpenReturnsAnswer, Quote, QuoteAnswer, ShownDevice,
    Suggestion,
};
pub use candidates::{TextProbe, search_keys};
pub use cause::{Cause, CauseWords, CauseWordsError, CausesFound};
pub use coverage::{
    Cover, CoverageOutcome, CoverageReason, Evaluation, ProblemText, ReportedFacts, RuleId,
    evaluate,
};
pub use desk::{CustomerCriteria, DeviceCriteria, WarrantyDesk};
pub use device::{
    AssetTag, Device, DeviceProduct, IdentifierKind, Imei, ListedUnit, MacAddress, ModelName,
    Revision, SerialNumber, UnitRecord,
};
pub use explanation::explanation;
pub use identifier::{LookAlikeKey, MatchKind, NormalForm, match_kind, match_score};
pub use matching::{Phrase, score};
pub use note::{EVALUATION_NOTE, LOOKUP_NOTE, quote_note};
pub use phone::{PhoneKey, PhoneProbe};
pub use plan::{
    OpenReturn, Period, PeriodError, PlanName, ReturnState, RmaNumber, TierName, Warranty,
    governing,
};
pub use policy::{
    PolicyError, RepairFee, RepairPrice, RepairPrices, Tier, TierRule, UnknownTier, WarrantyPolicy,
    WarrantyRules,
};
pub use ports::{
    AddressReader, CustomerSearch, DeviceReader, ProductField, ProductSearch, ProductUnits,
    WarrantyReader,
};
pub use refusal::{WarrantyDeskError, WarrantyRefusal};
pub use region::RegionCode;
pub use score::Score;
pub use search::{AddressText, Criterion, Identifier, MOST_CANDIDATES, SearchRefusal};
pub use shipping::{AddressFound, AddressMatch, NO_ADDRESS_REASON, NotResolved, resolve_address};
pub use words::{squash, words};
