//! From the bytes of a file to records, whatever its format, one record in memory at a time.

use std::fmt::Display;
use std::io::{self, BufReader};
use std::sync::Arc;

use refund_domain::warranty::Device;
use refund_domain::{Customer, Order};
use serde_json::error::Category;

use super::addresses::AddressRecord;
use super::escalation_turns::TurnRecord;
use super::escalations::EscalationRecord;
use super::fields::{self, Cell, Column, Slot};
use super::members::{Lines, Members, cell};
use super::open_returns::OpenReturnRecord;
use super::products::ProductRecord;
use super::refunds::RefundRecord;
use super::returns::ReturnRecord;
use super::warranties::WarrantyRecord;
use super::{Entity, Format, Input, Place, Record, Report, RowError, document, lines, table};

/// Bytes of a record at most: hundreds of times what the longest one needs.
pub(crate) const LARGEST: usize = 1024 * 1024;
/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// Why reading ended before the end of the file. What is wrong in it is in the report.
#[derive(Debug)]
pub(crate) enum Stop<E> {
    /// The report is full.
    Full,
    /// The file cannot be read.
    Read(io::Error),
    /// Whoever takes the records failed.
    Taker(E),
}

impl<E> From<io::Error> for Stop<E> {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

/// Takes the records of a file one by one; what it has to say about one goes into the report.
pub(crate) trait Take {
    type Error;

    fn take(
        &mut self,
        record: Record,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), Self::Error>;
}

/// Reads a file to its end and hands over every record that is right by itself.
pub(crate) fn read<T: Take>(
    input: Input,
    report: &mut Report,
    taker: &mut T,
) -> Result<(), Stop<T::Error>> {
    let source = BufReader::with_capacity(CHUNK, input.source);
    let mut reading = Reading {
        file: input.name,
        report,
        taker,
        counts: Entity::ALL.map(|_| 0),
        columns: Entity::ALL.map(columns),
    };
    match input.format {
        Format::Json => document::read(source, &mut reading),
        Format::Ndjson => lines::read(source, &mut reading),
        Format::Csv(entity) => table::read(source, entity, &mut reading),
    }
}

/// The fields of an entity.
pub(crate) fn columns(entity: Entity) -> Vec<Column> {
    match entity {
        Entity::Customers => fields::columns::<Customer>(),
        Entity::Addresses => fields::columns::<AddressRecord>(),
        Entity::Products => fields::columns::<ProductRecord>(),
        Entity::Orders => fields::columns::<Order>(),
        Entity::Devices => fields::columns::<Device>(),
        Entity::Warranties => fields::columns::<WarrantyRecord>(),
        Entity::OpenReturns => fields::columns::<OpenReturnRecord>(),
        Entity::Refunds => fields::columns::<RefundRecord>(),
        Entity::Returns => fields::columns::<ReturnRecord>(),
        Entity::Escalations => fields::columns::<EscalationRecord>(),
        Entity::EscalationTurns => fields::columns::<TurnRecord>(),
    }
}

fn record(
    entity: Entity,
    slots: &[Slot<'_>],
    place: &Place,
    report: &mut Report,
) -> Option<Record> {
    match entity {
        Entity::Customers => fields::read(slots, place, report).map(Record::Customer),
        Entity::Addresses => fields::read(slots, place, report).map(Record::Address),
        Entity::Products => fields::read(slots, place, report).map(Record::Product),
        Entity::Orders => fields::read(slots, place, report).map(Record::Order),
        Entity::Devices => fields::read(slots, place, report).map(Record::Device),
        Entity::Warranties => fields::read(slots, place, report).map(Record::Warranty),
        Entity::OpenReturns => fields::read(slots, place, report).map(Record::OpenReturn),
        Entity::Refunds => fields::read(slots, place, report).map(Record::Refund),
        Entity::Returns => fields::read(slots, place, report).map(Record::Return),
        Entity::Escalations => fields::read(slots, place, report).map(Record::Escalation),
        Entity::EscalationTurns => fields::read(slots, place, report).map(Record::Turn),
    }
}

/// A file that is being read.
pub(crate) struct Reading<'r, T> {
    file: Arc<str>,
    report: &'r mut Report,
    taker: &'r mut T,
    counts: [u64; Entity::ALL.len()],
    columns: [Vec<Column>; Entity::ALL.len()],
}

impl<T: Take> Reading<'_, T> {
    /// The fields of an entity.
    pub(crate) fn columns(&self, entity: Entity) -> &[Column] {
        self.columns.get(entity as usize).map_or(&[], Vec::as_slice)
    }

