//! The warranty desk: the use cases of the `warranty` toolset over readers.

mod customers;
mod devices;
mod identify;

use std::sync::Arc;

use crate::warranty::{
    AddressMatch, AddressText, CoverageAnswer, EVALUATION_NOTE, Identifier, OpenReturnsAnswer,
    Quote, QuoteAnswer, ReportedFacts, SerialNumber, Suggestion, WarrantyDeskError, WarrantyPolicy,
    WarrantyReader, WarrantyRefusal, evaluate, explanation, quote_note, resolve_address,
};
use crate::{CivilDate, CustomerId};

use identify::{Identified, Resolution};

pub use customers::CustomerCriteria;
pub use devices::DeviceCriteria;

/// The use cases. Cheap to clone when its reader is.
///
/// *Invariant:* the desk cannot write. Its bounds name readers alone, so that what else a store can do
/// is out of its reach. With a writer among the bounds this compiles:
///
/// ```
/// use refund_domain::IssueRefund;
/// use refund_domain::ports::RefundWriter;
/// use refund_domain::warranty::WarrantyReader;
///
/// async fn desk_like<R: WarrantyReader + RefundWriter>(reader: &R, command: IssueRefund) {
///     let _ = reader.issue_refund(command).await;
/// }
/// ```
///
/// With the bounds of the desk it does not:
///
/// ```compile_fail
/// use refund_domain::IssueRefund;
/// use refund_domain::ports::RefundWriter;
/// use refund_domain::warranty::WarrantyReader;
///
/// async fn desk_like<R: WarrantyReader>(reader: &R, command: IssueRefund) {
///     let _ = reader.issue_refund(command).await;
/// }
/// ```
///
/// And nobody gets the reader out of a desk to write with it:
///
/// ```compile_fail
/// use refund_domain::ports::RefundWriter;
/// use refund_domain::warranty::{WarrantyDesk, WarrantyReader};
///
/// fn reader_of<R: WarrantyReader + RefundWriter>(desk: WarrantyDesk<R>) -> R {
///     desk.reader
/// }
/// ```
#[derive(Debug, Clone)]
pub struct WarrantyDesk<R> {
    reader: R,
    policy: Arc<WarrantyPolicy>,
}

impl<R> WarrantyDesk<R> {
    /// A desk over a reader.
    pub fn new(reader: R, policy: Arc<WarrantyPolicy>) -> Self {
        Self { reader, policy }
    }

    /// The policy in force.
    pub fn policy(&self) -> &WarrantyPolicy {
        &self.policy
    }
}

impl<R: WarrantyReader> WarrantyDesk<R> {
    /// Whether a unit is covered. A unit that is not identified is an ordinary answer.
    ///
    /// # Errors
    /// A fault of the store or of the configuration.
    pub async fn check_coverage(
        &self,
        identifier: &Identifier,
        today: CivilDate,
        facts: &ReportedFacts,
    ) -> Result<CoverageAnswer, WarrantyDeskError> {
        let (identified, suggestions) = self.identified(identifier).await?;
        let unit = identified.as_ref().map(|identified| &identified.unit);
        let evaluation = evaluate(unit, today, facts, &self.policy)?;
        let explanation = explanation(&evaluation, unit, today, &self.policy);
        Ok(CoverageAnswer {
            hidden: identified.as_deref().is_some_and(Identified::is_hidden),
            unit: identified.map(|identified| identified.unit),
            evaluation,
            explanation,
            suggestions,
        })
    }

    /// What a repair of a unit costs. No fee for a unit that is not identified.
    ///
    /// # Errors
    /// A fault of the store or of the configuration.
    pub async fn fee_quote(
        &self,
        identifier: &Identifier,
        today: CivilDate,
    ) -> Result<QuoteAnswer, WarrantyDeskError> {
        let (identified, suggestions) = self.identified(identifier).await?;
        let Some(identified) = identified else {
            return Ok(QuoteAnswer {
                quote: None,
                suggestions,
                note: format!(
                    "The unit was not identified, so there is no fee to quote. {EVALUATION_NOTE}"
                ),
            });
        };
        let hidden = identified.is_hidden();
        let unit = identified.unit;
        let evaluation = evaluate(Some(&unit), today, &ReportedFacts::default(), &self.policy)?;
        let note = quote_note(&evaluation);
        let tier = evaluation
            .cover
            .warranty()
            .and_then(|warranty| self.policy.tier(&warranty.tier));
        Ok(QuoteAnswer {
            quote: Some(Quote {
                fee: self.policy.repair_fee(&unit.product.sku),
                turnaround_business_days: tier.map(|tier| tier.turnaround_business_days()),
                cover: evaluation.cover,
                hidden,
                unit,
            }),
            suggestions,
            note,
        })
    }

    /// The open returns of a unit, named by its id, which is its serial number to the letter.
    ///
    /// # Errors
    /// [`WarrantyRefusal::DeviceNotFound`], or a fault of the store.
    pub async fn open_returns(
        &self,
        device_id: &Identifier,
    ) -> Result<OpenReturnsAnswer, WarrantyDeskError> {
        let unit = match SerialNumber::new(device_id.as_str()) {
            Ok(serial) => self.reader.unit(&serial).await?,
            Err(_) => None,
        };
        let unit = unit.ok_or(WarrantyRefusal::DeviceNotFound)?;
        Ok(OpenReturnsAnswer {
            serial: unit.device.serial,
            product: unit.product,
            returns: unit.open_returns,
        })
    }

    /// Which of a customer's addresses a text means.
    ///
    /// # Errors
    /// [`WarrantyRefusal::CustomerNotFound`], or a fault of the store.
    pub async fn resolve_shipping_address(
        &self,
        customer_id: CustomerId,
        text: &AddressText,
    ) -> Result<AddressMatch, WarrantyDeskError> {
        let addresses = self.reader.addresses_of(customer_id).await?;
        let addresses = addresses.ok_or(WarrantyRefusal::CustomerNotFound { customer_id })?;
        Ok(resolve_address(text.as_str(), &addresses))
    }

    /// The unit that an identifier identifies, or what may be meant.
    async fn identified(
        &self,
        identifier: &Identifier,
    ) -> Result<(Option<Box<Identified>>, Vec<Suggestion>), WarrantyDeskError> {
        Ok(match self.resolve(identifier).await? {
            Resolution::Identified(identified) => (Some(identified), Vec::new()),
            Resolution::Unidentified(candidates) => (None, candidates.suggestions(false)),
        })
    }
}
