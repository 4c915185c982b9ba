//! The fields of an open return of a unit.

use refund_domain::Timestamp;
use refund_domain::warranty::{OpenReturn, ReturnState, RmaNumber, SerialNumber};

use super::Entity;
use super::fields::{Fields, Pass};

/// An open return in a file, with the unit that comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenReturnRecord {
    pub(crate) serial: SerialNumber,
    pub(crate) open_return: OpenReturn,
}

impl Fields for OpenReturnRecord {
    const ENTITY: Entity = Entity::OpenReturns;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let rma_number = pass.text("rma_number", RmaNumber::new, |r| {
            r.open_return.rma_number.as_str().into()
        });
        let serial = pass.text("serial_number", SerialNumber::new, |r| {
            r.serial.as_str().into()
        });
        let status = pass.text("status", ReturnState::new, |r| {
            r.open_return.status.as_str().into()
        });
        let created_at = pass.text("created_at", Timestamp::parse, |r| {
            r.open_return.created_at.to_string().into()
        });
        Some(Self {
            serial: serial?,
            open_return: OpenReturn {
                rma_number: rma_number?,
                status: status?,
                created_at: created_at?,
            },
        })
    }
}
