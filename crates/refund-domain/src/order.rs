//! An order and its product: what a return and a bill are about.

use std::fmt;

use crate::text::{length, named, no_control, text_type};
use crate::{CivilDate, Customer, CustomerId, EmailAddress, Money, MoneyError, TextError};

text_type!(
    /// An order's id: any text of 1 to 320 characters that is not blank, compared as it stands.
    OrderId,
    shown
);
text_type!(
    /// A product's number: 1 to 64 characters, no control characters, no white space at the ends.
    Sku,
    shown
);
text_type!(
    /// A product's name, 1 to 200 characters.
    ProductName,
    shown
);
text_type!(
    /// What a caller names a customer with: an e-mail address, or any other text of 1 to 320
    /// characters that is not blank and then names nobody.
    UserId,
    personal
);

/// Most characters of an id that has no form of its own.
pub(crate) const MOST_ID_CHARACTERS: usize = 320;

/// Checks an id that has no form of its own.
pub(crate) fn any_id(text: &str, what: &'static str) -> Result<(), TextError> {
    length(text.trim(), what, 1, MOST_ID_CHARACTERS)?;
    length(text, what, 1, MOST_ID_CHARACTERS)
}

impl OrderId {
    /// Checks.
    ///
    /// # Errors
    /// Blank, or longer than 320.
    pub fn new(text: &str) -> Result<Self, TextError> {
        any_id(text, "an order id")?;
        Ok(Self(text.to_owned()))
    }
}

impl UserId {
    /// Checks.
    ///
    /// # Errors
    /// Blank, or longer than 320.
    pub fn new(text: &str) -> Result<Self, TextError> {
        any_id(text, "a user id")?;
        Ok(Self(text.to_owned()))
    }

    /// The address to look for, if it is one. White space at its ends does not belong to it.
    #[must_use]
    pub fn email(&self) -> Option<EmailAddress> {
        EmailAddress::new(&self.0).ok()
    }
}

impl Sku {
    /// Checks.
    ///
    /// # Errors
    /// Empty, longer than 64, control characters, or white space at the ends.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "a product's number";
        length(text, WHAT, 1, 64)?;
        no_control(text, WHAT)?;
        if text.trim() == text {
            Ok(Self(text.to_owned()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must not have white space at its ends",
            })
        }
    }
}

impl ProductName {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 200, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a product's name", 200).map(Self)
    }
}

/// How many units of a product: 1 to 1,000,000.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quantity(u32);

/// A number that is no [`Quantity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a quantity is a whole number from 1 to 1000000")]
pub struct QuantityError;

impl Quantity {
    /// The greatest.
    pub const MOST: u32 = 1_000_000;

    /// Checks a number.
    ///
    /// # Errors
    /// 0, or above [`Quantity::MOST`].
    pub fn new(units: u32) -> Result<Self, QuantityError> {
        if (1..=Self::MOST).contains(&units) {
            Ok(Self(units))
        } else {
            Err(QuantityError)
        }
    }

    /// The number.
    #[must_use]
    pub fn units(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Whether an order has been paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BillingStatus {
    /// Paid.
    Paid,
    /// Not paid yet.
    Unpaid,
}

impl BillingStatus {
    /// All of them, in the order the schemas publish.
    pub const ALL: [Self; 2] = [Self::Paid, Self::Unpaid];

    /// The word on the wire, in data files and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Unpaid => "unpaid",
        }
    }

    /// The status of a word; `None` for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// A product, as far as orders need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// The number.
    pub sku: Sku,
    /// The name, as customers know it.
    pub name: ProductName,
}

/// What an order costs: its total is unit price times quantity, exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderPrice {
    unit: Money,
    quantity: Quantity,
    total: Money,
}

impl OrderPrice {
    /// The price of so many units.
    ///
    /// # Errors
    /// The total is more than money can count.
    pub fn new(unit: Money, quantity: Quantity) -> Result<Self, MoneyError> {
        Ok(Self {
            unit,
            quantity,
            total: unit.checked_times(quantity.units())?,
        })
    }

