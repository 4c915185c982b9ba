//! The SQL of table `customers`.

use refund_domain::warranty::{PhoneKey, squash};
use refund_domain::{
    Adjustment, CompanyName, Customer, CustomerId, EmailAddress, ExternalId, LanguageTag,
    PhoneNumber, Refund,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::customer_keys;
use super::error::SqlError;
use crate::rows::{self, customer_columns};

const TABLE: &str = "customers";

/// The customer with this id.
pub(crate) fn by_id(conn: &Connection, id: CustomerId) -> Result<Option<Customer>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        customer_columns!(),
        " FROM customers c WHERE c.number = ?1"
    ))?;
    let mut rows = statement.query([id.number()])?;
    let Some(row) = rows.next()? else {
        surely_absent(conn, id)?;
        return Ok(None);
    };
    if row.get_ref(0)?.as_str().ok() != Some(id.to_string().as_str()) {
        return Err(SqlError::untrue(TABLE, id, "its id and number differ"));
    }
    rows::customer(row, 0)
        .map(Some)
        .map_err(|cause| SqlError::untrue(TABLE, id, cause))
}

/// The customer with this address, compared without regard to case. A damaged page must never look
/// like an unknown customer: both indexes of addresses are asked.
pub(crate) fn by_email(
    conn: &Connection,
    email: &EmailAddress,
) -> Result<Option<Customer>, SqlError> {
    let key = email.key();
    let number = |sql: &str| -> Result<Option<i64>, SqlError> {
        Ok(conn
            .prepare_cached(sql)?
            .query_row([&key], |row| row.get(0))
            .optional()?)
    };
    // The second one's name is that of the index behind the column's UNIQUE.
    let first = "SELECT number FROM customers INDEXED BY customers_by_email WHERE email_key = ?1";
    let second =
        "SELECT number FROM customers INDEXED BY sqlite_autoindex_customers_2 WHERE email_key = ?1";
    let untrue = |cause: &'static str| SqlError::untrue(TABLE, "of an address", cause);
    let (first, second) = (number(first)?, number(second)?);
    if first != second {
        return Err(untrue("the indexes of addresses differ"));
    }
    let Some(number) = first else {
        return Ok(None);
    };
    let id = CustomerId::new(&format!("CUST-{number:05}"))
        .map_err(|cause| SqlError::untrue(TABLE, number, cause))?;
    let customer = by_id(conn, id)?.ok_or_else(|| untrue("it is in the index alone"))?;
    if customer.email.key() == key {
        Ok(Some(customer))
    } else {
        Err(untrue("its row has another address"))
    }
}

/// At most `limit` customers after an id, or from the first.
pub(crate) fn page(
    conn: &Connection,
    limit: u32,
    after: Option<CustomerId>,
) -> Result<Vec<Customer>, SqlError> {
    let mut customers = Vec::new();
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        customer_columns!(),
        " FROM customers c WHERE c.number > ?1 ORDER BY c.number LIMIT ?2"
    ))?;
    let after = after.map_or(-1, |id| i64::from(id.number()));
    let mut rows = statement.query([after, i64::from(limit)])?;
    while let Some(row) = rows.next()? {
        customers.push(read(row)?);
    }
    Ok(customers)
}

/// Every customer with the keys that only the database has, in the order of their ids.
pub(crate) const EVERY: &str = concat!(
    "SELECT ",
    customer_columns!(),
    ", c.number, c.email_key FROM customers c ORDER BY c.number"
);

/// A row of [`EVERY`], whose keys must be those of the rest.
pub(crate) fn read_with_keys(row: &Row<'_>) -> Result<Customer, SqlError> {
    let customer = read(row)?;
    let untrue = |cause: &'static str| SqlError::untrue(TABLE, customer.id, cause);
    if row.get::<_, i64>(11)? != i64::from(customer.id.number()) {
        return Err(untrue("its id and number differ"));
    }
    if row.get::<_, String>(12)? != customer.email.key() {
        return Err(untrue("its address is indexed as another one"));
    }
    Ok(customer)
}

