//! JSON files: one object, entity names to arrays of records. The outer two levels are walked byte by
//! byte, so that no more than one record is in memory; records are then parsed as a whole.

use std::io::{self, BufRead};

use super::members::Lines;
use super::read::{LARGEST, Reading, Stop, Take, members};

/// Reads a file.
pub(crate) fn read<T: Take>(
    source: impl BufRead,
    reading: &mut Reading<'_, T>,
) -> Result<(), Stop<T::Error>> {
    let mut scanner = Scanner {
        source,
        line: 1,
        raw: Vec::new(),
    };
    match document(&mut scanner, reading) {
        Ok(()) => Ok(()),
        Err(Broken::Syntax(what)) => {
            reading.problem(scanner.line, None, format!("not a data file: {what}"));
            reading.go_on()
        }
        Err(Broken::Stop(stop)) => Err(stop),
    }
}

/// What ends the walk before the end of the file.
enum Broken<E> {
    Syntax(&'static str),
    Stop(Stop<E>),
}

impl<E> From<io::Error> for Broken<E> {
    fn from(error: io::Error) -> Self {
        Self::Stop(error.into())
    }
}

impl<E> From<Stop<E>> for Broken<E> {
    fn from(stop: Stop<E>) -> Self {
        Self::Stop(stop)
    }
}

fn document<T: Take>(
    scanner: &mut Scanner<impl BufRead>,
    reading: &mut Reading<'_, T>,
) -> Result<(), Broken<T::Error>> {
    scanner.skip_mark()?;
    scanner.expect(b'{', "it must begin with {")?;
    let mut seen = Vec::new();
    let mut more = scanner.token()? != Some(b'}');
    if !more {
        scanner.step()?;
    }
    while more {
        if scanner.token()? != Some(b'"') {
            return Err(Broken::Syntax("the name of an entity must follow"));
        }
        let line = scanner.line;
        scanner.value(true)?;
        let name: String = serde_json::from_slice(&scanner.raw)
            .map_err(|_| Broken::Syntax("the name of an entity is not a JSON string"))?;
        scanner.expect(b':', "a colon must follow the name of an entity")?;
        let entity = reading.entity(line, &name);
        if entity.is_some() && seen.contains(&entity) {
            reading.problem(line, entity, "the key is given twice");
        }
        seen.push(entity);
        match (entity, scanner.token()?) {
            (Some(entity), Some(b'[')) => {
                scanner.step()?;
                array(scanner, reading, entity)?;
            }
            (entity, Some(_)) => {
                if entity.is_some() {
                    reading.problem(scanner.line, entity, "must be an array of records");
                }
                scanner.value(false)?;
            }
            (_, None) => return Err(Broken::Syntax(MIDDLE)),
        }
        reading.go_on()?;
        more = scanner.comma_or(b'}')?;
    }
    match scanner.token()? {
        None => Ok(()),
        Some(_) => Err(Broken::Syntax("something follows its end")),
    }
}

fn array<T: Take>(
    scanner: &mut Scanner<impl BufRead>,
    reading: &mut Reading<'_, T>,
    entity: super::Entity,
) -> Result<(), Broken<T::Error>> {
    if scanner.token()? == Some(b']') {
        scanner.step()?;
        return Ok(());
    }
    loop {
        if matches!(scanner.token()?, Some(b',' | b']' | b'}' | b':')) {
            return Err(Broken::Syntax("a record is missing"));
        }
        let line = scanner.line;
        scanner.value(true)?;
        let place = reading.place(entity, line);
        match members(&scanner.raw, line) {
            Ok((text, members)) => {
                reading.object(&place, members, &mut Lines::new(text, line))?;
            }
            Err((line, message)) => {
                reading.record_problem(&place, Some(line), None, message);
                reading.go_on()?;
            }
        }
        if !scanner.comma_or(b']')? {
            return Ok(());
        }
    }
}

const MIDDLE: &str = "it ends in the middle";

/// Walks over JSON text.
struct Scanner<R> {
    source: R,
    line: u64,
    /// The value that was read last.
    raw: Vec<u8>,
}

impl<R: BufRead> Scanner<R> {
    /// A byte order mark, which some editors write.
    fn skip_mark(&mut self) -> io::Result<()> {
        if self.source.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
            self.source.consume(3);
        }
        Ok(())
    }

    /// The next byte that is not white space, without taking it; `None` at the end.
    fn token(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.source.fill_buf()?.first() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.step()?,
                other => return Ok(other.copied()),
            }
        }
    }

    /// Takes a byte.
    fn step(&mut self) -> io::Result<()> {
        if self.source.fill_buf()?.first() == Some(&b'\n') {
            self.line += 1;
        }
        self.source.consume(1);
        Ok(())
    }

    fn expect<E>(&mut self, byte: u8, otherwise: &'static str) -> Result<(), Broken<E>> {
        match self.token()? {
            Some(found) if found == byte => Ok(self.step()?),
            _ => Err(Broken::Syntax(otherwise)),
        }
    }

    /// Whether a comma follows rather than the end.
    fn comma_or<E>(&mut self, end: u8) -> Result<bool, Broken<E>> {
        match self.token()? {
            Some(b',') => Ok(self.step().map(|()| true)?),
            Some(found) if found == end => Ok(self.step().map(|()| false)?),
            Some(_) => Err(Broken::Syntax("a comma or a closing bracket must follow")),
            None => Err(Broken::Syntax(MIDDLE)),
        }
    }

    /// Takes a value as far as its brackets and quotes tell, and keeps its text if asked to.
    fn value<E>(&mut self, keep: bool) -> Result<(), Broken<E>> {
        self.raw.clear();
        let mut extent = Extent::default();
        loop {
            let chunk = self.source.fill_buf()?;
            if chunk.is_empty() {
                return Err(Broken::Syntax(MIDDLE));
            }
            let (taken, ended) = extent.of(chunk, &mut self.line);
            if keep {
                let Some(part) = chunk.get(..taken) else {
                    return Err(Broken::Syntax(MIDDLE));
                };
                self.raw.extend_from_slice(part);
            }
            self.source.consume(taken);
            if self.raw.len() > LARGEST {
                return Err(Broken::Syntax("a record is larger than 1 MiB"));
            }
            if ended {
                return Ok(());
            }
        }
    }
}

/// How far a value reaches.
#[derive(Default)]
struct Extent {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Extent {
    /// How many bytes of a chunk belong to the value, and whether it ends with them.
    fn of(&mut self, chunk: &[u8], line: &mut u64) -> (usize, bool) {
        for (index, byte) in chunk.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.in_string = false;
                        if self.depth == 0 {
                            return (index + 1, true);
                        }
                    }
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' if self.depth > 1 => self.depth -= 1,
                    // The value's own last bracket at depth 1; one that encloses it at depth 0.
                    b'}' | b']' => return (index + self.depth, true),
                    b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {
                        return (index, true);
                    }
                    _ => {}
                }
            }
            if *byte == b'\n' {
                *line += 1;
            }
        }
        (chunk.len(), false)
    }
}
