//! The SQL of table `orders`.

use std::error::Error;

use refund_domain::ports::OrderReader;
use refund_domain::{
    BillingStatus, CivilDate, Currency, CustomerId, CustomerOrders, EmailAddress, Money, Order,
    OrderChoice, OrderDetails, OrderId, OrderLine, OrderPrice, Product, ProductName, Quantity, Sku,
    StoreError,
};
use rusqlite::{Connection, Row, params};

use super::error::SqlError;
use super::{SqliteStore, customers};

const TABLE: &str = "orders";

/// The columns of [`read`], in its order, and where they come from.
macro_rules! select {
    () => {
        "SELECT o.order_id, o.customer_id, o.sku, p.name, o.quantity, o.unit_price_minor, o.currency,
                o.order_date, o.billing_status, o.returned
         FROM orders o LEFT JOIN products p ON p.sku = o.sku "
    };
}

impl OrderReader for SqliteStore {
    async fn orders_of(
        &self,
        email: &EmailAddress,
        choice: OrderChoice,
        limit: u32,
    ) -> Result<Option<CustomerOrders>, StoreError> {
        let readers = &self.ready()?.readers;
        Ok(readers.read(|conn| of_customer(conn, email, choice, limit))?)
    }

    async fn order(&self, id: &OrderId) -> Result<Option<OrderDetails>, StoreError> {
        let readers = &self.ready()?.readers;
        Ok(readers.read(|conn| details(conn, id))?)
    }
}

/// An order with its product and customer.
pub(crate) fn details(conn: &Connection, id: &OrderId) -> Result<Option<OrderDetails>, SqlError> {
    let Some(OrderLine { order, product }) = by_id(conn, id)? else {
        return Ok(None);
    };
    let customer = customers::by_id(conn, order.customer_id)?
        .ok_or_else(|| SqlError::untrue(TABLE, id, "its customer is not there"))?;
    Ok(Some(OrderDetails {
        order,
        product,
        customer,
    }))
}

/// Every order, in the order of their ids.
pub(crate) const EVERY: &str = concat!(select!(), "ORDER BY o.order_id");

/// Every order, in the order of their ids, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(Order) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?.order)?;
    }
    Ok(())
}

/// Changes everything but the id, the customer, and that it was returned, if it was.
pub(crate) fn update(conn: &Connection, order: &Order) -> Result<(), SqlError> {
    let changed = conn
        .prepare_cached(
            "UPDATE orders SET sku = ?2, quantity = ?3, unit_price_minor = ?4, currency = ?5,
                 order_date = ?6, billing_status = ?7, returned = max(returned, ?8)
             WHERE order_id = ?1 AND customer_id = ?9",
        )?
        .execute(params![
            order.id.as_str(),
            order.sku.as_str(),
            order.price.quantity().units(),
            order.price.unit().minor(),
            order.price.unit().currency().code(),
            order.order_date.to_string(),
            order.billing_status.as_str(),
            order.returned,
            order.customer_id.to_string(),
        ])?;
    if changed == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, &order.id, "it was not updated"))
    }
}

/// Notes it of every order that a return of this import names.
pub(crate) fn mark_imported_returns(conn: &Connection, import_seq: i64) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE orders SET returned = 1 WHERE returned = 0
             AND order_id IN (SELECT order_id FROM returns WHERE import_seq = ?1)",
        [import_seq],
    )?;
    Ok(())
}

/// The order with this id, as far as it is known without its product.
pub(crate) fn alone(conn: &Connection, id: &OrderId) -> Result<Option<Order>, SqlError> {
    let mut statement = conn.prepare_cached(
        "SELECT o.order_id, o.customer_id, o.sku, o.sku, o.quantity, o.unit_price_minor, o.currency,
                o.order_date, o.billing_status, o.returned
         FROM orders o WHERE o.order_id = ?1",
    )?;
    let mut rows = statement.query([id.as_str()])?;
    rows.next()?.map(|row| Ok(read(row)?.order)).transpose()
}

fn by_id(conn: &Connection, id: &OrderId) -> Result<Option<OrderLine>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(select!(), "WHERE o.order_id = ?1"))?;
    let mut rows = statement.query([id.as_str()])?;
    match rows.next()? {
        Some(row) => read(row).map(Some),
        None => {
            surely_absent(conn, id)?;
            Ok(None)
        }
    }
}

