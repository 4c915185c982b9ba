//! *Invariant:* the same history of calls has the same answers on a store in memory, in a file and in a
//! PostgreSQL database, refusals, texts and order included, and leaves the same behind, whatever the
//! clock says meanwhile (T-12, T-14).

mod answer;
mod call;

use std::collections::BTreeMap;

use refund_domain::StoreError;
use refund_store::contract::given_units::Generator;
use refund_store::transfer::{Entity, Format};
use refund_store::{PostgresStore, SqliteStore};
use tokio::task::JoinSet;

use crate::database::Database;
use crate::support::{Place, assert_sound};
use answer::{Answer, Side};
use call::History;

/// Histories in the same three stores, one after the other.
const TOGETHER: u32 = 125;
/// Calls of a history at most.
const LONGEST: usize = 48;

/// How many kinds of answers there are.
const KINDS: usize = 42;

/// The three stores, which hold the same.
struct Three {
    memory: SqliteStore,
    file: SqliteStore,
    place: Place,
    postgres: PostgresStore,
    // Dropped last: its store has connections to it.
    database: Database,
}

impl Three {
    fn new() -> Self {
        let database = Database::new("read committed");
        PostgresStore::migrate(&database.url()).unwrap();
        let place = Place::new();
        let three = Self {
            memory: SqliteStore::memory().unwrap(),
            file: SqliteStore::open(&place.path).unwrap(),
            place,
            postgres: PostgresStore::new(&database.url()).unwrap(),
            database,
        };
        let customers: Vec<_> = (0..TOGETHER).flat_map(History::customers).collect();
        let orders: Vec<_> = (0..TOGETHER).flat_map(History::orders).collect();
        for store in [&three.memory, &three.file] {
            let _count = store.import_customers(customers.clone()).unwrap();
            store.import_orders(&orders).unwrap();
        }
        let _count = three.postgres.import_customers(customers).unwrap();
        three.postgres.import_orders(&orders).unwrap();
        three
    }

    /// What they hold in the end, and whether it can be true.
    fn compare(&self, seed: u64) {
        assert_sound(&self.memory);
        assert_sound(&self.file);
        assert_eq!(self.postgres.check().unwrap().findings, [""; 0], "{seed}");
        let exported = |export: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            export(&mut out);
            String::from_utf8(out).unwrap()
        };
        let [memory, file] = [&self.memory, &self.file].map(|store| {
            exported(&|out| {
                let _count = store.export(&Entity::ALL, Format::Json, out).unwrap();
            })
        });
        let postgres = exported(&|out| {
            let written = self.postgres.export(&Entity::ALL, Format::Json, out);
            let _count = written.unwrap();
        });
        assert!(memory == file && file == postgres, "seed {seed}: exports");
        let sql = "SELECT at_ms || principal || role || tool || arguments || outcome || trace
             FROM audit ORDER BY seq";
        let raw = self.place.raw();
        let mut audit = raw.prepare(sql).unwrap();
        let audit = audit.query_map([], |row| Ok(vec![row.get(0)?]));
        let audit: Vec<Vec<String>> = audit.unwrap().map(Result::unwrap).collect();
        assert!(audit == self.database.query(sql), "seed {seed}: audit rows");
    }
}

/// Runs the histories of a seed, and counts the kinds of answers.
async fn run(seed: u64) -> BTreeMap<&'static str, u32> {
    let three = Three::new();
    let mut kinds = BTreeMap::new();
    let mut generator = Generator::new(seed);
    let sqlite = |store: &SqliteStore| Side::new(store.clone(), store.clone().sending_mail());
    let mut memory = sqlite(&three.memory);
    let mut file = sqlite(&three.file);
    let postgres = three.postgres.clone();
    let mut postgres = Side::new(postgres.clone(), postgres.sending_mail());
    for number in 0..TOGETHER {
        let length = 1 + generator.below(LONGEST);
        let mut history = History::new(&mut generator, number);
        for turn in 0..length {
            let call = history.call();
            let said = |answer: Result<Answer, StoreError>| {
                // Debug hides what names a person; the seed brings it back.
                answer.unwrap_or_else(|fault| {
                    panic!("seed {seed}, history {number}, call {turn}: {fault:?}: {call:?}")
                })
            };
            let expected = said(memory.ask(&call).await);
            *kinds.entry(expected.kind()).or_default() += 1;
            for (store, answer) in [
                ("file", said(file.ask(&call).await)),
                ("PostgreSQL", said(postgres.ask(&call).await)),
            ] {
                assert_eq!(
                    answer, expected,
                    "seed {seed}, history {number}, call {turn}, {store}: {call:?}"
                );
            }
        }
    }
    three.compare(seed);
    kinds
}

mod postgres {
    use super::*;

    /// `REFUND_FULL=1`: 10,000 histories instead of 500.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn three_stores_answer_every_history_alike() {
        let full = std::env::var_os("REFUND_FULL").is_some_and(|value| value == "1");
        let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
        for first in 0..if full { 20 } else { 1 } {
            let mut runs: JoinSet<_> = (0..4).map(|seed| run(4 * first + seed)).collect();
            while let Some(counted) = runs.join_next().await {
                for (kind, count) in counted.unwrap() {
                    *kinds.entry(kind).or_default() += count;
                }
            }
        }
        assert_eq!(kinds.len(), KINDS, "{kinds:#?}");
    }
}
