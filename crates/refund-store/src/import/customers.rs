//! Customers from JSON: every problem of the file at once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Display;
use std::sync::Arc;

use refund_domain::{
    CompanyName, Currency, Customer, CustomerId, CustomerStatus, EmailAddress, ExternalId,
    LanguageTag, Money, PersonName, PhoneNumber, Timestamp,
};
use serde_json::value::RawValue;

use super::amount;
use super::json::{Elements, Lines, Members};
use super::{NewCustomer, Place, RowError};

const ENTITY: &str = "customers";

/// The fields of a customer in a file; the first seven must be there.
const FIELDS: [&str; 11] = [
    "customer_id",
    "name",
    "email",
    "status",
    "currency",
    "refundable_balance",
    "created_at",
    "external_id",
    "phone_number",
    "company",
    "language",
];
const REQUIRED: usize = 7;

/// The customers of a data file.
///
/// # Errors
/// Everything that is wrong in the file: unknown entities and fields, missing fields, wrong types and
/// forms, keys given twice, and ids, e-mail addresses (without regard to case) and external ids that
/// two records share.
pub fn read_customers(file_name: &str, json: &str) -> Result<Vec<NewCustomer>, Vec<RowError>> {
    let json = json.strip_prefix('\u{feff}').unwrap_or(json);
    let mut reader = Reader {
        file: file_name.into(),
        lines: Lines::new(json),
        errors: Vec::new(),
        seen: HashMap::new(),
    };
    let records = reader.file(json);
    if reader.errors.is_empty() {
        Ok(records)
    } else {
        Err(reader.errors)
    }
}

struct Reader<'a> {
    file: Arc<str>,
    lines: Lines<'a>,
    errors: Vec<RowError>,
    /// What must be unique: field and compared form, with the line it was first on.
    seen: HashMap<(&'static str, String), usize>,
}

/// A record while it is read.
struct Record<'a> {
    index: usize,
    line: usize,
    values: [Option<&'a RawValue>; FIELDS.len()],
}