    /// The price of one unit. Its currency is the order's, whatever the customer's is.
    #[must_use]
    pub fn unit(self) -> Money {
        self.unit
    }

    /// How many units.
    #[must_use]
    pub fn quantity(self) -> Quantity {
        self.quantity
    }

    /// The amount of the order.
    #[must_use]
    pub fn total(self) -> Money {
        self.total
    }
}

/// An order of one product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The id.
    pub id: OrderId,
    /// Who ordered.
    pub customer_id: CustomerId,
    /// What.
    pub sku: Sku,
    /// How many, and for how much.
    pub price: OrderPrice,
    /// When.
    pub order_date: CivilDate,
    /// Whether it has been paid.
    pub billing_status: BillingStatus,
    /// Whether it has been returned.
    pub returned: bool,
}

/// An order with its product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderLine {
    /// The order.
    pub order: Order,
    /// What was ordered.
    pub product: Product,
}

/// An order with everything that a return of it needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderDetails {
    /// The order.
    pub order: Order,
    /// What was ordered.
    pub product: Product,
    /// Who ordered.
    pub customer: Customer,
}

/// A customer's orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerOrders {
    /// Who ordered, as stored.
    pub customer: Customer,
    /// How many orders there are in all.
    pub total: u64,
    /// How many of all are unpaid.
    pub unpaid: u64,
    /// These ones.
    pub orders: Vec<OrderLine>,
}

/// Which of a customer's orders are read where there are more than can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderChoice {
    /// The newest by date; those of one day by id.
    Newest,
    /// The unpaid ones before the paid ones, and then the newest.
    UnpaidFirst,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Currency, MAX_MINOR_UNITS};

    fn price(unit_minor: i64, code: &str, quantity: u32) -> Result<OrderPrice, MoneyError> {
        let unit = Money::from_minor(unit_minor, Currency::new(code).unwrap()).unwrap();
        OrderPrice::new(unit, Quantity::new(quantity).unwrap())
    }

    #[test]
    fn a_total_is_unit_price_times_quantity() {
        for (unit, code, quantity, shown) in [
            (1_800, "JPY", 2, "3600 JPY"),
            (1_999, "USD", 3, "59.97 USD"),
            (1_255, "KWD", 1, "1.255 KWD"),
            (0, "USD", 5, "0.00 USD"),
        ] {
            let price = price(unit, code, quantity).unwrap();
            assert_eq!(price.total().to_string(), shown);
        }
        assert!(price(MAX_MINOR_UNITS, "USD", 1).is_ok());
        assert_eq!(price(MAX_MINOR_UNITS, "USD", 2), Err(MoneyError::TooLarge));
    }

    // Case R-065.
    #[test]
    fn a_quantity_is_at_least_one() {
        assert_eq!(Quantity::new(0), Err(QuantityError));
        assert_eq!(
            Quantity::new(Quantity::MOST).map(Quantity::units),
            Ok(Quantity::MOST)
        );
        assert_eq!(Quantity::new(Quantity::MOST + 1), Err(QuantityError));
    }

    #[test]
    fn an_id_is_any_text_that_is_not_blank() {
        let longest = "é".repeat(320);
        for text in ["x", " x ", "注文 1", "a\nb", &longest] {
            assert_eq!(OrderId::new(text).unwrap().as_str(), text);
            assert_eq!(UserId::new(text).unwrap().as_str(), text);
        }
        for text in ["", "   ", "\u{3000}\n", &"x".repeat(321)] {
            assert!(OrderId::new(text).is_err(), "{text:?}");
            assert!(UserId::new(text).is_err(), "{text:?}");
        }
    }

    // Cases.
    #[test]
    fn a_user_is_found_by_address_alone() {
        let key = |text: &str| UserId::new(text).unwrap().email().map(|email| email.key());
        assert_eq!(key(" Ami@Example.COM "), key("ami@example.com"));
        assert_ne!(key("\u{430}mi@example.com"), key("ami@example.com"));
        assert_eq!(key("CUST-00004"), None);
        assert_eq!(key("a@b@c"), None);
    }
}