/// A damaged page must never look like an unknown order: the index by id is asked too.
fn surely_absent(conn: &Connection, id: &OrderId) -> Result<(), SqlError> {
    let indexed = conn
        .prepare_cached("SELECT 1 FROM orders INDEXED BY orders_by_id WHERE order_id = ?1")?
        .exists([id.as_str()])?;
    if indexed {
        let cause = "it is in the index and not in the table";
        return Err(SqlError::untrue(TABLE, id, cause));
    }
    Ok(())
}

fn of_customer(
    conn: &Connection,
    email: &EmailAddress,
    choice: OrderChoice,
    limit: u32,
) -> Result<Option<CustomerOrders>, SqlError> {
    let Some(customer) = customers::by_email(conn, email)? else {
        return Ok(None);
    };
    let id = customer.id.to_string();
    let (total, unpaid): (i64, i64) = conn
        .prepare_cached(
            "SELECT count(*), count(*) FILTER (WHERE billing_status = 'unpaid')
             FROM orders WHERE customer_id = ?1",
        )?
        .query_row([&id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let sql = match choice {
        OrderChoice::Newest => concat!(
            select!(),
            "WHERE o.customer_id = ?1 ORDER BY o.order_date DESC, o.order_id LIMIT ?2"
        ),
        OrderChoice::UnpaidFirst => concat!(
            select!(),
            "WHERE o.customer_id = ?1
             ORDER BY o.billing_status DESC, o.order_date DESC, o.order_id LIMIT ?2"
        ),
    };
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params![id, limit])?;
    let mut orders = Vec::new();
    while let Some(row) = rows.next()? {
        orders.push(read(row)?);
    }
    Ok(Some(CustomerOrders {
        customer,
        total: total.unsigned_abs(),
        unpaid: unpaid.unsigned_abs(),
        orders,
    }))
}

/// Notes that an order has been returned. Which changes nothing if it had been before: a return that
/// was decided on an order that was returned already must not be saved.
pub(crate) fn mark_returned(conn: &Connection, id: &OrderId) -> Result<(), SqlError> {
    let changed = conn
        .prepare_cached("UPDATE orders SET returned = 1 WHERE order_id = ?1 AND returned = 0")?
        .execute([id.as_str()])?;
    if changed == 1 {
        Ok(())
    } else {
        let cause = "it has been returned before";
        Err(SqlError::untrue(TABLE, id, cause))
    }
}

/// Adds an order. Its customer and its product must be there.
pub(crate) fn insert(conn: &Connection, order: &Order) -> Result<(), SqlError> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO orders (order_id, customer_id, sku, quantity, unit_price_minor, currency,
                 order_date, billing_status, returned)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            order.id.as_str(),
            order.customer_id.to_string(),
            order.sku.as_str(),
            order.price.quantity().units(),
            order.price.unit().minor(),
            order.price.unit().currency().code(),
            order.order_date.to_string(),
            order.billing_status.as_str(),
            order.returned,
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, &order.id, "it was not inserted"))
    }
}

pub(crate) fn read(row: &Row<'_>) -> Result<OrderLine, SqlError> {
    let id: String = row.get(0)?;
    from_row(row, &id).map_err(|cause| SqlError::untrue(TABLE, id, cause))
}

fn from_row(row: &Row<'_>, id: &str) -> Result<OrderLine, Box<dyn Error + Send + Sync>> {
    let sku = Sku::new(row.get_ref(2)?.as_str()?)?;
    let name = row.get_ref(3)?.as_str_or_null()?;
    let currency = Currency::new(row.get_ref(6)?.as_str()?)?;
    let unit = Money::from_minor(row.get(5)?, currency)?;
    Ok(OrderLine {
        order: Order {
            id: OrderId::new(id)?,
            customer_id: CustomerId::new(row.get_ref(1)?.as_str()?)?,
            sku: sku.clone(),
            price: OrderPrice::new(unit, Quantity::new(row.get(4)?)?)?,
            order_date: CivilDate::parse(row.get_ref(7)?.as_str()?)?,
            billing_status: BillingStatus::from_word(row.get_ref(8)?.as_str()?)
                .ok_or("its billing status is not one")?,
            returned: row.get(9)?,
        },
        product: Product {
            sku,
            name: ProductName::new(name.ok_or("its product is not there")?)?,
        },
    })
}
