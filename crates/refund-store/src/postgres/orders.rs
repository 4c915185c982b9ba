//! The SQL of table `orders`.

use std::collections::HashMap;
use std::error::Error;

use deadpool_postgres::{ClientWrapper, Object};
use refund_domain::ports::OrderReader;
use refund_domain::{
    BillingStatus, CivilDate, Currency, CustomerId, CustomerOrders, EmailAddress, Money, Order,
    OrderChoice, OrderDetails, OrderId, OrderLine, OrderPrice, Product, ProductName, Quantity, Sku,
    StoreError,
};
use tokio_postgres::Row;

use super::error::{SqlError, Untrue, untrue};
use super::flight::{Flight, at_once, params};
use super::{PostgresStore, customers, text};
use crate::rows::customer_columns;

const TABLE: &str = "orders";

/// The columns of [`read`], in its order, of tables named `o` and `p`.
macro_rules! columns {
    () => {
        "o.order_id, o.customer_id, o.sku, p.name, o.quantity, o.unit_price_minor, o.currency,
         o.order_date, o.billing_status, o.returned"
    };
}

/// How many columns those are.
const COLUMNS: usize = 10;

macro_rules! select_details {
    () => {
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            customer_columns!(),
            " FROM orders o LEFT JOIN products p ON p.sku = o.sku
              LEFT JOIN customers c ON c.customer_id = o.customer_id "
        )
    };
}

impl OrderReader for PostgresStore {
    async fn orders_of(
        &self,
        email: &EmailAddress,
        choice: OrderChoice,
        limit: u32,
    ) -> Result<Option<CustomerOrders>, StoreError> {
        let email = email.clone();
        self.engine()
            .read(move |session| {
                let email = email.clone();
                Box::pin(async move { of_customer(session, &email, choice, limit).await })
            })
            .await
    }

    async fn order(&self, id: &OrderId) -> Result<Option<OrderDetails>, StoreError> {
        let id = id.clone();
        self.engine()
            .read(move |session| {
                let id = id.clone();
                Box::pin(async move { details(session, &id).await })
            })
            .await
    }
}

async fn details(client: &ClientWrapper, id: &OrderId) -> Result<Option<OrderDetails>, SqlError> {
    let sql = concat!(select_details!(), "WHERE o.order_id = $1");
    let id = text::encode(id.as_str()).into_owned();
    let rows = Flight::new(client, sql, params![id])
        .await?
        .rows(client)
        .await?;
    Ok(rows.first().map(read_details).transpose()?)
}

/// Those with these ids, locked against other changes in the order of their ids.
pub(crate) async fn locked<'o>(
    client: &ClientWrapper,
    ids: impl ExactSizeIterator<Item = &'o OrderId>,
) -> Result<Flight, SqlError> {
    if ids.len() == 0 {
        return Ok(Flight::none());
    }
    let sql = concat!(
        select_details!(),
        "WHERE o.order_id = ANY ($1) ORDER BY o.order_id FOR NO KEY UPDATE OF o"
    );
    let ids: Vec<String> = ids
        .map(|id| text::encode(id.as_str()).into_owned())
        .collect();
    Flight::new(client, sql, params![ids]).await
}

/// The rows of [`locked`].
pub(crate) fn read_locked(
    rows: &[Row],
) -> Result<HashMap<OrderId, Result<OrderDetails, Untrue>>, SqlError> {
    rows.iter()
        .map(|row| {
            let written: &str = row.try_get(0)?;
            let id = id_of(written).map_err(|cause| Untrue::new(TABLE, written, cause))?;
            Ok((id, read_details(row)))
        })
        .collect()
}