    /// A problem that is not one record's.
    pub(crate) fn problem(&mut self, line: u64, entity: Option<Entity>, message: impl Display) {
        self.report.push(RowError {
            file: Arc::clone(&self.file),
            line,
            entity,
            record: None,
            field: None,
            message: message.to_string(),
        });
    }

    /// A problem of the record that begins on this line.
    pub(crate) fn record_problem(
        &mut self,
        place: &Place,
        line: Option<u64>,
        field: Option<&str>,
        message: impl Display,
    ) {
        self.report.record(place, line, field, message);
    }

    /// The entity that a file names; an unknown one is a problem.
    pub(crate) fn entity(&mut self, line: u64, word: &str) -> Option<Entity> {
        let entity = Entity::from_word(word);
        if entity.is_none() {
            let known = Entity::ALL.map(Entity::as_str).join(", ");
            let word: String = word.chars().take(64).collect();
            let message =
                format!("{word:?} is not an entity that can be imported; there are {known}");
            self.problem(line, None, message);
        }
        entity
    }

    /// The place of the next record of an entity.
    pub(crate) fn place(&mut self, entity: Entity, line: u64) -> Place {
        let mut record = 0;
        if let Some(count) = self.counts.get_mut(entity as usize) {
            record = *count;
            *count += 1;
        }
        Place {
            file: Arc::clone(&self.file),
            line,
            entity,
            record,
        }
    }

    /// A JSON object, already without what does not belong to the record.
    pub(crate) fn object(
        &mut self,
        place: &Place,
        members: Members<'_>,
        lines: &mut Lines<'_>,
    ) -> Result<(), Stop<T::Error>> {
        let columns = self.columns(place.entity);
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        let mut slots = vec![Slot::default(); names.len()];
        for (key, value) in members.0 {
            let line = lines.of(value.get());
            let slot = names.iter().position(|name| *name == key);
            let message = match slot.and_then(|index| slots.get_mut(index)) {
                Some(slot) if slot.cell == Cell::Absent => {
                    let cell = cell(value);
                    *slot = Slot { cell, line };
                    continue;
                }
                Some(_) => "the key is given twice".to_owned(),
                None => unknown_field(&names),
            };
            let key: String = key.chars().take(64).collect();
            self.record_problem(place, Some(line), Some(&key), message);
        }
        self.slots(place, &slots)
    }

    /// A record's values in the order of its fields.
    pub(crate) fn slots(
        &mut self,
        place: &Place,
        slots: &[Slot<'_>],
    ) -> Result<(), Stop<T::Error>> {
        if let Some(record) = record(place.entity, slots, place, self.report) {
            self.taker
                .take(record, place, self.report)
                .map_err(Stop::Taker)?;
        }
        self.go_on()
    }

    /// Whether it makes sense to read on.
    pub(crate) fn go_on(&self) -> Result<(), Stop<T::Error>> {
        if self.report.is_full() {
            Err(Stop::Full)
        } else {
            Ok(())
        }
    }
}

pub(crate) fn unknown_field(known: &[&str]) -> String {
    format!("there is no such field; there are {}", known.join(", "))
}

/// The members of a JSON text that begins on `line`; otherwise where it is wrong, and how.
pub(crate) fn members(bytes: &[u8], line: u64) -> Result<(&str, Members<'_>), (u64, String)> {
    let text = std::str::from_utf8(bytes).map_err(|_| (line, "is not UTF-8".to_owned()))?;
    match serde_json::from_str(text) {
        Ok(members) => Ok((text, members)),
        Err(error) if error.classify() == Category::Data => {
            Err((line, "must be an object".to_owned()))
        }
        Err(error) => {
            let into = u64::try_from(error.line()).unwrap_or(1).saturating_sub(1);
            let shown = error.to_string();
            let what = shown.split(" at line ").next().unwrap_or_default();
            Err((line + into, format!("is not JSON: {what}")))
        }
    }
}
