//! Whether a unit is covered on a day: the rules in their order, and the trace of those that fired.
//!
//! This is the one evaluator. [`Cover`] is the one answer to "is there a plan that pays", for
//! coverage, quotes and every other answer, so that what is covered is never quoted as owed.

use std::fmt;

use crate::text::{length, text_type};
use crate::warranty::{
    Cause, CausesFound, RegionCode, TierName, UnitRecord, UnknownTier, Warranty, WarrantyPolicy,
    governing,
};
use crate::{CivilDate, TextError};

text_type!(
    /// What a customer says is wrong, at most 4,000 characters. May be empty.
    ProblemText,
    personal
);

impl ProblemText {
    /// Most characters.
    pub const MOST: usize = 4_000;

    /// Checks.
    ///
    /// # Errors
    /// Longer than [`ProblemText::MOST`].
    pub fn new(text: &str) -> Result<Self, TextError> {
        length(text, "a description of a problem", 0, Self::MOST)?;
        Ok(Self(text.to_owned()))
    }
}

/// What a caller says about a case. Each of them can only make the outcome stricter; what is `None` is
/// unknown, neither true nor false.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportedFacts {
    /// What is wrong.
    pub problem: Option<ProblemText>,
    /// Where the customer is.
    pub region: Option<RegionCode>,
    /// Whether there is a proof of purchase.
    pub proof_of_purchase: Option<bool>,
    /// Whether a return is open. `false` never lifts what the store knows.
    pub has_open_return: Option<bool>,
}

/// What a case comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoverageOutcome {
    /// Covered.
    Eligible,
    /// Not covered; a repair can be paid for.
    EligibleForPaidRepair,
    /// Neither.
    NotEligible,
    /// A person decides.
    RequiresHumanReview,
}

impl CoverageOutcome {
    /// All of them, in the order the schemas publish.
    pub const ALL: [Self; 4] = [
        Self::Eligible,
        Self::EligibleForPaidRepair,
        Self::NotEligible,
        Self::RequiresHumanReview,
    ];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eligible => "Eligible",
            Self::EligibleForPaidRepair => "EligibleForPaidRepair",
            Self::NotEligible => "NotEligible",
            Self::RequiresHumanReview => "RequiresHumanReview",
        }
    }
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoverageReason {
    /// No unit has the identifier.
    DeviceNotFound,
    /// The serial number looks like fraud.
    SuspectedFraud,
    /// A return is open.
    DuplicateOpenRequest,
    /// The problem has a cause that warranties exclude.
    ExcludedCause,
    /// It may have one.
    ExcludedCauseUnclear,
    /// Shipped too long ago.
    OutsideReturnWindow,
    /// There is no proof of purchase.
    ProofOfPurchaseMissing,
    /// No warranty covers the day.
    OutOfWarranty,
    /// Cases of the region are decided by people.
    EscalatedToAgent,
    /// A warranty covers the day.
    InWarrantyConfirmedDefect,
}

impl CoverageReason {
    /// All of them, in the order the schemas publish.
    pub const ALL: [Self; 10] = [
        Self::DeviceNotFound,
        Self::SuspectedFraud,
        Self::DuplicateOpenRequest,
        Self::ExcludedCause,
        Self::ExcludedCauseUnclear,
        Self::OutsideReturnWindow,
        Self::ProofOfPurchaseMissing,
        Self::OutOfWarranty,
        Self::EscalatedToAgent,
        Self::InWarrantyConfirmedDefect,
    ];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DeviceNotFound => "DeviceNotFound",
            Self::SuspectedFraud => "SuspectedFraud",
            Self::DuplicateOpenRequest => "DuplicateOpenRequest",
            Self::ExcludedCause => "ExcludedCause",
            Self::ExcludedCauseUnclear => "ExcludedCauseUnclear",
            Self::OutsideReturnWindow => "OutsideReturnWindow",
            Self::ProofOfPurchaseMissing => "ProofOfPurchaseMissing",
            Self::OutOfWarranty => "OutOfWarranty",
            Self::EscalatedToAgent => "EscalatedToAgent",
            Self::InWarrantyConfirmedDefect => "InWarrantyConfirmedDefect",
        }
    }
}

