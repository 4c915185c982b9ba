//! NDJSON files: a record a line, each with its `"entity"`.

use std::io::{BufRead, Read as _};

use super::members::{Lines, Members};
use super::read::{LARGEST, Reading, Stop, Take, members};

/// The key that names the entity of a line.
pub(crate) const ENTITY: &str = "entity";

/// Reads a file.
pub(crate) fn read<T: Take>(
    mut source: impl BufRead,
    reading: &mut Reading<'_, T>,
) -> Result<(), Stop<T::Error>> {
    let most = u64::try_from(LARGEST).unwrap_or(u64::MAX);
    let mut raw = Vec::new();
    for number in 1.. {
        raw.clear();
        source.by_ref().take(most).read_until(b'\n', &mut raw)?;
        if raw.is_empty() {
            break;
        }
        if raw.len() == LARGEST && !raw.ends_with(b"\n") {
            reading.problem(number, None, "a record is larger than 1 MiB");
            source.skip_until(b'\n')?;
        } else {
            let text = raw.strip_prefix(b"\xef\xbb\xbf").filter(|_| number == 1);
            let text = text.unwrap_or(&raw).trim_ascii();
            if !text.is_empty() {
                line(number, text, reading)?;
            }
        }
        reading.go_on()?;
    }
    Ok(())
}

fn line<T: Take>(
    number: u64,
    text: &[u8],
    reading: &mut Reading<'_, T>,
) -> Result<(), Stop<T::Error>> {
    let (text, Members(mut members)) = match members(text, number) {
        Ok(members) => members,
        Err((_, message)) => {
            reading.problem(number, None, format!("the line {message}"));
            return Ok(());
        }
    };
    let position = members.iter().position(|(key, _)| key == ENTITY);
    let Some((_, word)) = position.map(|position| members.remove(position)) else {
        reading.problem(number, None, "the key \"entity\" is missing");
        return Ok(());
    };
    if members.iter().any(|(key, _)| key == ENTITY) {
        reading.problem(number, None, "the key \"entity\" is given twice");
        return Ok(());
    }
    let Ok(word) = serde_json::from_str::<String>(word.get()) else {
        reading.problem(number, None, "the value of \"entity\" must be a string");
        return Ok(());
    };
    let Some(entity) = reading.entity(number, &word) else {
        return Ok(());
    };
    let place = reading.place(entity, number);
    reading.object(&place, Members(members), &mut Lines::new(text, number))
}