/// Every customer, in the order of their ids, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(Customer) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn
        .prepare(concat!(
            "SELECT ",
            customer_columns!(),
            " FROM customers c ORDER BY c.number"
        ))
        .map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?)?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> Result<Customer, SqlError> {
    let id: String = row.get(0)?;
    rows::customer(row, 0).map_err(|cause| SqlError::untrue(TABLE, id, cause))
}

/// The code of a customer's currency; `None` where there is no such customer.
pub(crate) fn currency(conn: &Connection, id: CustomerId) -> Result<Option<String>, SqlError> {
    Ok(conn
        .prepare_cached("SELECT currency FROM customers WHERE number = ?1")?
        .query_row([id.number()], |row| row.get(0))
        .optional()?)
}

/// How many refunds a customer has; `None` where there is no such customer.
pub(crate) fn refund_count(conn: &Connection, id: CustomerId) -> Result<Option<u64>, SqlError> {
    let count: Option<i64> = conn
        .prepare_cached("SELECT refund_count FROM customers WHERE number = ?1")?
        .query_row([id.number()], |row| row.get(0))
        .optional()?;
    let Some(count) = count else {
        surely_absent(conn, id)?;
        return Ok(None);
    };
    let count = u64::try_from(count).map_err(|cause| SqlError::untrue(TABLE, id, cause))?;
    Ok(Some(count))
}

/// A damaged page must never look like an unknown customer: the index by id is asked too.
fn surely_absent(conn: &Connection, id: CustomerId) -> Result<(), SqlError> {
    let indexed = conn
        .prepare_cached("SELECT 1 FROM customers WHERE customer_id = ?1")?
        .exists([id.to_string()])?;
    if indexed {
        let cause = "it is in the index and not in the table";
        return Err(SqlError::untrue(TABLE, id, cause));
    }
    Ok(())
}

/// Reduces the balance to what is left after a refund. The condition repeats the decision's
/// arithmetic, so that a wrong decision changes no row.
pub(crate) fn reduce_balance(conn: &Connection, refund: &Refund) -> Result<(), SqlError> {
    let changed = conn
        .prepare_cached(
            "UPDATE customers
             SET balance_minor = balance_minor - ?2, refund_count = refund_count + 1
             WHERE number = ?1 AND balance_minor - ?2 = ?3 AND ?3 >= 0
               AND status = 'active' AND currency = ?4",
        )?
        .execute(params![
            refund.customer_id.number(),
            refund.amount.minor(),
            refund.remaining_refundable_balance.minor(),
            refund.amount.currency().code(),
        ])?;
    if changed == 1 {
        Ok(())
    } else {
        let cause = "its balance is not the one that was read";
        Err(SqlError::untrue(TABLE, refund.customer_id, cause))
    }
}

/// Sets the balance to what an adjustment leaves. The condition repeats what the decision read.
pub(crate) fn adjust_balance(conn: &Connection, adjustment: &Adjustment) -> Result<(), SqlError> {
    let changed = conn
        .prepare_cached(
            "UPDATE customers SET balance_minor = ?3
             WHERE number = ?1 AND balance_minor = ?2 AND currency = ?4",
        )?
        .execute(params![
            adjustment.customer_id.number(),
            adjustment.before.minor(),
            adjustment.after.minor(),
            adjustment.after.currency().code(),
        ])?;
    if changed == 1 {
        Ok(())
    } else {
        let cause = "its balance is not the one that was read";
        Err(SqlError::untrue(TABLE, adjustment.customer_id, cause))
    }
}

