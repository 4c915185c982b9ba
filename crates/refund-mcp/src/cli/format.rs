//! The format of a data file, from its name or from what the person says.

use std::path::Path;

use clap::ValueEnum;
use refund_store::transfer::{Entity, Format};

use crate::config::unknown;

/// A format's word on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatWord {
    /// One object: entity names to arrays of records
    Json,
    /// A record a line
    Ndjson,
    /// A table of one entity
    Csv,
}

/// Reads the name of an entity.
pub(super) fn parse_entity(text: &str) -> Result<Entity, String> {
    let known = Entity::ALL.map(Entity::as_str);
    Entity::from_word(text).ok_or_else(|| unknown("entity", text, known))
}

/// The format that a file's ending tells.
pub(super) fn by_ending(file: &Path) -> Option<FormatWord> {
    let ending = file.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "json" => Some(FormatWord::Json),
        "ndjson" | "jsonl" => Some(FormatWord::Ndjson),
        "csv" => Some(FormatWord::Csv),
        _ => None,
    }
}

/// The format of a file: as it is said, or else as its name tells.
///
/// # Errors
/// Neither tells the format, or what is in a CSV file.
pub(super) fn of(
    file: &Path,
    word: Option<FormatWord>,
    entity: Option<Entity>,
) -> Result<Format, String> {
    let Some(word) = word.or_else(|| by_ending(file)) else {
        return Err(format!(
            "{}: its ending does not tell the format; give --format json, ndjson or csv",
            file.display()
        ));
    };
    match word {
        FormatWord::Json => Ok(Format::Json),
        FormatWord::Ndjson => Ok(Format::Ndjson),
        FormatWord::Csv => {
            let stem = file.file_stem().and_then(|stem| stem.to_str());
            let entity = entity.or_else(|| Entity::from_word(stem?));
            entity.map(Format::Csv).ok_or_else(|| {
                format!(
                    "{}: a CSV file holds one entity and its name does not tell which; give --entity {}, or name it like {}.csv",
                    file.display(),
                    Entity::ALL.map(Entity::as_str).join(" or "),
                    Entity::Customers,
                )
            })
        }
    }
}
