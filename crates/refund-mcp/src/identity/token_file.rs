//! The file that says which tokens there are: names, roles and hashes, never a token.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use refund_domain::{Caller, CustomerId};
use serde::Deserialize;

use super::token::TokenHash;
use crate::config::{parse_principal, parse_role};

const HEADER: &str = "# The tokens of `refund-mcp http`, by their SHA-256. Written by `refund-mcp token`; comments are not kept.\n";

/// A token that is known.
#[derive(Debug, Clone)]
pub(crate) struct TokenEntry {
    /// What it is known by.
    pub(crate) hash: TokenHash,
    /// Who presents it.
    pub(crate) caller: Caller,
}

/// A token file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenFileError {
    #[error("failed to read the token file {path}")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("failed to use the token file {path}: {problem}")]
    Content { path: PathBuf, problem: String },
    #[error("failed to write the token file {path}")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default, rename = "token")]
    tokens: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    role: String,
    sha256: String,
    customer: Option<String>,
}

/// Reads the file.
///
/// # Errors
/// It is not readable, or holds what cannot be; a name or a token twice.
pub(crate) fn read(path: &Path) -> Result<Vec<TokenEntry>, TokenFileError> {
    let text = std::fs::read_to_string(path).map_err(|source| TokenFileError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse(&text).map_err(|problem| TokenFileError::Content {
        path: path.to_owned(),
        problem,
    })
}

fn parse(text: &str) -> Result<Vec<TokenEntry>, String> {
    let document: Document = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let mut entries: Vec<TokenEntry> = Vec::with_capacity(document.tokens.len());
    for (number, row) in document.tokens.into_iter().enumerate() {
        let entry = row
            .entry()
            .map_err(|problem| format!("token {}: {problem}", number.saturating_add(1)))?;
        let name = entry.caller.principal.as_str();
        for other in &entries {
            if other.caller.principal.as_str() == name {
                return Err(format!("the name {name} stands twice"));
            }
            if other.hash.is(&entry.hash) {
                let other = other.caller.principal.as_str();
                return Err(format!("{other} and {name} have the same token"));
            }
        }
        entries.push(entry);
    }
    Ok(entries)
}

impl Row {
    fn entry(self) -> Result<TokenEntry, String> {
        let hash = TokenHash::parse(&self.sha256)
            .ok_or("sha256 must be the 64 hexadecimal digits of the token's SHA-256")?;
        let mut caller = Caller::new(parse_principal(&self.name)?, parse_role(&self.role)?);
        caller.customer = match &self.customer {
            None => None,
            Some(id) => Some(CustomerId::new(id).map_err(|error| format!("customer: {error}"))?),
        };
        Ok(TokenEntry { hash, caller })
    }
}

/// Writes the file: whole or not at all, and for its owner alone.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write(path: &Path, entries: &[TokenEntry]) -> Result<(), TokenFileError> {
    let failed = |source| TokenFileError::Write {
        path: path.to_owned(),
        source,
    };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // A temporary file is made for its owner alone.
    let mut file = tempfile::NamedTempFile::new_in(directory).map_err(failed)?;
    file.write_all(document(entries).as_bytes())
        .map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

fn document(entries: &[TokenEntry]) -> String {
    let mut text = HEADER.to_owned();
    for TokenEntry { hash, caller } in entries {
        // A JSON string without control characters is a TOML string, and a principal has none.
        let name = serde_json::Value::from(caller.principal.as_str());
        let role = caller.role.as_str();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n[[token]]\nname = {name}\nrole = \"{role}\"\n");
        if let Some(customer) = caller.customer {
            let _ = writeln!(text, "customer = \"{customer}\"");
        }
        let _ = writeln!(text, "sha256 = \"{hash}\"");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, token: &str) -> String {
        let hash = TokenHash::of(token);
        format!("[[token]]\nname = \"{name}\"\nrole = \"viewer\"\nsha256 = \"{hash}\"\n")
    }

    #[test]
    fn what_is_written_is_read() {
        let bound = format!("{}customer = \"CUST-00001\"\n", row("desk-7", "a"));
        let entries = parse(&format!("{bound}{}", row("agent\\\"x\\\\", "b"))).unwrap();
        assert_eq!(entries.len(), 2);
        let again = parse(&document(&entries)).unwrap();
        for (left, right) in entries.iter().zip(&again) {
            assert_eq!(left.caller, right.caller);
            assert!(left.hash.is(&right.hash));
        }
        assert_eq!(
            entries[0].caller.customer,
            CustomerId::new("CUST-00001").ok()
        );
        assert!(parse(&document(&[])).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (text, problem) in [
            (
                format!("{}{}", row("a", "x"), row("a", "y")),
                "the name a stands twice",
            ),
            (
                format!("{}{}", row("a", "x"), row("b", "x")),
                "a and b have the same token",
            ),
            (
                row("a", "x").replace("viewer", "vewer"),
                "did you mean viewer?",
            ),
            (
                row("a", "x").replace("sha256 = \"", "sha256 = \"0"),
                "64 hexadecimal digits",
            ),
            (row("a", "x") + "customer = \"7\"\n", "customer: "),
            (row("a", "x") + "token = \"x\"\n", "unknown field"),
            (row("", "x"), "token 1: "),
            ("x".to_owned(), "expected"),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn the_file_is_its_owner_s_alone_and_is_replaced_as_a_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens.toml");
        let entries = parse(&row("a", "x")).unwrap();
        write(&path, &entries).unwrap();
        write(&path, &entries).unwrap();
        assert_eq!(read(&path).unwrap().len(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
