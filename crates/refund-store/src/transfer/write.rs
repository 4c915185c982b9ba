//! From records to the bytes of a file, in each format.

use std::io::{self, Write};

use super::fields::{self, Fields, Out};
use super::lines::ENTITY;
use super::read::columns;
use super::{Entity, Format};

/// Writes a file record by record.
pub(crate) struct Writer<W: Write> {
    target: Target<W>,
    /// Entities, and records of the present entity, so far: for the commas.
    entities: usize,
    records: usize,
}

enum Target<W: Write> {
    Json(W),
    Ndjson(W),
    Csv(Box<csv::Writer<W>>),
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(format: Format, mut out: W) -> io::Result<Self> {
        let target = match format {
            Format::Json => {
                out.write_all(b"{")?;
                Target::Json(out)
            }
            Format::Ndjson => Target::Ndjson(out),
            Format::Csv(_) => Target::Csv(Box::new(csv::Writer::from_writer(out))),
        };
        Ok(Self {
            target,
            entities: 0,
            records: 0,
        })
    }

    /// Begins with the records of an entity, of which there may be none.
    pub(crate) fn begin(&mut self, entity: Entity) -> io::Result<()> {
        match &mut self.target {
            Target::Json(out) => {
                let before = if self.entities > 0 { "\n],\n" } else { "\n" };
                write!(out, "{before}\"{entity}\": [")?;
            }
            Target::Ndjson(_) => {}
            Target::Csv(rows) => {
                let columns = columns(entity);
                let names = columns.iter().map(|column| column.name);
                rows.write_record(names).map_err(into_io)?;
            }
        }
        self.entities += 1;
        self.records = 0;
        Ok(())
    }

    /// A record of the entity that was begun last.
    pub(crate) fn record<R: Fields>(&mut self, record: &R) -> io::Result<()> {
        let values = fields::write(record);
        match &mut self.target {
            Target::Json(out) => {
                out.write_all(if self.records > 0 { b",\n" } else { b"\n" })?;
                object(out, None, &values)?;
            }
            Target::Ndjson(out) => {
                object(out, Some(R::ENTITY), &values)?;
                out.write_all(b"\n")?;
            }
            Target::Csv(rows) => {
                let cells = values.iter().map(|(_, value)| match value {
                    Out::Absent => "",
                    Out::Text(text) => text.as_ref(),
                    Out::Number(digits) => digits.as_str(),
                });
                rows.write_record(cells).map_err(into_io)?;
            }
        }
        self.records += 1;
        Ok(())
    }

    /// Ends the file.
    pub(crate) fn end(self) -> io::Result<()> {
        match self.target {
            Target::Json(mut out) => {
                let end = if self.entities > 0 { "\n]\n}\n" } else { "}\n" };
                out.write_all(end.as_bytes())?;
                out.flush()
            }
            Target::Ndjson(mut out) => out.flush(),
            Target::Csv(mut rows) => rows.flush(),
        }
    }
}

fn object(
    out: &mut impl Write,
    entity: Option<Entity>,
    values: &[(&'static str, Out<'_>)],
) -> io::Result<()> {
    let mut before = '{';
    if let Some(entity) = entity {
        write!(out, "{{\"{ENTITY}\":\"{entity}\"")?;
        before = ',';
    }
    for (name, value) in values {
        match value {
            Out::Absent => continue,
            Out::Text(text) => {
                write!(out, "{before}\"{name}\":")?;
                serde_json::to_writer(&mut *out, text)?;
            }
            Out::Number(digits) => write!(out, "{before}\"{name}\":{digits}")?,
        }
        before = ',';
    }
    out.write_all(b"}")
}

/// What the table reader and writer call an error of the file.
pub(crate) fn into_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}
