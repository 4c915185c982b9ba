//! The requests that are being worked on: how many there may be, under which ids, and what becomes of
//! one that its client takes back.
//!
//! *Invariant:* a slot is free again only when its answer has been written, or when the handler of a
//! cancelled request has ended. So neither a client that never reads nor one that cancels everything
//! can make the server hold more than [`InFlight::MOST`] requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::envelope::WireId;

/// The requests of one client.
#[derive(Debug)]
pub(super) struct InFlight {
    slots: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// Our own numbers, which are what rmcp sees as ids. They are never used twice.
    next: i64,
    entries: HashMap<i64, Entry>,
    numbers: HashMap<WireId, i64>,
}

#[derive(Debug)]
struct Entry {
    id: WireId,
    slot: OwnedSemaphorePermit,
    delivered: bool,
    cancelled: bool,
    handled: bool,
}

/// The answer to a request may be written: the client's id, and the slot to hold until then.
#[derive(Debug)]
pub(super) struct Answerable {
    pub(super) id: WireId,
    pub(super) slot: OwnedSemaphorePermit,
}

/// Travels with a request into its handler; dropped when the handler has ended.
#[derive(Debug, Clone)]
pub(super) struct Handling {
    _inner: Arc<HandlingInner>,
}

#[derive(Debug)]
struct HandlingInner {
    in_flight: Arc<InFlight>,
    number: i64,
    _bytes: OwnedSemaphorePermit,
}

impl InFlight {
    /// The most requests in flight.
    pub(super) const MOST: u32 = 64;
    /// The most bytes of messages that handlers hold at once.
    const MOST_BYTES: u32 = 2 * 1024 * 1024;

    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            slots: Arc::new(Semaphore::new(Self::MOST as usize)),
            bytes: Arc::new(Semaphore::new(Self::MOST_BYTES as usize)),
            table: Mutex::default(),
        })
    }

    /// Waits for room, and gives the request a number. `None` if its id is in use.
    pub(super) async fn begin(
        self: &Arc<Self>,
        id: WireId,
        bytes: usize,
    ) -> Option<(i64, Handling)> {
        let bytes = u32::try_from(bytes)
            .unwrap_or(u32::MAX)
            .min(Self::MOST_BYTES);
        // The semaphores are never closed.
        let bytes = Arc::clone(&self.bytes)
            .acquire_many_owned(bytes)
            .await
            .ok()?;
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok()?;
        let mut table = self.table();
        if table.numbers.contains_key(&id) {
            return None;
        }
        let number = table.next;
        table.next += 1;
        table.numbers.insert(id.clone(), number);
        table.entries.insert(
            number,
            Entry {
                id,
                slot,
                delivered: false,
                cancelled: false,
                handled: false,
            },
        );
        let inner = HandlingInner {
            in_flight: Arc::clone(self),
            number,
            _bytes: bytes,
        };
        Some((
            number,
            Handling {
                _inner: Arc::new(inner),
            },
        ))
    }

    /// The request goes to its handler now. One that never gets there, because reading stops, gives
    /// its slot back when it is dropped.
    pub(super) fn delivered(&self, number: i64) {
        if let Some(entry) = self.table().entries.get_mut(&number) {
            entry.delivered = true;
        }
    }

    /// Marks a request as taken back; its number, if it is in flight.
    pub(super) fn cancel(&self, id: &WireId) -> Option<i64> {
        let mut table = self.table();
        let number = *table.numbers.get(id)?;
        let entry = table.entries.get_mut(&number)?;
        entry.cancelled = true;
        if entry.handled {
            table.remove(number);
        }
        Some(number)
    }

    /// The answer to this number is about to be written. `None` if it must not be: the client took
    /// the request back.
    pub(super) fn answer(&self, number: i64) -> Option<Answerable> {
        let entry = self.table().remove(number)?;
        (!entry.cancelled).then_some(Answerable {
            id: entry.id,
            slot: entry.slot,
        })
    }

    /// Waits until nothing is in flight.
    pub(super) async fn idle(&self) {
        // The semaphore is never closed.
        let _ = self.slots.acquire_many(Self::MOST).await;
    }

    fn handled(&self, number: i64) {
        let mut table = self.table();
        let Some(entry) = table.entries.get_mut(&number) else {
            return;
        };
        entry.handled = true;
        if entry.cancelled || !entry.delivered {
            table.remove(number);
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing can panic while the lock is held, and the table would still be whole.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn remove(&mut self, number: i64) -> Option<Entry> {
        let entry = self.entries.remove(&number)?;
        self.numbers.remove(&entry.id);
        Some(entry)
    }
}

impl Drop for HandlingInner {
    fn drop(&mut self) {
        self.in_flight.handled(self.number);
    }
}
