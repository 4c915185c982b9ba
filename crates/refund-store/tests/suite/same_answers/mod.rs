//! *Invariant:* the warranty desk answers the same on SQLite and on PostgreSQL, ties, orders, refusals
//! and faults included (promise 9 of the toolset).

mod questions;
mod world;

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Arc;

use refund_domain::ports::Scoped;
use refund_domain::warranty::{
    AddressFound, AddressMatch, CoverageAnswer, CustomerSearchAnswer, DeviceAnswer, DeviceFound,
    DeviceSearchAnswer, NotResolved, OpenReturnsAnswer, QuoteAnswer, WarrantyDesk,
    WarrantyDeskError, WarrantyPolicy, WarrantyReader, WarrantyRefusal,
};
use refund_domain::{Caller, Role, Timestamp};
use refund_store::contract::given::{id, principal};
use refund_store::contract::given_units::{Generator, TODAY, date};
use refund_store::transfer::{Format, Input};
use refund_store::{PostgresReader, PostgresStore, SqliteReader, SqliteStore};

use crate::database::Database;
use questions::{Question, question};

#[derive(Debug, PartialEq)]
enum Answer {
    Coverage(CoverageAnswer),
    Quote(QuoteAnswer),
    Device(DeviceAnswer),
    Devices(DeviceSearchAnswer),
    OpenReturns(OpenReturnsAnswer),
    Customers(CustomerSearchAnswer),
    Address(AddressMatch),
}

async fn ask<R: WarrantyReader>(
    desk: &WarrantyDesk<R>,
    question: &Question,
) -> Result<Answer, WarrantyDeskError> {
    let today = date(TODAY);
    Ok(match question {
        Question::Coverage(unit, facts) => {
            Answer::Coverage(desk.check_coverage(unit, today, facts).await?)
        }
        Question::Quote(unit) => Answer::Quote(desk.fee_quote(unit, today).await?),
        Question::Find(unit, with_open) => {
            Answer::Device(desk.find_device(unit, today, *with_open).await?)
        }
        Question::Search(criteria, take) => {
            Answer::Devices(desk.search_devices(criteria, *take).await?)
        }
        Question::OpenReturns(unit) => Answer::OpenReturns(desk.open_returns(unit).await?),
        Question::Customer(criteria, take) => {
            Answer::Customers(desk.find_customer(criteria, *take).await?)
        }
        Question::Address(of, text) => {
            Answer::Address(desk.resolve_shipping_address(*of, text).await?)
        }
    })
}

/// What kind of answer it is, to see that all kinds were there.
fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Coverage(answer) => match (&answer.unit, answer.suggestions.len()) {
            (Some(_), _) => answer.evaluation.outcome.as_str(),
            (None, 0) => "coverage of nothing",
            (None, _) => "coverage, suggestions",
        },
        Answer::Quote(answer) => match (&answer.quote, answer.suggestions.len()) {
            (Some(_), _) => "quote",
            (None, 0) => "quote of nothing",
            (None, _) => "quote, suggestions",
        },
        Answer::Device(answer) => match &answer.found {
            DeviceFound::Shown(shown) => shown.matched_on.as_str(),
            DeviceFound::Suppressed { near: true } => "suppressed, near",
            DeviceFound::Suppressed { near: false } => "suppressed",
            DeviceFound::Nothing if answer.suggestions.is_empty() => "no unit",
            DeviceFound::Nothing => "units suggested",
        },
        Answer::Devices(answer) => match (answer.refusal, answer.units.len()) {
            (Some(_), _) => "search of units refused",
            (None, 0) => "no units",
            (None, _) if answer.suppressed > 0 => "units, some suppressed",
            (None, _) => "units",
        },
        Answer::OpenReturns(answer) => match answer.returns.len() {
            0 => "no open return",
            1 => "an open return",
            _ => "open returns",
        },
        Answer::Customers(answer) => match (answer.refusal, answer.customers.len()) {
            (Some(_), _) => "search of customers refused",
            (None, 0) => "no customer",
            (None, 1) => "customer",
            (None, _) => "customers",
        },
        Answer::Address(answer) => match &answer.found {
            AddressFound::Resolved(_) => "address",
            AddressFound::Fallback(_, NotResolved::NothingSpecific) => "text says nothing",
            AddressFound::Fallback(_, NotResolved::TooWeak) => "address unlike all",
            AddressFound::Fallback(_, NotResolved::Ambiguous) => "several addresses",
            AddressFound::NoAddress => "no address",
        },
    }
}

