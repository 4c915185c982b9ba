//! The configuration file.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::http::HttpSection;
use super::nearest;
use super::policy::PolicySection;

/// The keys of the file. Every one is optional, and no other is known.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigFile {
    pub(super) database: Option<String>,
    pub(super) migrate: Option<bool>,
    pub(super) demo: Option<String>,
    pub(super) toolsets: Option<Vec<String>>,
    pub(super) tools: Option<Vec<String>>,
    pub(super) read_only: Option<bool>,
    pub(super) role: Option<String>,
    pub(super) principal: Option<String>,
    pub(super) argument_errors: Option<String>,
    pub(super) locale: Option<String>,
    pub(super) timezone: Option<String>,
    pub(super) today: Option<String>,
    pub(super) payment_instructions: Option<String>,
    pub(super) smtp_url: Option<String>,
    pub(super) mail_from: Option<String>,
    pub(super) log_level: Option<String>,
    pub(super) policy: Option<PolicySection>,
    pub(super) http: Option<HttpSection>,
}

/// A configuration file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// It is not there, or not readable.
    #[error("failed to read the configuration file {path}")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Its content is wrong.
    #[error("failed to use the configuration file {path}: {problem}")]
    Content { path: PathBuf, problem: String },
}

impl ConfigFile {
    /// Reads a file.
    ///
    /// # Errors
    /// Not readable, not TOML, an unknown key (the nearest known one is named) or a wrong type.
    pub(super) fn read(path: &Path) -> Result<Self, FileError> {
        let text = std::fs::read_to_string(path).map_err(|source| FileError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text).map_err(|problem| FileError::Content {
            path: path.to_owned(),
            problem,
        })
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let place = error
                .span()
                .and_then(|span| text.get(..span.start))
                .map(|before| format!("line {}: ", before.matches('\n').count() + 1))
                .unwrap_or_default();
            let message = error.message();
            let hint = unknown_key(message)
                .map(|near| format!("; did you mean {near}?"))
                .unwrap_or_default();
            format!("{place}{message}{hint}")
        })
    }
}

/// The known key that is most like the one serde did not know. serde's message names the unknown key
/// first and the known ones after it, each in backticks; so the list of keys stands in one place, the
/// type above.
fn unknown_key(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("unknown field `")?;
    let (word, rest) = rest.split_once('`')?;
    nearest(word, rest.split('`').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_names_the_nearest_one() {
        let problem =
            ConfigFile::parse("database = \"memory:\"\nlog_levle = \"info\"\n").unwrap_err();
        assert!(
            problem.starts_with("line 2: unknown field `log_levle`"),
            "{problem}"
        );
        assert!(problem.ends_with("; did you mean log_level?"), "{problem}");
        assert!(
            !ConfigFile::parse("zzz = 1")
                .unwrap_err()
                .contains("did you mean")
        );
        assert!(
            ConfigFile::parse("read_only = \"yes\"")
                .unwrap_err()
                .contains("line 1")
        );
        assert!(ConfigFile::parse("= 1").is_err());
    }
}
