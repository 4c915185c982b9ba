//! The fields of an order.

use refund_domain::{
    BillingStatus, CivilDate, Currency, CustomerId, Order, OrderId, OrderPrice, Quantity, Sku,
};

use super::Entity;
use super::fields::{Fields, Pass};

impl Fields for Order {
    const ENTITY: Entity = Entity::Orders;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let id = pass.text("order_id", OrderId::new, |o| o.id.as_str().into());
        let customer_id = pass.text("customer_id", CustomerId::new, |o| {
            o.customer_id.to_string().into()
        });
        let sku = pass.text("sku", Sku::new, |o| o.sku.as_str().into());
        let quantity = pass.whole("quantity", Quantity::new, |o| o.price.quantity().units());
        let currency = pass.text("currency", Currency::new, |o| {
            o.price.unit().currency().code().into()
        });
        let unit = pass.money("unit_price", currency, |o| o.price.unit());
        let order_date = pass.text("order_date", CivilDate::parse, |o| {
            o.order_date.to_string().into()
        });
        let billing_status = pass.text(
            "billing_status",
            |word| BillingStatus::from_word(word).ok_or("must be paid or unpaid"),
            |o| o.billing_status.as_str().into(),
        );
        let returned = pass.optional_flag("returned", |o| o.returned);
        let price = pass.check("quantity", || Some(OrderPrice::new(unit?, quantity?)));
        Some(Self {
            id: id?,
            customer_id: customer_id?,
            sku: sku?,
            price: price?,
            order_date: order_date?,
            billing_status: billing_status?,
            returned: returned.unwrap_or(false),
        })
    }
}