fn kind_of_error(error: &WarrantyDeskError) -> &'static str {
    match error {
        WarrantyDeskError::Refused(WarrantyRefusal::DeviceNotFound) => "unknown unit",
        WarrantyDeskError::Refused(WarrantyRefusal::CustomerNotFound { .. }) => "unknown customer",
        WarrantyDeskError::Misconfigured(_) => "unknown tier",
        WarrantyDeskError::Fault(error) => panic!("{error:?}"),
    }
}

/// How many kinds of answers there are.
const KINDS: usize = 35;

/// The same data in both stores.
struct Both {
    sqlite: SqliteStore,
    postgres: PostgresStore,
    // Dropped last: its database goes with it.
    _database: Database,
}

impl Both {
    fn new(json: &str) -> Self {
        let database = Database::sorted_as_people_do();
        PostgresStore::migrate(&database.url()).unwrap();
        let postgres = PostgresStore::new(&database.url()).unwrap();
        let sqlite = SqliteStore::memory().unwrap();
        let input = || {
            let file = Cursor::new(json.to_owned());
            vec![Input::new("data.json", Format::Json, file)]
        };
        let caller = Caller::new(principal("importer"), Role::Agent);
        let at = Timestamp::parse("2026-01-02T03:04:05Z").unwrap();
        sqlite.import(input(), false, &caller, at).unwrap();
        postgres.import(input(), false, &caller, at).unwrap();
        Self {
            sqlite,
            postgres,
            _database: database,
        }
    }

    /// Desks for everybody, or for a caller with one customer.
    fn desks(
        &self,
        only: Option<u32>,
        policy: &Arc<WarrantyPolicy>,
    ) -> (
        WarrantyDesk<Scoped<SqliteReader>>,
        WarrantyDesk<Scoped<PostgresReader>>,
    ) {
        let only = only.map(id);
        let sqlite = Scoped::new(self.sqlite.reader(), only);
        let postgres = Scoped::new(self.postgres.reader(), only);
        (
            WarrantyDesk::new(sqlite, policy.clone()),
            WarrantyDesk::new(postgres, policy.clone()),
        )
    }
}

mod postgres {
    use super::*;

    /// `REFUND_FULL=1` asks ten times as much.
    #[tokio::test]
    async fn both_stores_answer_every_question_alike() {
        let full = std::env::var_os("REFUND_FULL").is_some_and(|value| value == "1");
        let mut generator = Generator::new(23);
        let world = world::world(&mut generator);
        let both = Both::new(&world.json());
        let policy = Arc::new(WarrantyPolicy::default());
        let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
        for turn in 0..if full { 10_000 } else { 1_000 } {
            let only = (generator.below(5) == 0)
                .then(|| u32::try_from(generator.below(world::CUSTOMERS as usize)).unwrap());
            let question = question(&mut generator, &world);
            let (sqlite, postgres) = both.desks(only, &policy);
            let expected = ask(&sqlite, &question).await;
            let answer = ask(&postgres, &question).await;
            let kind = answer.as_ref().map_or_else(kind_of_error, kind);
            *kinds.entry(kind).or_default() += 1;
            let expected = expected.map_err(|error| error.to_string());
            let answer = answer.map_err(|error| error.to_string());
            // Debug hides what names a person or a unit; the seed brings it back.
            assert_eq!(answer, expected, "{turn}: {question:?}");
        }
        assert_eq!(kinds.len(), KINDS, "{kinds:#?}");
    }
}