/// A rule that fired. Its text is the id on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RuleId {
    /// No such unit.
    DeviceUnknown,
    /// The serial number begins with a fraud prefix, written as the policy has it.
    FraudPrefix(String),
    /// A return is open.
    ReturnOpen,
    /// The problem states a cause.
    CauseStated(Cause),
    /// The problem may mean a cause.
    CauseUnclear(Cause),
    /// Shipped before the window.
    ReturnWindow,
    /// No proof of purchase.
    ProofMissing,
    /// No warranty governs the day.
    WarrantyExpired,
    /// The tier of the warranty that governs.
    WarrantyTier(TierName),
    /// A region in the review list, as the policy has it.
    Region(RegionCode),
    /// A warranty covers the day.
    WarrantyActive,
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeviceUnknown => f.write_str("device.unknown"),
            Self::FraudPrefix(prefix) => write!(f, "fraud.prefix:{prefix}"),
            Self::ReturnOpen => f.write_str("return.open"),
            Self::CauseStated(cause) => write!(f, "cause.{}", cause.as_str()),
            Self::CauseUnclear(cause) => write!(f, "cause.unclear:{}", cause.as_str()),
            Self::ReturnWindow => f.write_str("window.return"),
            Self::ProofMissing => f.write_str("proof.missing"),
            Self::WarrantyExpired => f.write_str("warranty.expired"),
            Self::WarrantyTier(tier) => write!(f, "warranty.tier:{tier}"),
            Self::Region(region) => write!(f, "region:{region}"),
            Self::WarrantyActive => f.write_str("warranty.active"),
        }
    }
}

/// Whether a plan pays for defects on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cover {
    /// No warranty governs the day.
    None,
    /// One does, and its tier does not cover defects.
    Uncovered(Warranty),
    /// One does, and its tier covers defects.
    Covered(Warranty),
}

impl Cover {
    /// The cover of a unit with these warranties.
    ///
    /// # Errors
    /// The warranty that governs has a tier that the policy does not have.
    pub fn on(
        today: CivilDate,
        warranties: &[Warranty],
        policy: &WarrantyPolicy,
    ) -> Result<Self, UnknownTier> {
        let Some(warranty) = governing(warranties, today, policy) else {
            return Ok(Self::None);
        };
        match policy.tier(&warranty.tier) {
            None => Err(UnknownTier {
                tier: warranty.tier.clone(),
            }),
            Some(tier) if tier.covered() => Ok(Self::Covered(warranty.clone())),
            Some(_) => Ok(Self::Uncovered(warranty.clone())),
        }
    }

    /// The warranty that governs.
    #[must_use]
    pub fn warranty(&self) -> Option<&Warranty> {
        match self {
            Self::None => None,
            Self::Uncovered(warranty) | Self::Covered(warranty) => Some(warranty),
        }
    }

    /// Whether a plan pays.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        matches!(self, Self::Covered(_))
    }
}

/// What a case came to, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// The outcome.
    pub outcome: CoverageOutcome,
    /// Why.
    pub reason: CoverageReason,
    /// The rules that fired, in their order. The last one decided.
    pub rules: Vec<RuleId>,
    /// The cover of the unit.
    pub cover: Cover,
}

