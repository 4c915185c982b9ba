//! Who calls: the one place where a principal, its role and its customer come from.
//!
//! On standard input and on the command line they are the configuration's; over HTTP they are those of
//! the token that a request brings ([`Guests`]).

mod token;
mod token_file;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use refund_domain::{Caller, Principal, Role};

use crate::config::{Config, Source};
use crate::logging::Causes;
use crate::server::Server;
use crate::servers::Servers;

pub(crate) use token::{NewToken, TokenHash};
pub(crate) use token_file::{TokenEntry, TokenFileError, read, write};

/// The environment variable of the one token that needs no file.
pub(crate) const MCP_HTTP_TOKEN: &str = "MCP_HTTP_TOKEN";

/// The principal of [`MCP_HTTP_TOKEN`].
pub(crate) const HTTP: &str = "http";

/// The fewest characters of [`MCP_HTTP_TOKEN`] where others than this machine reach the server.
const LEAST_FOR_OTHERS: usize = 16;

/// How many characters a token should have that no number of guesses finds.
const ENOUGH: usize = 32;

/// Whoever started this process, on its standard input or command line.
pub(crate) fn local(config: &Config) -> Caller {
    Caller::new(config.principal.value.clone(), config.role.value)
}

/// Why nobody could be let in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoGuests {
    #[error(
        "refund-mcp http needs a token, so that not everybody can move money: set {MCP_HTTP_TOKEN}, or make a token with refund-mcp token new and name its file with --token-file"
    )]
    NoToken,
    #[error(
        "{MCP_HTTP_TOKEN} is empty, and refund-mcp http needs a token, so that not everybody can move money: set it to a random text such as that of openssl rand -hex 32, or leave it unset and name a token file with --token-file"
    )]
    Empty,
    #[error(
        "{MCP_HTTP_TOKEN} has fewer than {LEAST_FOR_OTHERS} characters, so that it could be guessed by whoever reaches this address: take a random one, such as that of openssl rand -hex 32"
    )]
    Guessable,
    #[error(
        "over HTTP the token says who calls and what they may do: leave {0} out, and make a token for the role, with refund-mcp token new NAME --role ROLE (--read-only is for all tokens)"
    )]
    NotLocal(&'static str),
    #[error("{MCP_HTTP_TOKEN} is not Unicode text, or has blanks or control characters in it")]
    Unsendable,
    #[error(
        "{HTTP} is the principal of {MCP_HTTP_TOKEN}; no token of the file may have that name, or be the same token"
    )]
    Taken,
    #[error(transparent)]
    File(#[from] TokenFileError),
}

/// Somebody whose token is known, with their server.
#[derive(Debug, Clone)]
pub(crate) struct Guest {
    /// Who it is.
    pub(crate) caller: Caller,
    /// What serves them.
    pub(crate) server: Server,
}

/// Everybody whose token is known. The token file is read again when it changes, so that a revoked
/// token is of no use a moment later.
pub(crate) struct Guests {
    servers: Servers,
    file: Option<PathBuf>,
    known: RwLock<Known>,
}

/// Debug shows nothing: who is known is nobody's business.
impl std::fmt::Debug for Guests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Guests(…)")
    }
}

#[derive(Default)]
struct Known {
    guests: Arc<[(TokenHash, Guest)]>,
    stamp: Option<Stamp>,
}

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self {
            modified: meta.modified().ok(),
            length: meta.len(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(&meta),
        })
    }
}

