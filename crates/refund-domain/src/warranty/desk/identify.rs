//! From an identifier to the unit that it identifies, or to those that it may mean.

use std::cmp::Reverse;

use crate::StoreError;
use crate::warranty::{
    Identifier, IdentifierKind, ListedUnit, MOST_SUGGESTIONS, MatchKind, MatchedOn, NormalForm,
    Score, Suggestion, UnitRecord, WarrantyReader, match_kind, match_score,
};

use super::WarrantyDesk;

/// Most units with one identifier, or near it, that are looked at. Only a tag that says nothing, such
/// as "NONE" on every unit, has more.
const MOST_UNITS: u32 = 1_000;

/// What an identifier comes to.
pub(super) enum Resolution {
    /// Exactly one unit has it.
    Identified(Box<Identified>),
    /// None has it, or several.
    Unidentified(Candidates),
}

pub(super) struct Identified {
    pub(super) unit: UnitRecord,
    pub(super) matched_on: MatchedOn,
}

impl Identified {
    /// Whether an answer about coverage or a price tells nothing of the unit itself: its return is
    /// open, and who asks does not know its serial number.
    pub(super) fn is_hidden(&self) -> bool {
        self.unit.has_open_return() && self.matched_on != MatchedOn::Serial
    }
}

/// Units that may be meant, the best first.
pub(super) struct Candidates(Vec<Candidate>);

pub(super) struct Candidate {
    pub(super) unit: ListedUnit,
    pub(super) kind: MatchKind,
    pub(super) score: Score,
}

impl Candidates {
    /// The one candidate that is a near miss, if there is no other candidate.
    pub(super) fn only_near_miss(&self) -> Option<&Candidate> {
        match self.0.as_slice() {
            [only] if only.kind == MatchKind::Near => Some(only),
            _ => None,
        }
    }

    /// What is suggested: the best, without units whose return is open unless they are wanted.
    pub(super) fn suggestions(&self, with_open_returns: bool) -> Vec<Suggestion> {
        self.0
            .iter()
            .filter(|candidate| with_open_returns || !candidate.unit.has_open_return)
            .take(MOST_SUGGESTIONS)
            .map(|candidate| Suggestion {
                serial: candidate.unit.device.serial.clone(),
                product_name: candidate.unit.product.name.clone(),
                score: candidate.score,
            })
            .collect()
    }
}

impl<R: WarrantyReader> WarrantyDesk<R> {
    pub(super) async fn resolve(&self, identifier: &Identifier) -> Result<Resolution, StoreError> {
        let Some(form) = NormalForm::of(identifier.as_str()) else {
            return Ok(Resolution::Unidentified(Candidates(Vec::new())));
        };
        let mut units = self.reader.units_identified(&form, MOST_UNITS).await?;
        // A store that says too much must not identify anything.
        units.retain(|unit| identifies(unit, &form).is_some());
        if units.len() == 1
            && let Some(unit) = units.pop()
        {
            let matched_on = match identifies(&unit, &form) {
                Some(IdentifierKind::Serial) | None => MatchedOn::Serial,
                Some(_) => MatchedOn::AlternateIdentifier,
            };
            return Ok(Resolution::Identified(Box::new(Identified {
                unit,
                matched_on,
            })));
        }
        let listed = if units.is_empty() {
            self.reader.units_near(&form, MOST_UNITS).await?
        } else {
            units.iter().map(UnitRecord::listed).collect()
        };
        Ok(Resolution::Unidentified(ranked(identifier, &form, listed)))
    }
}

/// By which of its identifiers a form names a unit, the serial number before the others.
fn identifies(unit: &UnitRecord, form: &NormalForm) -> Option<IdentifierKind> {
    unit.device
        .identifiers()
        .find(|(_, text)| NormalForm::of(text).as_ref() == Some(form))
        .map(|(kind, _)| kind)
}

/// The candidates in their order: the closer kind first, then the better score, then the serial number.
fn ranked(identifier: &Identifier, form: &NormalForm, units: Vec<ListedUnit>) -> Candidates {
    let best = |unit: &ListedUnit| {
        unit.device
            .identifiers()
            .filter_map(|(_, text)| {
                let kind = match_kind(identifier.as_str(), text)?;
                // Twins are the same however they are written.
                let kind = if kind == MatchKind::Exact {
                    MatchKind::Normalised
                } else {
                    kind
                };
                Some((kind, Reverse(match_score(form, &NormalForm::of(text)?))))
            })
            .min()
    };
    let mut candidates: Vec<Candidate> = units
        .into_iter()
        .filter_map(|unit| {
            let (kind, Reverse(score)) = best(&unit)?;
            Some(Candidate { unit, kind, score })
        })
        .collect();
    candidates.sort_by(|one, other| {
        let order = |candidate: &Candidate| (candidate.kind, Reverse(candidate.score));
        order(one)
            .cmp(&order(other))
            .then_with(|| one.unit.device.serial.cmp(&other.unit.device.serial))
    });
    Candidates(candidates)
}