impl<'a> Reader<'a> {
    fn file(&mut self, json: &'a str) -> Vec<NewCustomer> {
        let members = match serde_json::from_str::<Members<'a>>(json) {
            Ok(Members(members)) => members,
            Err(error) => {
                self.push(
                    error.line().max(1),
                    None,
                    None,
                    None,
                    format!("not a data file: {error}"),
                );
                return Vec::new();
            }
        };
        let mut records = Vec::new();
        let mut found = false;
        for (key, value) in members {
            let line = self.lines.of(value.get());
            if key != ENTITY {
                let message = format!(
                    "{key:?} is not an entity that can be imported; the only one is {ENTITY:?}"
                );
                self.push(line, None, None, None, message);
            } else if found {
                self.push(line, Some(ENTITY), None, None, "the key is given twice");
            } else {
                found = true;
                records = self.records(value, line);
            }
        }
        records
    }

    fn records(&mut self, value: &'a RawValue, line: usize) -> Vec<NewCustomer> {
        let Ok(Elements(elements)) = serde_json::from_str::<Elements<'a>>(value.get()) else {
            self.push(
                line,
                Some(ENTITY),
                None,
                None,
                "must be an array of records",
            );
            return Vec::new();
        };
        elements
            .into_iter()
            .enumerate()
            .filter_map(|(index, element)| self.record(index, element))
            .collect()
    }

    fn record(&mut self, index: usize, element: &'a RawValue) -> Option<NewCustomer> {
        let line = self.lines.of(element.get());
        let Ok(Members(members)) = serde_json::from_str::<Members<'a>>(element.get()) else {
            self.push(line, Some(ENTITY), Some(index), None, "must be an object");
            return None;
        };
        let mut record = Record {
            index,
            line,
            values: [None; FIELDS.len()],
        };
        let before = self.errors.len();
        for (key, value) in members {
            let line = self.lines.of(value.get());
            let slot = FIELDS.iter().position(|field| *field == key);
            let slot = slot.and_then(|position| record.values.get_mut(position));
            let message = match slot {
                Some(slot @ None) => {
                    *slot = Some(value);
                    continue;
                }
                Some(Some(_)) => "the key is given twice".to_owned(),
                None => format!("there is no such field; there are {}", FIELDS.join(", ")),
            };
            self.push(line, Some(ENTITY), Some(index), Some(&key), message);
        }
        for (field, value) in FIELDS.iter().zip(record.values).take(REQUIRED) {
            if value.is_none() {
                self.push(line, Some(ENTITY), Some(index), Some(field), "is missing");
            }
        }
        let customer = self.customer(&record)?;
        (self.errors.len() == before).then(|| NewCustomer {
            customer,
            place: Some(Place {
                file: Arc::clone(&self.file),
                line,
                record: index,
            }),
        })
    }

    /// All fields are looked at before the first one that is wrong ends the record.
    fn customer(&mut self, record: &Record<'a>) -> Option<Customer> {
        let id = self.text(record, "customer_id", CustomerId::new);
        let name = self.text(record, "name", PersonName::new);
        let email = self.text(record, "email", EmailAddress::new);
        let status = self.text(record, "status", |word| {
            CustomerStatus::from_word(word).ok_or("must be active or suspended")
        });
        let currency = self.text(record, "currency", Currency::new);
        let balance = self.money(record, "refundable_balance", currency);
        let created_at = self.text(record, "created_at", Timestamp::parse);
        let external_id = self.text(record, "external_id", ExternalId::new);
        let phone_number = self.text(record, "phone_number", PhoneNumber::new);
        let company = self.text(record, "company", CompanyName::new);
        let language = self.text(record, "language", LanguageTag::new);

        if let Some(id) = id {
            self.unique(record, "customer_id", id.to_string());
        }
        if let Some(email) = &email {
            self.unique(record, "email", email.key());
        }
        if let Some(external_id) = &external_id {
            self.unique(record, "external_id", external_id.as_str().to_owned());
        }
        Some(Customer {
            id: id?,
            name: name?,
            email: email?,
            status: status?,
            refundable_balance: balance?,
            created_at: created_at?,
            external_id,
            phone_number,
            company,
            language,
        })
    }

    /// A field that is a string of some form. `null` is an optional field that is not there.
    fn text<T, E: Display>(
        &mut self,
        record: &Record<'a>,
        field: &'static str,
        check: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let raw = record.value(field)?;
        if raw.get() == "null" && record.is_optional(field) {
            return None;
        }
        let Ok(text) = serde_json::from_str::<String>(raw.get()) else {
            self.wrong(record, field, raw, "must be a string");
            return None;
        };
        check(&text)
            .map_err(|error| self.wrong(record, field, raw, error))
            .ok()
    }

    fn money(
        &mut self,
        record: &Record<'a>,
        field: &'static str,
        currency: Option<Currency>,
    ) -> Option<Money> {
        let raw = record.value(field)?;
        let text = raw.get();
        let decimal = match serde_json::from_str::<String>(text) {
            Ok(digits) => amount::from_digits(&digits),
            Err(_) if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => {
                amount::from_number(text)
            }
            Err(_) => None,
        };
        let Some(decimal) = decimal else {
            self.wrong(
                record,
                field,
                raw,
                "must be a number, or a string of digits such as \"35.200\"",
            );
            return None;
        };
        Money::from_decimal(decimal, currency?)
            .map_err(|error| self.wrong(record, field, raw, error))
            .ok()
    }

    fn unique(&mut self, record: &Record<'a>, field: &'static str, form: String) {
        match self.seen.entry((field, form)) {
            Entry::Vacant(vacant) => {
                vacant.insert(record.line);
            }
            Entry::Occupied(first) => {
                let message = format!("is the same as in the record on line {}", first.get());
                if let Some(raw) = record.value(field) {
                    self.wrong(record, field, raw, message);
                }
            }
        }
    }

    fn wrong(
        &mut self,
        record: &Record<'a>,
        field: &'static str,
        raw: &RawValue,
        message: impl Display,
    ) {
        let line = self.lines.of(raw.get());
        self.push(line, Some(ENTITY), Some(record.index), Some(field), message);
    }

    fn push(
        &mut self,
        line: usize,
        entity: Option<&'static str>,
        record: Option<usize>,
        field: Option<&str>,
        message: impl Display,
    ) {
        self.errors.push(RowError {
            file: Arc::clone(&self.file),
            line,
            entity,
            record,
            field: field.map(str::to_owned),
            message: message.to_string(),
        });
    }
}

impl<'a> Record<'a> {
    fn value(&self, field: &str) -> Option<&'a RawValue> {
        let position = FIELDS.iter().position(|known| *known == field)?;
        self.values.get(position).copied().flatten()
    }

    fn is_optional(&self, field: &str) -> bool {
        FIELDS.iter().skip(REQUIRED).any(|known| *known == field)
    }
}
