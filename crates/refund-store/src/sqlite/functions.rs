//! SQL functions that make the keys by which things are found, and what the audit trail keeps of a
//! text, for migrations and for `check`.
//!
//! The schema names none of them, so that a file needs nothing but SQLite to be read. They call the
//! domain, as the writing code does: a key is defined in one place.

use refund_domain::EmailAddress;
use refund_domain::warranty::{NormalForm, PhoneKey, search_keys, squash};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use crate::audit_entry::FreeId;

/// Makes the functions known to a connection. Each takes a text and gives a text, or NULL for NULL and
/// for a text that has no such key.
pub(crate) fn register(conn: &Connection) -> rusqlite::Result<()> {
    text_to_text(conn, c"refund_squash", |text| Some(squash(text)))?;
    // A JSON array, which json_each takes apart.
    text_to_text(conn, c"refund_search_keys", |text| {
        serde_json::to_string(&search_keys(text)).ok()
    })?;
    text_to_text(conn, c"refund_phone_key", |text| {
        PhoneKey::of(text).map(|key| key.as_str().to_owned())
    })?;
    text_to_text(conn, c"refund_email_key", |text| {
        EmailAddress::new(text).ok().map(|email| email.key())
    })?;
    text_to_text(conn, c"refund_normal_form", |text| {
        NormalForm::of(text).map(|form| form.as_str().to_owned())
    })?;
    text_to_text(conn, c"refund_look_alike_key", |text| {
        NormalForm::of(text).map(|form| form.look_alike_key().as_str().to_owned())
    })?;
    // SQLite's own count ends at a U+0000.
    text_to_text(conn, c"refund_characters", |text| {
        Some(text.chars().count().to_string())
    })?;
    // As json_extract gives it.
    text_to_text(conn, c"refund_audited_key", |text| {
        match FreeId::made_up(text) {
            FreeId::Id(id) => Some(id.to_owned()),
            masked @ FreeId::Other { .. } => serde_json::to_string(&masked).ok(),
        }
    })
}

fn text_to_text(
    conn: &Connection,
    name: &'static std::ffi::CStr,
    key: fn(&str) -> Option<String>,
) -> rusqlite::Result<()> {
    // Direct only: no view or trigger of a file may call them.
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    conn.create_scalar_function(name, 1, flags, move |context| {
        let text = context.get_raw(0).as_str_or_null()?;
        Ok(text.and_then(key))
    })
}