async fn of_customer(
    session: &Object,
    email: &EmailAddress,
    choice: OrderChoice,
    limit: u32,
) -> Result<Option<CustomerOrders>, SqlError> {
    let counts = "SELECT count(*), count(*) FILTER (WHERE o.billing_status = 'unpaid')
         FROM orders o JOIN customers c ON c.customer_id = o.customer_id WHERE c.email_key = $1";
    let lines = match choice {
        OrderChoice::Newest => concat!(
            "SELECT ",
            columns!(),
            " FROM customers c JOIN orders o ON o.customer_id = c.customer_id
              LEFT JOIN products p ON p.sku = o.sku
              WHERE c.email_key = $1 ORDER BY o.order_date DESC, o.order_id LIMIT $2"
        ),
        OrderChoice::UnpaidFirst => concat!(
            "SELECT ",
            columns!(),
            " FROM customers c JOIN orders o ON o.customer_id = c.customer_id
              LEFT JOIN products p ON p.sku = o.sku
              WHERE c.email_key = $1
              ORDER BY o.billing_status DESC, o.order_date DESC, o.order_id LIMIT $2"
        ),
    };
    let key = email.key();
    let customer = customers::with_email(session, email).await?;
    let counts = Flight::new(session, counts, params![key.clone()]).await?;
    let lines = Flight::new(session, lines, params![key, i64::from(limit)]).await?;
    let [customer, counts, lines] = at_once(session, [customer, counts, lines]).await?;
    let Some(customer) = customers::one(customer)? else {
        return Ok(None);
    };
    let counted = |column: usize| -> Result<u64, SqlError> {
        let row = counts
            .first()
            .ok_or_else(|| untrue(TABLE, "count", "nothing was counted"))?;
        Ok(row.try_get::<_, i64>(column)?.unsigned_abs())
    };
    let orders = lines.iter().map(read);
    let orders = orders.collect::<Result<Vec<_>, Untrue>>()?;
    Ok(Some(CustomerOrders {
        customer,
        total: counted(0)?,
        unpaid: counted(1)?,
        orders,
    }))
}

/// Notes that orders have been returned. Which changes nothing of one that had been before: a return
/// that was decided on an order that was returned already must not be saved.
pub(crate) async fn mark_returned(
    client: &ClientWrapper,
    ids: Vec<String>,
) -> Result<Flight, SqlError> {
    if ids.is_empty() {
        return Ok(Flight::none());
    }
    let sql = "UPDATE orders SET returned = true WHERE order_id = ANY ($1) AND NOT returned";
    Flight::new(client, sql, params![ids]).await
}

fn id_of(written: &str) -> Result<OrderId, Box<dyn Error + Send + Sync>> {
    Ok(OrderId::new(&text::decode(written)?)?)
}

fn read_details(row: &Row) -> Result<OrderDetails, Untrue> {
    let OrderLine { order, product } = read(row)?;
    let absent = row
        .try_get::<_, Option<&str>>(COLUMNS)
        .unwrap_or(None)
        .is_none();
    if absent {
        return Err(Untrue::new(TABLE, &order.id, "its customer is not there"));
    }
    Ok(OrderDetails {
        order,
        product,
        customer: customers::read(row, COLUMNS)?,
    })
}

/// The order whose columns come first, with its product.
pub(crate) fn read(row: &Row) -> Result<OrderLine, Untrue> {
    from_row(row).map_err(|cause| {
        let id = row.try_get::<_, &str>(0).unwrap_or("without an id");
        Untrue::new(TABLE, id, cause)
    })
}

fn from_row(row: &Row) -> Result<OrderLine, Box<dyn Error + Send + Sync>> {
    let of = |column: usize| row.try_get::<_, &str>(column);
    let sku = Sku::new(of(2)?)?;
    let name: Option<&str> = row.try_get(3)?;
    let currency = Currency::new(of(6)?)?;
    let unit = Money::from_minor(row.try_get(5)?, currency)?;
    let quantity = u32::try_from(row.try_get::<_, i64>(4)?)?;
    Ok(OrderLine {
        order: Order {
            id: id_of(of(0)?)?,
            customer_id: CustomerId::new(of(1)?)?,
            sku: sku.clone(),
            price: OrderPrice::new(unit, Quantity::new(quantity)?)?,
            order_date: CivilDate::new(row.try_get(7)?)?,
            billing_status: BillingStatus::from_word(of(8)?)
                .ok_or("its billing status is not one")?,
            returned: row.try_get(9)?,
        },
        product: Product {
            sku,
            name: ProductName::new(name.ok_or("its product is not there")?)?,
        },
    })
}
