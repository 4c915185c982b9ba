//! What is wrong in a file, with its place, and why a transfer failed.

use std::fmt;
use std::io;
use std::sync::Arc;

use refund_domain::StoreError;

use super::Entity;

/// Problems that are listed; after so many the rest of the files is not read.
const LISTED: usize = 100;

/// Where a record stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file's name as the caller gave it.
    pub(crate) file: Arc<str>,
    /// The line that the record begins on, from 1.
    pub(crate) line: u64,
    pub(crate) entity: Entity,
    /// The record's index among those of its entity in the file, from 0.
    pub(crate) record: u64,
}

/// As errors refer to it: `FILE:LINE`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Something wrong in a data file. Shown as `FILE:LINE: customers[INDEX].FIELD: MESSAGE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// The file's name as the caller gave it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
    /// The entity, where the problem is inside one.
    pub entity: Option<Entity>,
    /// The record's index among those of its entity in the file, from 0, where the problem is inside
    /// a record.
    pub record: Option<u64>,
    /// The field, where the problem is one field.
    pub field: Option<String>,
    /// What is wrong. Shows no value of a field with personal data.
    pub message: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if let Some(entity) = self.entity {
            write!(f, "{entity}")?;
            if let Some(record) = self.record {
                write!(f, "[{record}]")?;
            }
            if let Some(field) = &self.field {
                write!(f, ".{field}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for RowError {}

/// The problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    errors: Vec<RowError>,
}

impl Report {
    pub(crate) fn push(&mut self, error: RowError) {
        self.errors.push(error);
    }

    /// A problem of a record: on the line of a field, or on the record's own.
    pub(crate) fn record(
        &mut self,
        place: &Place,
        line: Option<u64>,
        field: Option<&str>,
        message: impl fmt::Display,
    ) {
        self.push(RowError {
            file: Arc::clone(&place.file),
            line: line.unwrap_or(place.line),
            entity: Some(place.entity),
            record: Some(place.record),
            field: field.map(str::to_owned),
            message: message.to_string(),
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    /// Whether it makes no sense to look for more.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= LISTED
    }

    pub(crate) fn into_error(mut self) -> ImportError {
        let more = self.is_full();
        self.errors.truncate(LISTED);
        ImportError::Rejected {
            errors: self.errors,
            more,
        }
    }
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The files are wrong, or don't go together with what is in the store.
    #[error("nothing was imported:\n{}", list(errors, *more))]
    Rejected {
        /// What is wrong, in the order of the files.
        errors: Vec<RowError>,
        /// Whether the rest was not looked at.
        more: bool,
    },
    /// A file cannot be read.
    #[error("nothing was imported: failed to read {file}")]
    Read {
        /// Its name as the caller gave it.
        file: Arc<str>,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The store failed.
    #[error("failed to import")]
    Fault(#[source] StoreError),
}

fn list(errors: &[RowError], more: bool) -> String {
    let mut lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    if more {
        lines.push(format!(
            "… and perhaps more: reading stopped after {LISTED} problems"
        ));
    }
    lines.join("\n")
}

/// Why an export failed. Whatever was written until then is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The output cannot be written.
    #[error("failed to write the export")]
    Write(#[source] io::Error),
    /// The store failed.
    #[error("failed to export")]
    Fault(#[source] StoreError),
}
