//! The fields of a warranty.

use refund_domain::CivilDate;
use refund_domain::warranty::{Period, PlanName, SerialNumber, TierName, Warranty};

use super::Entity;
use super::fields::{Fields, Pass};

/// A warranty in a file, with the unit that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WarrantyRecord {
    pub(crate) serial: SerialNumber,
    pub(crate) warranty: Warranty,
}

impl Fields for WarrantyRecord {
    const ENTITY: Entity = Entity::Warranties;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let serial = pass.text("serial_number", SerialNumber::new, |w| {
            w.serial.as_str().into()
        });
        let plan = pass.text("plan_name", PlanName::new, |w| {
            w.warranty.plan.as_str().into()
        });
        let tier = pass.text("tier", TierName::new, |w| w.warranty.tier.as_str().into());
        let start = pass.text("start_date", CivilDate::parse, |w| {
            w.warranty.period.start().to_string().into()
        });
        let end = pass.text("end_date", CivilDate::parse, |w| {
            w.warranty.period.end().to_string().into()
        });
        let active = pass.optional_flag("active", |w| w.warranty.active);
        let period = pass.check("end_date", || Some(Period::new(start?, end?)));
        Some(Self {
            serial: serial?,
            warranty: Warranty {
                plan: plan?,
                tier: tier?,
                period: period?,
                active: active.unwrap_or(true),
            },
        })
    }
}
