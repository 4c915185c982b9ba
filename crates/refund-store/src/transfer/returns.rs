//! The fields of a return.

use refund_domain::{OrderId, OrderReturn, ReturnId, ReturnReason, Timestamp};

use super::Entity;
use super::fields::{Fields, Pass};

impl Fields for OrderReturn {
    const ENTITY: Entity = Entity::Returns;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let id = pass.text("return_id", ReturnId::new, |r| r.id.to_string().into());
        let order_id = pass.text("order_id", OrderId::new, |r| r.order_id.as_str().into());
        let reason = pass.text("reason", ReturnReason::new, |r| r.reason.as_str().into());
        let processed_at = pass.text("processed_at", Timestamp::parse, |r| {
            r.processed_at.to_string().into()
        });
        Some(Self {
            id: id?,
            order_id: order_id?,
            reason: reason?,
            processed_at: processed_at?,
        })
    }
}