/// The token of the environment.
fn single() -> Result<Option<String>, NoGuests> {
    match std::env::var(MCP_HTTP_TOKEN) {
        Ok(token) if token.is_empty() => Err(NoGuests::Empty),
        // Nothing else can stand in a header.
        Ok(token) if token.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(Some(token)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Ok(_) | Err(std::env::VarError::NotUnicode(_)) => Err(NoGuests::Unsendable),
    }
}

/// The tokens of the environment and of the token file.
fn entries(file: Option<&Path>) -> Result<Vec<TokenEntry>, NoGuests> {
    let single = single()?;
    let mut entries = match file {
        Some(path) => read(path)?,
        None => Vec::new(),
    };
    let Some(token) = single else {
        return Ok(entries);
    };
    let hash = TokenHash::of(&token);
    let is_taken =
        |entry: &TokenEntry| entry.caller.principal.as_str() == HTTP || entry.hash.is(&hash);
    if entries.iter().any(is_taken) {
        return Err(NoGuests::Taken);
    }
    let principal = Principal::new(HTTP).map_err(|_| NoGuests::Taken)?;
    entries.push(TokenEntry {
        hash,
        caller: Caller::new(principal, Role::Agent),
    });
    Ok(entries)
}

impl Guests {
    /// Whether anybody could be let in, and nobody by a lucky guess.
    ///
    /// # Errors
    /// There is no token, one that is too short where others reach the server, a file that cannot be
    /// used, or a role or a principal for all, which no token would follow.
    pub(crate) fn check(
        config: &Config,
        file: Option<&Path>,
        is_loopback: bool,
    ) -> Result<(), NoGuests> {
        if config.role.source != Source::Default {
            return Err(NoGuests::NotLocal("--role, REFUND_ROLE or role"));
        }
        if config.principal.source != Source::Default {
            return Err(NoGuests::NotLocal(
                "--principal, REFUND_PRINCIPAL or principal",
            ));
        }
        if entries(file)?.is_empty() {
            return Err(NoGuests::NoToken);
        }
        match single()?.map(|token| token.len()) {
            Some(length) if length < LEAST_FOR_OTHERS && !is_loopback => Err(NoGuests::Guessable),
            Some(length) if length < ENOUGH => {
                tracing::warn!(
                    "{MCP_HTTP_TOKEN} has fewer than {ENOUGH} characters; a random one, such as that of openssl rand -hex 32, cannot be guessed"
                );
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Everybody, each with their server.
    ///
    /// # Errors
    /// The file cannot be used.
    pub(crate) fn new(servers: Servers, file: Option<PathBuf>) -> Result<Self, NoGuests> {
        let guests = Self {
            servers,
            file,
            known: RwLock::default(),
        };
        // Before it is read: what changes meanwhile is seen the next time.
        let stamp = guests.seen();
        guests.know(entries(guests.file.as_deref())?, stamp);
        Ok(guests)
    }

    /// Whose token this is. Every token that is known is compared, so that the time says nothing.
    pub(crate) fn find(&self, token: &str) -> Option<Guest> {
        let hash = TokenHash::of(token);
        let guests = Arc::clone(&self.read_known().guests);
        guests.iter().fold(None, |found, (known, guest)| {
            if known.is(&hash) {
                Some(guest.clone())
            } else {
                found
            }
        })
    }

    /// Reads the token file again if it has changed. One that cannot be used changes nothing: who was
    /// known stays known.
    pub(crate) fn refresh(&self) {
        let stamp = self.seen();
        if stamp == self.read_known().stamp {
            return;
        }
        match entries(self.file.as_deref()) {
            Ok(entries) => {
                tracing::info!(tokens = entries.len(), "the token file was read again");
                self.know(entries, stamp);
            }
            Err(error) => {
                tracing::error!(error = %Causes(&error), "the token file cannot be used; what it said before still holds");
                self.write_known().stamp = stamp;
            }
        }
    }

    fn seen(&self) -> Option<Stamp> {
        self.file.as_deref().and_then(Stamp::of)
    }

    fn know(&self, entries: Vec<TokenEntry>, stamp: Option<Stamp>) {
        let guests = entries.into_iter().map(|TokenEntry { hash, caller }| {
            let server = self.servers.of(caller.clone());
            (hash, Guest { caller, server })
        });
        let guests = guests.collect();
        *self.write_known() = Known { guests, stamp };
    }

    // Nothing can panic while the lock is held.

    fn read_known(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_known(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}