/// Evaluates a case: the first rule that fires decides. Pure: the same facts on the same day give the
/// same answer whenever it is asked.
///
/// # Errors
/// The warranty that governs has a tier that the policy does not have.
pub fn evaluate(
    unit: Option<&UnitRecord>,
    today: CivilDate,
    facts: &ReportedFacts,
    policy: &WarrantyPolicy,
) -> Result<Evaluation, UnknownTier> {
    let Some(unit) = unit else {
        return Ok(Evaluation {
            outcome: CoverageOutcome::NotEligible,
            reason: CoverageReason::DeviceNotFound,
            rules: vec![RuleId::DeviceUnknown],
            cover: Cover::None,
        });
    };
    let cover = Cover::on(today, &unit.warranties, policy)?;
    let (outcome, reason, rules) = first_rule(unit, today, facts, policy, &cover);
    Ok(Evaluation {
        outcome,
        reason,
        rules,
        cover,
    })
}

type Verdict = (CoverageOutcome, CoverageReason, Vec<RuleId>);

fn first_rule(
    unit: &UnitRecord,
    today: CivilDate,
    facts: &ReportedFacts,
    policy: &WarrantyPolicy,
    cover: &Cover,
) -> Verdict {
    use CoverageOutcome::{Eligible, EligibleForPaidRepair, NotEligible, RequiresHumanReview};

    if let Some(prefix) = policy.fraud_prefix(&unit.device.serial) {
        let rule = RuleId::FraudPrefix(prefix.to_owned());
        return (
            RequiresHumanReview,
            CoverageReason::SuspectedFraud,
            vec![rule],
        );
    }
    if unit.has_open_return() || facts.has_open_return == Some(true) {
        let reason = CoverageReason::DuplicateOpenRequest;
        return (RequiresHumanReview, reason, vec![RuleId::ReturnOpen]);
    }
    if let Some(verdict) = facts
        .problem
        .as_ref()
        .and_then(|problem| excluded(problem, policy))
    {
        return verdict;
    }
    let window = i64::from(policy.return_window_days());
    if unit
        .device
        .shipped_on
        .is_some_and(|shipped| today.days_since(shipped) > window)
    {
        let reason = CoverageReason::OutsideReturnWindow;
        return (NotEligible, reason, vec![RuleId::ReturnWindow]);
    }
    if facts.proof_of_purchase == Some(false) {
        let reason = CoverageReason::ProofOfPurchaseMissing;
        return (RequiresHumanReview, reason, vec![RuleId::ProofMissing]);
    }
    let tier = match cover {
        Cover::None => {
            let rules = vec![RuleId::WarrantyExpired];
            return (EligibleForPaidRepair, CoverageReason::OutOfWarranty, rules);
        }
        Cover::Uncovered(warranty) => {
            let rules = vec![RuleId::WarrantyTier(warranty.tier.clone())];
            return (EligibleForPaidRepair, CoverageReason::OutOfWarranty, rules);
        }
        Cover::Covered(warranty) => RuleId::WarrantyTier(warranty.tier.clone()),
    };
    let region = facts
        .region
        .as_ref()
        .and_then(|region| policy.review_region(region));
    if let Some(region) = region {
        let rules = vec![tier, RuleId::Region(region.clone())];
        return (RequiresHumanReview, CoverageReason::EscalatedToAgent, rules);
    }
    let rules = vec![tier, RuleId::WarrantyActive];
    (Eligible, CoverageReason::InWarrantyConfirmedDefect, rules)
}

/// A stated cause refuses; an unclear one goes to a person, if nothing is stated.
fn excluded(problem: &ProblemText, policy: &WarrantyPolicy) -> Option<Verdict> {
    let CausesFound { stated, unclear } = policy.causes_of(problem.as_str());
    if !stated.is_empty() {
        let rules = stated.into_iter().map(RuleId::CauseStated).collect();
        let reason = CoverageReason::ExcludedCause;
        return Some((CoverageOutcome::NotEligible, reason, rules));
    }
    if unclear.is_empty() {
        return None;
    }
    let rules = unclear.into_iter().map(RuleId::CauseUnclear).collect();
    let reason = CoverageReason::ExcludedCauseUnclear;
    Some((CoverageOutcome::RequiresHumanReview, reason, rules))
}
