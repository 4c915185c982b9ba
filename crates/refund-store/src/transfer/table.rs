//! CSV files: a header row, and rows of one entity. An empty cell is a field that is not there.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

use csv::{ByteRecord, ReaderBuilder};

use super::Entity;
use super::fields::{Cell, Slot};
use super::quotes::Quotes;
use super::read::{LARGEST, Reading, Stop, Take, unknown_field};
use super::write::into_io;

/// Reads a file.
pub(crate) fn read<T: Take>(
    source: impl Read,
    entity: Entity,
    reading: &mut Reading<'_, T>,
) -> Result<(), Stop<T::Error>> {
    let taken = Rc::new(RefCell::new(Taken {
        left: LARGEST,
        count: 0,
        breaks: VecDeque::new(),
        line: 1,
        quotes: Quotes::new(),
    }));
    let source = Watched {
        source,
        taken: Rc::clone(&taken),
    };
    let mut rows = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(source);
    let mut row = ByteRecord::new();
    let mut header = None;
    loop {
        taken.borrow_mut().left = LARGEST;
        let begin = rows.position().byte();
        let outcome = rows.read_byte_record(&mut row);
        let fault = taken.borrow().quotes.fault_before(rows.position().byte());
        if let Some(fault) = fault {
            reading.problem(fault.line, Some(entity), fault);
            return reading.go_on();
        }
        match outcome {
            Ok(true) => {}
            Ok(false) if header.is_none() => {
                reading.problem(1, Some(entity), "the header row is missing");
                return Ok(());
            }
            Ok(false) => return Ok(()),
            Err(_) if taken.borrow().left == 0 => {
                let line = taken.borrow_mut().line_of(begin);
                let message = "a record is larger than 1 MiB; a quote may not be closed";
                reading.problem(line, Some(entity), message);
                return reading.go_on();
            }
            Err(error) => return Err(Stop::Read(into_io(error))),
        }
        let line = taken.borrow_mut().line_of(begin);
        match &header {
            None => match columns(&row, entity, reading) {
                Some(columns) => header = Some(columns),
                None => return reading.go_on(),
            },
            Some(columns) => one(&row, line, entity, columns, reading)?,
        }
    }
}

/// For each column of the table, the field that it holds; `None` if the header is wrong.
fn columns<T: Take>(
    row: &ByteRecord,
    entity: Entity,
    reading: &mut Reading<'_, T>,
) -> Option<Vec<usize>> {
    let known = reading.columns(entity).to_vec();
    let names: Vec<&str> = known.iter().map(|column| column.name).collect();
    let mut found = Vec::with_capacity(row.len());
    let mut problems = Vec::new();
    for cell in row {
        let name: String = String::from_utf8_lossy(cell).chars().take(64).collect();
        match names.iter().position(|known| *known == name) {
            Some(field) if found.contains(&field) => {
                problems.push(format!("the column {name:?} is there twice"));
            }
            Some(field) => found.push(field),
            None => problems.push(format!("the column {name:?}: {}", unknown_field(&names))),
        }
    }
    for (field, column) in known.iter().enumerate() {
        if column.required && !found.contains(&field) {
            problems.push(format!("the column {:?} is missing", column.name));
        }
    }
    for problem in &problems {
        reading.problem(1, Some(entity), problem);
    }
    problems.is_empty().then_some(found)
}

fn one<T: Take>(
    row: &ByteRecord,
    line: u64,
    entity: Entity,
    columns: &[usize],
    reading: &mut Reading<'_, T>,
) -> Result<(), Stop<T::Error>> {
    let place = reading.place(entity, line);
    if row.len() != columns.len() {
        let message = format!(
            "the row has {} cells and the header {}",
            row.len(),
            columns.len()
        );
        reading.record_problem(&place, None, None, message);
        return reading.go_on();
    }
    let mut slots = vec![Slot::default(); reading.columns(entity).len()];
    for (cell, field) in row.iter().zip(columns) {
        let cell = match std::str::from_utf8(cell) {
            Ok("") => Cell::Absent,
            Ok(text) => Cell::Text(Cow::Borrowed(text)),
            Err(_) => {
                let name = reading.columns(entity).get(*field);
                let name = name.map(|column| column.name);
                reading.record_problem(&place, None, name, "is not UTF-8");
                return reading.go_on();
            }
        };
        if let Some(slot) = slots.get_mut(*field) {
            *slot = Slot { cell, line };
        }
    }
    reading.slots(&place, &slots)
}

/// What is known of the bytes that the table's reader has taken.
struct Taken {
    /// How many more it may take: a quote that is never closed must not read the whole file into
    /// memory. Set anew with each record.
    left: usize,
    /// How many there were.
    count: u64,
    /// Where line breaks are that no record was asked about yet, and whether they begin a line.
    breaks: VecDeque<(u64, bool)>,
    /// The line after the last break that is no longer kept.
    line: u64,
    quotes: Quotes,
}

impl Taken {
    /// The line that the record begins on which the table's reader has from `offset` on. It counts the
    /// rest of the line break before it, and blank lines, to the record.
    fn line_of(&mut self, offset: u64) -> u64 {
        let mut begin = offset;
        while let Some((at, begins_line)) = self.breaks.front().copied()
            && at <= begin
        {
            if at == begin {
                begin += 1;
            }
            self.line += u64::from(begins_line);
            self.breaks.pop_front();
        }
        self.line
    }
}

/// A source that says what was taken from it.
struct Watched<R> {
    source: R,
    taken: Rc<RefCell<Taken>>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut taken = self.taken.borrow_mut();
        if taken.left == 0 {
            return Err(io::Error::other("a record is too large"));
        }
        let most = buffer.len().min(taken.left);
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        let read = self.source.read(buffer)?;
        let bytes = buffer.get(..read).unwrap_or_default();
        taken.quotes.take(bytes);
        if read == 0 {
            taken.quotes.end();
        }
        for (offset, byte) in (taken.count..).zip(bytes) {
            if matches!(byte, b'\r' | b'\n') {
                taken.breaks.push_back((offset, *byte == b'\n'));
            }
        }
        taken.left -= read;
        taken.count += u64::try_from(read).unwrap_or_default();
        Ok(read)
    }
}
