//! The fields of a product.

use refund_domain::{Currency, Money, Product, ProductName, Sku};

use super::Entity;
use super::fields::{Fields, Pass};

/// A product in a file, with what orders don't need of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProductRecord {
    pub(crate) product: Product,
    pub(crate) model: Option<ProductName>,
    pub(crate) category: Option<ProductName>,
    /// The list price; what was paid stands in the order.
    pub(crate) unit_price: Option<Money>,
}

/// A product of which no more than this is known.
impl From<Product> for ProductRecord {
    fn from(product: Product) -> Self {
        Self {
            product,
            model: None,
            category: None,
            unit_price: None,
        }
    }
}

impl Fields for ProductRecord {
    const ENTITY: Entity = Entity::Products;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let sku = pass.text("sku", Sku::new, |p| p.product.sku.as_str().into());
        let name = pass.text("name", ProductName::new, |p| p.product.name.as_str().into());
        let model = pass.optional_text("model", ProductName::new, |p| {
            Some(p.model.as_ref()?.as_str().into())
        });
        let category = pass.optional_text("category", ProductName::new, |p| {
            Some(p.category.as_ref()?.as_str().into())
        });
        let currency = pass.optional_text("currency", Currency::new, |p| {
            Some(p.unit_price?.currency().code().into())
        });
        let unit_price = pass.optional_money("unit_price", currency, |p| p.unit_price);
        Some(Self {
            product: Product {
                sku: sku?,
                name: name?,
            },
            model,
            category,
            unit_price,
        })
    }
}