/// Adds a customer whose opening balance is the balance it comes with.
pub(crate) fn insert(conn: &Connection, customer: &Customer) -> Result<(), SqlError> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO customers (number, customer_id, name, email, email_key, status, currency,
                 balance_minor, opening_minor, refund_count, created_at_ms,
                 external_id, phone_number, company, language, name_squashed, phone_key)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 0, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute(params![
            customer.id.number(),
            customer.id.to_string(),
            customer.name.as_str(),
            customer.email.as_str(),
            customer.email.key(),
            customer.status.as_str(),
            customer.refundable_balance.currency().code(),
            customer.refundable_balance.minor(),
            customer.created_at.unix_millis(),
            customer.external_id.as_ref().map(ExternalId::as_str),
            customer.phone_number.as_ref().map(PhoneNumber::as_str),
            customer.company.as_ref().map(CompanyName::as_str),
            customer.language.as_ref().map(LanguageTag::as_str),
            squash(customer.name.as_str()),
            phone_key(customer),
        ])?;
    if inserted == 1 {
        customer_keys::insert(conn, customer.id, &customer.name)
    } else {
        Err(SqlError::untrue(TABLE, customer.id, "it was not inserted"))
    }
}

/// Changes everything that is not money: neither balance nor currency.
pub(crate) fn update_plain_fields(conn: &Connection, customer: &Customer) -> Result<(), SqlError> {
    let before = by_id(conn, customer.id)?.map(|there| there.name);
    let changed = conn
        .prepare_cached(
            "UPDATE customers SET name = ?2, email = ?3, email_key = ?4, status = ?5,
                 created_at_ms = ?6, external_id = ?7, phone_number = ?8, company = ?9,
                 language = ?10, name_squashed = ?12, phone_key = ?13
             WHERE number = ?1 AND currency = ?11",
        )?
        .execute(params![
            customer.id.number(),
            customer.name.as_str(),
            customer.email.as_str(),
            customer.email.key(),
            customer.status.as_str(),
            customer.created_at.unix_millis(),
            customer.external_id.as_ref().map(ExternalId::as_str),
            customer.phone_number.as_ref().map(PhoneNumber::as_str),
            customer.company.as_ref().map(CompanyName::as_str),
            customer.language.as_ref().map(LanguageTag::as_str),
            customer.refundable_balance.currency().code(),
            squash(customer.name.as_str()),
            phone_key(customer),
        ])?;
    let Some(before) = before.filter(|_| changed == 1) else {
        return Err(SqlError::untrue(TABLE, customer.id, "it was not updated"));
    };
    if before != customer.name {
        customer_keys::remove(conn, customer.id, &before)?;
        customer_keys::insert(conn, customer.id, &customer.name)?;
    }
    Ok(())
}

fn phone_key(customer: &Customer) -> Option<String> {
    let number = customer.phone_number.as_ref()?;
    Some(PhoneKey::of(number.as_str())?.as_str().to_owned())
}

/// Counts refunds that were imported into the opening balance.
pub(crate) fn add_to_opening(
    conn: &Connection,
    id: CustomerId,
    minor: i64,
    refunds: i64,
) -> Result<(), SqlError> {
    let changed = conn
        .prepare_cached(
            "UPDATE customers
             SET opening_minor = opening_minor + ?2, refund_count = refund_count + ?3
             WHERE number = ?1",
        )?
        .execute(params![id.number(), minor, refunds])?;
    if changed == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, id, "it was not updated"))
    }
}

/// Which fields of a customer are taken by others (or, for the id, at all), each with its owner's id.
pub(crate) fn conflicts(
    conn: &Connection,
    customer: &Customer,
) -> Result<Vec<(&'static str, String)>, SqlError> {
    let id = customer.id.to_string();
    let mut found = Vec::new();
    let mut look = |field: &'static str, sql: &str, value: &str| -> Result<(), SqlError> {
        let owner: Option<String> = conn
            .prepare_cached(sql)?
            .query_row([value], |row| row.get(0))
            .optional()?;
        found.extend(owner.map(|owner| (field, owner)));
        Ok(())
    };
    let by_id = "SELECT customer_id FROM customers WHERE customer_id = ?1";
    look("customer_id", by_id, &id)?;
    let by_email = "SELECT customer_id FROM customers WHERE email_key = ?1";
    look("email", by_email, &customer.email.key())?;
    if let Some(external_id) = &customer.external_id {
        let by_external_id = "SELECT customer_id FROM customers WHERE external_id = ?1";
        look("external_id", by_external_id, external_id.as_str())?;
    }
    found.retain(|(field, owner)| *field == "customer_id" || *owner != id);
    Ok(found)
}
