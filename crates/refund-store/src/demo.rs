//! Demo data: small files in the format of [`crate::import`], compiled in.

use std::collections::BTreeMap;
use std::error::Error;

use refund_domain::{
    BillingStatus, CivilDate, CustomerId, Money, Order, OrderId, OrderLine, OrderPrice, Product,
    ProductName, Quantity, Sku, StoreError,
};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SqliteStore;
use crate::import::{ImportError, NewCustomer, RowError, read_customers};

/// A set of demo data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DemoData {
    /// Three customers in USD: one with 500.00, one suspended, one with nothing left.
    Refunds,
    /// A variant of the same: two active customers with balances, one suspended.
    Customers,
    /// Five customers with names that are easily mistaken for each other, three products, and three
    /// orders a customer in JPY.
    Returns,
}

/// Why demo data was not imported.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The file is not what it should be, which the tests of this crate rule out.
    #[error("the demo data is wrong: {0}")]
    Data(String),
    /// Its customers collide with others, or the store failed.
    #[error(transparent)]
    Customers(#[from] ImportError),
    /// Its orders collide with others, or the store failed.
    #[error("failed to import orders")]
    Orders(#[source] StoreError),
}

/// What the files of this module hold beside customers.
#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    customers: &'a RawValue,
    #[serde(default)]
    products: Vec<ProductRow<'a>>,
    #[serde(default)]
    orders: Vec<OrderRow<'a>>,
}

#[derive(Deserialize)]
struct ProductRow<'a> {
    sku: &'a str,
    name: &'a str,
}

#[derive(Deserialize)]
struct OrderRow<'a> {
    order_id: &'a str,
    customer_id: &'a str,
    sku: &'a str,
    quantity: u32,
    unit_price: &'a RawValue,
    currency: &'a str,
    order_date: &'a str,
    billing_status: &'a str,
}

impl DemoData {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Refunds, Self::Customers, Self::Returns];
    /// Those that are one coherent small world together.
    pub const WORLD: [Self; 2] = [Self::Refunds, Self::Returns];

    /// The word on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refunds => "refunds",
            Self::Customers => "customers",
            Self::Returns => "returns",
        }
    }

    /// The set of a word; `None` for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data| data.as_str() == word)
    }

    /// The file, for somebody who wants to see or change it.
    #[must_use]
    pub fn json(self) -> &'static str {
        match self {
            Self::Refunds => include_str!("../demo/refunds.json"),
            Self::Customers => include_str!("../demo/customers.json"),
            Self::Returns => include_str!("../demo/returns.json"),
        }
    }

    /// The customers.
    ///
    /// # Errors
    /// None, as long as the tests of this crate pass: the files are compiled in.
    pub fn load(self) -> Result<Vec<NewCustomer>, Vec<RowError>> {
        let name = format!("demo/{}.json", self.as_str());
        match serde_json::from_str::<File<'_>>(self.json()) {
            Ok(file) => read_customers(&name, &format!("{{\"customers\":{}}}", file.customers)),
            Err(_) => read_customers(&name, self.json()),
        }
    }

    /// The orders with their products.
    ///
    /// # Errors
    /// None, as long as the tests of this crate pass: the files are compiled in.
    pub fn orders(self) -> Result<Vec<OrderLine>, DemoError> {
        let wrong = |error: &dyn Error| DemoError::Data(error.to_string());
        let file: File<'_> = serde_json::from_str(self.json()).map_err(|error| wrong(&error))?;
        let names: BTreeMap<&str, &str> = file
            .products
            .iter()
            .map(|product| (product.sku, product.name))
            .collect();
        let lines = file.orders.iter().map(|row| {
            let name = names.get(row.sku).ok_or("an order without a product")?;
            line(row, name)
        });
        lines
            .collect::<Result<_, _>>()
            .map_err(|error: Box<dyn Error>| wrong(&*error))
    }

    /// Imports everything into a store that has none of it.
    ///
    /// # Errors
    /// Something of it is there already, or the store failed. Customers may be there without their
    /// orders then.
    pub fn import_into(self, store: &SqliteStore) -> Result<(), DemoError> {
        let customers = self.load().map_err(|errors| {
            let errors: Vec<_> = errors.iter().map(RowError::to_string).collect();
            DemoError::Data(errors.join("; "))
        })?;
        let orders = self.orders()?;
        let _count = store.import_customers(customers)?;
        store.import_orders(&orders).map_err(DemoError::Orders)
    }
}

fn line(row: &OrderRow<'_>, name: &str) -> Result<OrderLine, Box<dyn Error>> {
    let sku = Sku::new(row.sku)?;
    let amount = Decimal::from_str_exact(row.unit_price.get())?;
    let unit = Money::from_decimal(amount, row.currency.parse()?)?;
    Ok(OrderLine {
        order: Order {
            id: OrderId::new(row.order_id)?,
            customer_id: CustomerId::new(row.customer_id)?,
            sku: sku.clone(),
            price: OrderPrice::new(unit, Quantity::new(row.quantity)?)?,
            order_date: CivilDate::parse(row.order_date)?,
            billing_status: BillingStatus::from_word(row.billing_status)
                .ok_or("a billing status that is none")?,
            returned: false,
        },
        product: Product {
            sku,
            name: ProductName::new(name)?,
        },
    })
}
