//! The private directory of a memory store.
//!
//! A true in-memory database knows neither read-only connections nor a write-ahead log, so that a
//! store in memory is a file that nobody else sees, that is never synced, and that is gone at exit.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A directory whose owner holds the lock in it.
const PREFIX: &str = "refund-store-memory-";
/// A directory that has no owner yet. Nobody clears these away.
const PREFIX_NEW: &str = "refund-store-new-";
/// The file whose lock tells a living owner.
const OWNER: &str = "owner.lock";

/// A directory that only this user can enter, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct PrivateDirectory {
    path: PathBuf,
    _owner: File,
}

impl PrivateDirectory {
    /// Makes one in `parent`, after clearing away those whose owners were killed.
    pub(crate) fn create_in(parent: &Path) -> io::Result<Self> {
        clear_leftovers(parent);
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX_NEW);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o700));
        }
        let new = builder.tempdir_in(parent)?;
        let owner = File::create(new.path().join(OWNER))?;
        owner.lock()?;
        // It gets its name only now that its lock is held: a directory of that name without a lock
        // is a leftover.
        let name = new.path().file_name().unwrap_or_default().to_string_lossy();
        let path = parent.join(name.replacen(PREFIX_NEW, PREFIX, 1));
        fs::rename(new.path(), &path)?;
        let _renamed = new.keep();
        Ok(Self {
            path,
            _owner: owner,
        })
    }

    /// Where the database goes.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("refunds.db")
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // If it fails, the next memory store clears it away.
        let _left_over = fs::remove_dir_all(&self.path);
    }
}

/// Removes the directories of processes that are gone. Whatever cannot be read, such as another
/// user's, is left alone.
fn clear_leftovers(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // Not a link: following one could remove what it points to.
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let Ok(owner) = File::open(entry.path().join(OWNER)) else {
            continue;
        };
        if let Err(TryLockError::WouldBlock | TryLockError::Error(_)) = owner.try_lock() {
            continue;
        }
        let _next_time = fs::remove_dir_all(entry.path());
    }
}
