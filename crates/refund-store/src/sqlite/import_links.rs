//! What records of an import point at.

use refund_domain::warranty::SerialNumber;
use refund_domain::{Currency, CustomerId, OrderId, Principal, SessionId, Sku, TurnCount};
use rusqlite::Connection;

use super::error::SqlError;
use super::{customers, devices, escalations, orders, products};

/// Something that a record points at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Link {
    /// A customer, whose money is in this currency if one is named.
    Customer(CustomerId, Option<Currency>),
    Product(Sku),
    Order(OrderId),
    Device(SerialNumber),
    /// A principal's conversation that has had at least so many turns.
    Turn(Principal, SessionId, TurnCount),
}

impl Link {
    /// The field that is wrong, and how; `None` if it points at something.
    pub(crate) fn problem(
        &self,
        conn: &Connection,
    ) -> Result<Option<(&'static str, String)>, SqlError> {
        match self {
            Self::Customer(id, currency) => {
                let currency = currency.map(Currency::code);
                Ok(match customers::currency(conn, *id)? {
                    None => Some(("customer_id", format!("there is no customer {id}"))),
                    Some(has) if currency.is_some_and(|code| code != has) => {
                        Some(("currency", format!("customer {id} has {has}")))
                    }
                    Some(_) => None,
                })
            }
            Self::Product(sku) => Ok(match products::by_sku(conn, sku)? {
                None => Some(("sku", format!("there is no product {sku}"))),
                Some(_) => None,
            }),
            Self::Order(id) => Ok(match orders::alone(conn, id)? {
                None => Some(("order_id", format!("there is no order {id}"))),
                Some(_) => None,
            }),
            Self::Device(serial) => Ok(match devices::alone(conn, serial)? {
                None => {
                    let message = "there is no device with this serial number";
                    Some(("serial_number", message.to_owned()))
                }
                Some(_) => None,
            }),
            Self::Turn(principal, session_id, turn) => {
                Ok(match escalations::turns(conn, principal, session_id)? {
                    None => Some((
                        "session_id",
                        "the principal has no conversation with this id".to_owned(),
                    )),
                    Some(turns) if turns < *turn => {
                        let message = format!("the conversation has had {turns:?} turns");
                        Some(("turn_count", message))
                    }
                    Some(_) => None,
                })
            }
        }
    }
}
