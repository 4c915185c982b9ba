//! Finding units: by an identifier, or by what is known of the product.

use std::cmp::Reverse;

use crate::warranty::search::probe;
use crate::warranty::{
    Cover, Criterion, DeviceAnswer, DeviceFound, DeviceProduct, DeviceSearchAnswer, Identifier,
    MOST_CANDIDATES, MatchedOn, Phrase, ProductField, Score, SearchRefusal, ShownDevice, TextProbe,
    UnitRecord, WarrantyDeskError, WarrantyReader, score,
};
use crate::{CivilDate, Sku, StoreError};

use super::WarrantyDesk;
use super::identify::Resolution;

/// What is known of a product. A unit must fit every criterion that is given; one that is blank is not
/// given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceCriteria {
    /// The product's name.
    pub product_name: Option<Criterion>,
    /// Its model.
    pub model: Option<Criterion>,
    /// Its number.
    pub sku: Option<Criterion>,
}

impl DeviceCriteria {
    /// The probes, the narrowest first.
    fn probes(&self) -> Result<Vec<(ProductField, TextProbe)>, SearchRefusal> {
        let mut probes = Vec::new();
        for field in ProductField::ALL {
            let criterion = match field {
                ProductField::Sku => &self.sku,
                ProductField::Model => &self.model,
                ProductField::Name => &self.product_name,
            };
            if let Some(criterion) = criterion.as_ref().filter(|criterion| !criterion.is_blank()) {
                probes.push((field, probe(name_of(field), criterion)?));
            }
        }
        Ok(probes)
    }
}

fn name_of(field: ProductField) -> &'static str {
    match field {
        ProductField::Sku => "sku",
        ProductField::Model => "model",
        ProductField::Name => "productName",
    }
}

impl<R: WarrantyReader> WarrantyDesk<R> {
    /// The unit of an identifier. A near miss is found only if it is the only one, and then has to be
    /// confirmed. A unit whose return is open is not shown unless those are wanted.
    ///
    /// # Errors
    /// A fault of the store or of the configuration.
    pub async fn find_device(
        &self,
        identifier: &Identifier,
        as_of: CivilDate,
        with_open_returns: bool,
    ) -> Result<DeviceAnswer, WarrantyDeskError> {
        let answer = |found, suggestions| DeviceAnswer {
            as_of,
            found,
            suggestions,
        };
        let candidates = match self.resolve(identifier).await? {
            Resolution::Identified(identified) => {
                let found = self.show(
                    identified.unit,
                    as_of,
                    with_open_returns,
                    identified.matched_on,
                    Score::ONE,
                )?;
                return Ok(answer(found, Vec::new()));
            }
            Resolution::Unidentified(candidates) => candidates,
        };
        if let Some(near) = candidates.only_near_miss() {
            // The unit may have gone since it was listed.
            if let Some(unit) = self.reader.unit(&near.unit.device.serial).await? {
                let found =
                    self.show(unit, as_of, with_open_returns, MatchedOn::Fuzzy, near.score)?;
                return Ok(answer(found, Vec::new()));
            }
        }
        let suggestions = candidates.suggestions(with_open_returns);
        Ok(answer(DeviceFound::Nothing, suggestions))
    }

    fn show(
        &self,
        unit: UnitRecord,
        as_of: CivilDate,
        with_open_returns: bool,
        matched_on: MatchedOn,
        score: Score,
    ) -> Result<DeviceFound, WarrantyDeskError> {
        if unit.has_open_return() && !with_open_returns {
            return Ok(DeviceFound::Suppressed {
                near: matched_on == MatchedOn::Fuzzy,
            });
        }
        let cover = Cover::on(as_of, &unit.warranties, &self.policy)?;
        Ok(DeviceFound::Shown(Box::new(ShownDevice {
            unit,
            cover,
            matched_on,
            score,
        })))
    }

    /// Units by what is known of the product, the best first: by score, then by the product's number,
    /// then by serial number. Units whose return is open are counted and not shown.
    ///
    /// # Errors
    /// A fault of the store.
    pub async fn search_devices(
        &self,
        criteria: &DeviceCriteria,
        take: u32,
    ) -> Result<DeviceSearchAnswer, WarrantyDeskError> {
        let refused = |refusal| DeviceSearchAnswer {
            refusal: Some(refusal),
            ..DeviceSearchAnswer::default()
        };
        let probes = match criteria.probes() {
            Ok(probes) => probes,
            Err(refusal) => return Ok(refused(refusal)),
        };
        let Some((field, first)) = probes.first() else {
            return Ok(refused(SearchRefusal::NothingAsked));
        };
        let limit = MOST_CANDIDATES.saturating_add(1);
        let products = self.reader.products_like(*field, first, limit).await?;
        if products.len() > MOST_CANDIDATES as usize {
            return Ok(refused(SearchRefusal::TooBroad(name_of(*field))));
        }
        Ok(self.units_of(&ranked(products, &probes), take).await?)
    }

    async fn units_of(
        &self,
        products: &[(Score, DeviceProduct)],
        take: u32,
    ) -> Result<DeviceSearchAnswer, StoreError> {
        if products.is_empty() {
            return Ok(DeviceSearchAnswer::default());
        }
        let skus: Vec<Sku> = products
            .iter()
            .map(|(_, product)| product.sku.clone())
            .collect();
        let found = self.reader.units_of(&skus, None, take).await?;
        let score_of = |sku: &Sku| {
            let product = products.iter().find(|(_, product)| product.sku == *sku);
            product.map_or(Score::ZERO, |(score, _)| *score)
        };
        Ok(DeviceSearchAnswer {
            matches: found.shown,
            suppressed: found.with_open_return,
            units: found
                .units
                .into_iter()
                .map(|unit| {
                    let score = score_of(&unit.product.sku);
                    (unit, score)
                })
                .collect(),
            refusal: None,
        })
    }
}

/// The products that fit every criterion, the best first. A product is as good as the criterion that it
/// fits worst.
fn ranked(
    products: Vec<DeviceProduct>,
    probes: &[(ProductField, TextProbe)],
) -> Vec<(Score, DeviceProduct)> {
    let worst = |product: &DeviceProduct| {
        probes
            .iter()
            .map(|(field, probe)| score(probe.query(), &Phrase::of(field.of(product))))
            .min()
            .filter(|score| *score >= Score::DEVICE_THRESHOLD)
    };
    let mut ranked: Vec<(Score, DeviceProduct)> = products
        .into_iter()
        .filter_map(|product| Some((worst(&product)?, product)))
        .collect();
    ranked.sort_by(|(one_score, one), (other_score, other)| {
        Reverse(one_score)
            .cmp(&Reverse(other_score))
            .then_with(|| one.sku.as_str().cmp(other.sku.as_str()))
    });
    ranked
}
