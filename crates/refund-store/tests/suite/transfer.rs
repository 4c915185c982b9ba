//! Data files: what is wrong in them, at once and with its place; and what goes out comes in again.

use std::fmt::Write as _;

use proptest::prelude::*;
use refund_domain::ports::{CustomerReader, CustomerWriter, Outbox, RefundReader};
use refund_domain::settled::Outcome;
use refund_domain::{AcceptedReturn, Caller, Role, Timestamp};
use refund_store::SqliteStore;
use refund_store::contract::given::{
    Ask, adjust, balance, customer, id, key, principal, processed, refunds, replayed, suspended,
};
use refund_store::contract::given_orders::{self, AskReturn, AskTurn, EXPIRED, OPEN, order};
use refund_store::transfer::{Counts, Entity, Format, ImportError, Imported, Input, fields_of};

use crate::support::{Place, assert_sound};

const CSV_CUSTOMERS: Format = Format::Csv(Entity::Customers);

fn import(
    store: &SqliteStore,
    files: &[(&str, Format, &str)],
    upsert: bool,
) -> Result<Imported, ImportError> {
    let inputs = files
        .iter()
        .map(|(name, format, text)| {
            let bytes = std::io::Cursor::new(text.as_bytes().to_owned());
            Input::new(name, *format, bytes)
        })
        .collect();
    let caller = Caller::new(principal("importer"), Role::Agent);
    let at = Timestamp::parse("2026-02-03T04:05:06Z").unwrap();
    store.import(inputs, upsert, &caller, at)
}

fn problems(result: Result<Imported, ImportError>) -> Vec<String> {
    match result {
        Err(ImportError::Rejected { errors, .. }) => {
            errors.iter().map(ToString::to_string).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// What is wrong with these files, which must leave an empty store as it was.
fn errors(files: &[(&str, Format, &str)]) -> Vec<String> {
    let store = SqliteStore::memory().unwrap();
    let found = problems(import(&store, files, false));
    let report = store.check().unwrap();
    assert_eq!((report.customers, report.refunds), (0, 0));
    assert!(report.is_sound());
    found
}

fn export(store: &SqliteStore, format: Format) -> String {
    let mut out = Vec::new();
    let _count = store.export(&Entity::ALL, format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A record with some of its fields replaced, added, or (with an empty value) left out.
fn record(number: u32, changes: &[(&str, &str)]) -> String {
    let mut fields = vec![
        ("customer_id", format!("\"CUST-{number:05}\"")),
        ("name", "\"A B\"".to_owned()),
        ("email", format!("\"c{number}@example.com\"")),
        ("status", "\"active\"".to_owned()),
        ("currency", "\"USD\"".to_owned()),
        ("refundable_balance", "1.50".to_owned()),
        ("created_at", "\"2024-01-15T09:30:00Z\"".to_owned()),
    ];
    for (name, value) in changes {
        fields.retain(|(field, _)| field != name);
        if !value.is_empty() {
            fields.push((name, (*value).to_owned()));
        }
    }
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("\"{name}\": {value}"))
        .collect();
    format!("{{{}}}", fields.join(", "))
}

fn file(records: &[String]) -> String {
    format!("{{\"customers\": [\n{}\n]}}", records.join(",\n"))
}

// Cases R-011, R-013, R-023.
#[tokio::test]
async fn money_is_exact_in_its_currency() {
    for (currency, amount, minor) in [
        ("KWD", "35.200", 35_200),
        ("KWD", "\"35.200\"", 35_200),
        ("JPY", "500", 500),
        ("JPY", "500.00", 500),
        ("CLF", "1.2345", 12_345),
        ("USD", "0.1", 10),
        ("USD", "-0", 0),
        ("USD", "5e2", 50_000),
        ("USD", "9999999999999.99", 999_999_999_999_999),
    ] {
        let currency = format!("\"{currency}\"");
        let record = record(
            1,
            &[("currency", &currency), ("refundable_balance", amount)],
        );
        let store = SqliteStore::memory().unwrap();
        let _one = import(&store, &[("c.json", Format::Json, &file(&[record]))], false).unwrap();
        assert_eq!(balance(&store, 1).await, minor, "{amount}");
    }
    let records: Vec<_> = (1..=10_000_u32)
        .map(|cents| {
            let amount = format!("{}.{:02}", cents / 100, cents % 100);
            record(cents, &[("refundable_balance", &amount)])
        })
        .collect();
    let store = SqliteStore::memory().unwrap();
    let _all = import(&store, &[("c.json", Format::Json, &file(&records))], false).unwrap();
    for cents in 1..=10_000 {
        assert_eq!(balance(&store, cents).await, i64::from(cents));
    }
    for (currency, amount, text) in [
        (
            "USD",
            "1.255",
            "1.255 needs more decimal places than the 2 of USD",
        ),
        (
            "JPY",
            "100.5",
            "needs more decimal places than the 0 of JPY",
        ),
        ("USD", "-1", "cannot be negative"),
        (
            "USD",
            "1e400",
            "is too large, too small or too long for an amount",
        ),
        (
            "USD",
            "1e-400",
            "is too large, too small or too long for an amount",
        ),
        (
            "USD",
            "\"123456789012345678901234567890\"",
            "is too large, too small or too long for an amount",
        ),
        ("USD", "\"10,10\"", "must be a number"),
        ("USD", "\"\"", "must be a number"),
        ("USD", "null", "must be a number"),
        ("USD", "true", "must be a number"),
        ("USD", "[1]", "must be a number"),
        ("USD", "10000000000000", "above"),
        ("XAU", "1", "no minor unit"),
        ("usd", "1", "not an ISO 4217"),
    ] {
        let quoted = format!("\"{currency}\"");
        let record = record(1, &[("currency", &quoted), ("refundable_balance", amount)]);
        let errors = errors(&[("c.json", Format::Json, &file(&[record]))]);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].contains(text), "{errors:?}");
    }
}

#[test]
fn all_problems_come_together_with_their_places() {
    let json = file(&[
        record(1, &[]),
        record(2, &[("name", ""), ("email", "7"), ("nickname", "\"x\"")]),
        "17".to_owned(),
        record(
            4,
            &[("status", "\"ACTIVE\""), ("created_at", "\"yesterday\"")],
        ),
        record(1, &[("email", "\"other@example.com\"")]),
        record(
            6,
            &[("email", "\"C1@Example.com\""), ("external_id", "\"E\"")],
        ),
        record(7, &[("company", "\"\""), ("phone_number", "null")]),
        record(8, &[("external_id", "\"E\"")]),
        "{\n\"name\": \"A\",\n\"name\": \"B\"}".to_owned(),
        "{\"name\": \"A\",\n\"email\": nope}".to_owned(),
    ]);
    let refunds = "{\"entity\":\"refunds\",\"refund_id\":\"x\",\"customer_id\":\"CUST-00077\",\"amount\":0,\"currency\":\"USD\",\"reason\":\"short\",\"status\":\"done\",\"processed_at\":\"2024-01-01T00:00:00Z\",\"principal\":\"\"}\n\n{\"name\":1}\n{\"entity\":\"refund\"}\n{\"entity\":7}\n[]\n{\"entity\":\"refunds\",\"entity\":\"customers\"}\n\u{1}";
    assert_eq!(
        errors(&[
            ("c.json", Format::Json, &json),
            ("r.ndjson", Format::Ndjson, refunds)
        ]),
        [
            "c.json:3: customers[1].nickname: there is no such field; there are customer_id, name, email, status, currency, refundable_balance, created_at, external_id, phone_number, company, language",
            "c.json:3: customers[1].name: is missing",
            "c.json:3: customers[1].email: must be a string",
            "c.json:4: customers[2]: must be an object",
            "c.json:5: customers[3].status: must be active or suspended",
            "c.json:5: customers[3].created_at: not an RFC 3339 time such as 2024-01-15T09:30:00Z",
            "c.json:6: customers[4].customer_id: is the same as in the record at c.json:2",
            "c.json:7: customers[5].email: is the same as in the record at c.json:2",
            "c.json:8: customers[6].company: a company has 0 characters; at least 1 are needed",
            "c.json:12: customers[8].name: the key is given twice",
            "c.json:10: customers[8].customer_id: is missing",
            "c.json:10: customers[8].email: is missing",
            "c.json:10: customers[8].status: is missing",
            "c.json:10: customers[8].currency: is missing",
            "c.json:10: customers[8].refundable_balance: is missing",
            "c.json:10: customers[8].created_at: is missing",
            "c.json:14: customers[9]: is not JSON: expected ident",
            "r.ndjson:1: refunds[0].refund_id: a refund id is a UUID, such as 3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f",
            "r.ndjson:1: refunds[0].amount: must be above zero",
            "r.ndjson:1: refunds[0].reason: a reason has 5 characters; at least 10 are needed",
            "r.ndjson:1: refunds[0].status: must be processed",
            "r.ndjson:1: refunds[0].principal: a principal has 0 characters; at least 1 are needed",
            "r.ndjson:3: the key \"entity\" is missing",
            "r.ndjson:4: \"refund\" is not an entity that can be imported; there are customers, addresses, products, orders, devices, warranties, open_returns, refunds, returns, escalations, escalation_turns",
            "r.ndjson:5: the value of \"entity\" must be a string",
            "r.ndjson:6: the line must be an object",
            "r.ndjson:7: the key \"entity\" is given twice",
            "r.ndjson:8: the line is not JSON: expected value",
        ]
    );
}

#[test]
fn the_same_address_in_other_characters_and_a_second_that_cannot_be_kept() {
    let twins = file(&[
        record(1, &[("email", "\"ren\u{e9}@example.com\"")]),
        record(2, &[("email", "\"rene\u{301}@example.com\"")]),
        record(3, &[("created_at", "\"2016-12-31T23:59:60Z\"")]),
    ]);
    assert_eq!(
        errors(&[("c.json", Format::Json, &twins)]),
        [
            "c.json:3: customers[1].email: is the same as in the record at c.json:2",
            "c.json:4: customers[2].created_at: a leap second (:60) cannot be kept; seconds are 00 to 59",
        ]
    );
}

#[test]
fn a_table_with_problems() {
    for (text, expected) in [
        ("", vec!["t.csv:1: customers: the header row is missing"]),
        (
            "customer_id,nme,name,name\n",
            vec![
                "t.csv:1: customers: the column \"nme\": there is no such field; there are",
                "t.csv:1: customers: the column \"name\" is there twice",
                "t.csv:1: customers: the column \"email\" is missing",
                "t.csv:1: customers: the column \"status\" is missing",
                "t.csv:1: customers: the column \"currency\" is missing",
                "t.csv:1: customers: the column \"refundable_balance\" is missing",
                "t.csv:1: customers: the column \"created_at\" is missing",
            ],
        ),
        (
            "refundable_balance,currency,customer_id,name,email,status,created_at\r\n\r\n\n\
             1e2,USD,CUST-00001,\"two\nlines\",a@b,active,2024-01-15T09:30:00Z\n\
             1,USD,CUST-00002,A B\n\
             ,USD,CUST-00003,A B,a@b,active,2024-01-15T09:30:00Z\n",
            vec![
                "t.csv:4: customers[0].name: a name must not contain control characters",
                "t.csv:4: customers[0].refundable_balance: must be a number",
                "t.csv:6: customers[1]: the row has 4 cells and the header 7",
                "t.csv:7: customers[2].refundable_balance: is missing",
            ],
        ),
        // A quote that is never closed, or closed by that of a later row, would swallow rows.
        (
            "customer_id,name,email,status,currency,refundable_balance,created_at\n\
             CUST-00001,A B,a@b,active,USD,x,2024-01-15T09:30:00Z\n\
             CUST-00002,A B,b@b,active,USD,1,\"2024-01-15T09:30:00Z\n\
             CUST-00003,A B,c@b,active,USD,1,2024-01-15T09:30:00Z\n",
            vec![
                "t.csv:2: customers[0].refundable_balance: must be a number",
                "t.csv:3: customers: the quote of a cell that begins here is never closed",
            ],
        ),
        (
            "customer_id,name,email,status,currency,refundable_balance,created_at\n\
             CUST-00001,\"A B,a@b,active,USD,1,2024-01-15T09:30:00Z\n\
             CUST-00002,\"A B\",b@b,active,USD,1,2024-01-15T09:30:00Z\n",
            vec![
                "t.csv:2: customers: a quoted cell begins here, and text stands behind its closing quote on line 3",
            ],
        ),
    ] {
        let found = errors(&[("t.csv", CSV_CUSTOMERS, text)]);
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }
    let header = "customer_id,name,email,status,currency,refundable_balance,created_at\n\"";
    let swallowed = format!("{header}{}\nCUST", "x".repeat(200_000));
    let found = errors(&[("t.csv", CSV_CUSTOMERS, &swallowed)]);
    assert!(found[0].starts_with("t.csv:2: "), "{found:?}");
    assert!(found[0].ends_with("never closed"), "{found:?}");
    let endless = format!("{header}{}", "x".repeat(3 * 1024 * 1024));
    let found = errors(&[("t.csv", CSV_CUSTOMERS, &endless)]);
    assert!(found[0].contains("larger than 1 MiB"), "{found:?}");
}

#[test]
fn a_file_of_another_shape() {
    for (json, text) in [
        ("", "c.json:1: not a data file"),
        ("{\n\"customers\": [\n}", "c.json:3: not a data file"),
        (
            "{\"customers\": [{},]}",
            "c.json:1: customers[0].customer_id: is missing",
        ),
        ("[]", "c.json:1: not a data file"),
        ("{\"customers\": []} x", "c.json:1: not a data file"),
        ("{\"customers\": []", "c.json:1: not a data file"),
        (
            "{\"customers\": [] \"refunds\": []}",
            "c.json:1: not a data file",
        ),
        ("{customers: []}", "c.json:1: not a data file"),
        (
            "{\n\"refund\": [{\"a\": [1, \"]\"]}], \"customers\": []}",
            "c.json:2: \"refund\" is not an entity that can be imported",
        ),
        (
            "{\"customers\": [],\n\"customers\": []}",
            "c.json:2: customers: the key is given twice",
        ),
        (
            "{\"customers\": {}}",
            "c.json:1: customers: must be an array of records",
        ),
    ] {
        let errors = errors(&[("c.json", Format::Json, json)]);
        assert!(errors[0].starts_with(text), "{json}: {errors:?}");
    }
    for (format, text) in [
        (Format::Json, "{}"),
        (
            Format::Json,
            "\u{feff} {\"customers\": [ ] , \"refunds\":[]}\r\n",
        ),
        (Format::Ndjson, ""),
        (Format::Ndjson, "\u{feff}\r\n\n"),
    ] {
        let store = SqliteStore::memory().unwrap();
        let imported = import(&store, &[("c", format, text)], false).unwrap();
        assert_eq!(imported.of(Entity::Customers), Counts::default(), "{text}");
    }
    let deep = format!("{{\"customers\": {}", "[".repeat(100_000));
    assert_eq!(errors(&[("c.json", Format::Json, &deep)]).len(), 1);
    let long = format!("{{\"customers\": [\"{}\"]}}", "x".repeat(2_000_000));
    assert!(errors(&[("c.json", Format::Json, &long)])[0].contains("larger than 1 MiB"));
    let found = errors(&[("c.ndjson", Format::Ndjson, &format!("{long}\n7\n"))]);
    assert_eq!(found.len(), 2, "reading goes on after it: {found:?}");
    // A hundred are enough.
    let many = format!("{{\"customers\": [{}7]}}", "7,".repeat(500));
    let store = SqliteStore::memory().unwrap();
    let error = import(&store, &[("c.json", Format::Json, &many)], false).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("reading stopped after 100 problems")
    );
    assert_eq!(problems(Err(error)).len(), 100);
}

#[test]
fn the_documentation_names_the_fields_that_there_are() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/data.md");
    let page = std::fs::read_to_string(page).unwrap();
    for entity in Entity::ALL {
        let fields: Vec<_> = fields_of(entity)
            .into_iter()
            .map(|(name, required)| match required {
                true => format!("`{name}`"),
                false => format!("[`{name}`]"),
            })
            .collect();
        let row = format!("| `{entity}` | {} |", fields.join(", "));
        assert!(
            page.lines().any(|line| line == row),
            "docs/data.md lacks:\n{row}"
        );
    }
}

/// A line of NDJSON with a refund.
fn refund(number: u32, customer: u32, amount: &str, more: &str) -> String {
    format!(
        "{{\"entity\":\"refunds\",\"refund_id\":\"00000000-0000-4000-8000-{number:012}\",\"customer_id\":\"CUST-{customer:05}\",\"amount\":{amount},\"currency\":\"USD\",\"reason\":\"the item arrived damaged\",\"status\":\"processed\",\"processed_at\":\"2024-01-01T00:00:00Z\",\"principal\":\"local\"{more}}}\n"
    )
}

#[tokio::test]
async fn an_import_is_all_or_nothing() {
    let store = SqliteStore::memory().unwrap();
    let first = file(&[record(1, &[("external_id", "\"E-1\"")])]);
    let with_key = refund(1, 1, "1", ",\"idempotency_key\":\"K\"");
    let files = [
        ("a.json", Format::Json, first.as_str()),
        ("b.ndjson", Format::Ndjson, &with_key),
    ];
    let imported = import(&store, &files, false).unwrap();
    assert_eq!(imported.of(Entity::Customers).added, 1);
    assert_eq!(imported.of(Entity::Refunds).added, 1);
    assert_sound(&store);

    let customers = file(&[
        record(2, &[]),
        record(1, &[("email", "\"other@example.com\"")]),
        record(
            3,
            &[("email", "\"C1@EXAMPLE.com\""), ("external_id", "\"E-1\"")],
        ),
    ]);
    let lines = [
        refund(1, 2, "1", ""),
        refund(1, 2, "1", ",\"remaining_refundable_balance\":1"),
        refund(2, 2, "1", ",\"idempotency_key\":\"K\""),
        refund(3, 2, "1", ",\"idempotency_key\":\"L\""),
        refund(4, 2, "1", ",\"idempotency_key\":\"L\""),
        refund(3, 2, "1", ""),
        refund(
            5,
            2,
            "1",
            ",\"idempotency_key\":\"M\",\"remaining_refundable_balance\":1",
        ),
        refund(5, 2, "1", ",\"remaining_refundable_balance\":1"),
        refund(
            6,
            2,
            "1",
            ",\"idempotency_key\":\"M\",\"remaining_refundable_balance\":1",
        ),
        refund(7, 2, "0.00", ""),
    ];
    let files = [
        ("b.json", Format::Json, customers.as_str()),
        ("r.ndjson", Format::Ndjson, &lines.concat()),
    ];
    let id_taken = "there is a refund with this id already, in the store or earlier in the import";
    let key_taken = |line: u32, record: u32, owner: u32| {
        format!(
            "r.ndjson:{line}: refunds[{record}].idempotency_key: the principal has used this key for refund 00000000-0000-4000-8000-{owner:012} already"
        )
    };
    assert_eq!(
        problems(import(&store, &files, false)),
        [
            "b.json:3: customers[1].customer_id: there is a customer CUST-00001 already".to_owned(),
            "b.json:4: customers[2].email: is the one of CUST-00001".to_owned(),
            "b.json:4: customers[2].external_id: is the one of CUST-00001".to_owned(),
            // Staged ones are compared with the store at the end, when nothing else is wrong.
            format!("r.ndjson:2: refunds[1].refund_id: {id_taken}"),
            key_taken(5, 4, 3),
            format!("r.ndjson:6: refunds[5].refund_id: {id_taken}"),
            format!("r.ndjson:8: refunds[7].refund_id: {id_taken}"),
            key_taken(9, 8, 5),
            "r.ndjson:10: refunds[9].amount: must be above zero".to_owned(),
        ]
    );
    let files = [
        ("b.json", Format::Json, &*file(&[record(2, &[])])),
        (
            "r.ndjson",
            Format::Ndjson,
            &lines[..3]
                .concat()
                .replace(",\"remaining_refundable_balance\":1", "")
                .replace(&lines[1], ""),
        ),
    ];
    let staged = problems(import(&store, &files[..], false));
    assert!(
        staged.iter().any(|line| line.contains("refund_id")),
        "{staged:?}"
    );
    assert_eq!(store.customer(id(2)).await.unwrap(), None);
    assert_sound(&store);
}

#[tokio::test]
async fn what_records_point_at_may_come_later_but_must_come() {
    let json = file(&[
        record(1, &[]),
        record(2, &[("currency", "\"JPY\""), ("refundable_balance", "5")]),
    ]);
    let good = [
        refund(1, 1, "1", ""),
        refund(2, 1, "2.50", ",\"remaining_refundable_balance\":1.50"),
    ]
    .concat();
    let store = SqliteStore::memory().unwrap();
    let files = [
        ("r", Format::Ndjson, good.as_str()),
        ("c", Format::Json, &json),
    ];
    let _imported = import(&store, &files, false).unwrap();
    assert_sound(&store);

    let bad = [
        refund(1, 1, "1", ""),
        refund(2, 3, "1", ""),
        refund(3, 3, "1", ""),
        refund(4, 2, "1", ""),
    ]
    .concat();
    assert_eq!(
        errors(&[("r", Format::Ndjson, &bad), ("c", Format::Json, &json)]),
        [
            "r:2: refunds[1].customer_id: there is no customer CUST-00003",
            "r:4: refunds[3].currency: customer CUST-00002 has JPY",
        ]
    );
}

// A file written by hand need not tell the balance after each refund: it follows from the rest.
#[tokio::test]
async fn remaining_balances_are_worked_out_where_they_are_not_told() {
    let store = SqliteStore::memory().unwrap();
    let json = file(&[record(1, &[("refundable_balance", "100")])]);
    let lines = [
        refund(1, 1, "1", ""),
        refund(2, 1, "20", ",\"remaining_refundable_balance\":7"),
        refund(3, 1, "3", ",\"idempotency_key\":\"K\""),
    ];
    let files = [
        ("r", Format::Ndjson, &*lines.concat()),
        ("c", Format::Json, &json),
    ];
    let _imported = import(&store, &files, false).unwrap();
    let left: Vec<_> = refunds(&store, 1)
        .await
        .iter()
        .map(|refund| refund.remaining_refundable_balance.minor())
        .collect();
    assert_eq!(left, [10_000, 700, 12_300], "newest first");
    assert_eq!(balance(&store, 1).await, 10_000);
    assert_sound(&store);
    let ask = Ask::new(1, "3").key("K");
    assert_eq!(
        replayed(ask.of(&store).await)
            .remaining_refundable_balance
            .minor(),
        10_000
    );
    // More refunds of somebody who is there are history: the balance stays.
    let more = refund(4, 1, "5", "");
    let _imported = import(&store, &[("r", Format::Ndjson, &more)], false).unwrap();
    assert_eq!(balance(&store, 1).await, 10_000);
    assert_sound(&store);
}

#[tokio::test]
async fn upsert_changes_everything_but_money() {
    let store = SqliteStore::memory().unwrap();
    let lines = [
        refund(1, 1, "1", ""),
        refund(2, 1, "2", ",\"idempotency_key\":\"K\""),
    ]
    .concat();
    let before = file(&[record(1, &[]), record(2, &[])]);
    let files = [
        ("c", Format::Json, before.as_str()),
        ("r", Format::Ndjson, &lines),
    ];
    let _imported = import(&store, &files, false).unwrap();

    let after = file(&[
        record(
            1,
            &[
                ("name", "\"New Name\""),
                ("refundable_balance", "99"),
                ("status", "\"suspended\""),
                ("email", "\"new@example.com\""),
                ("company", "\"Example\""),
            ],
        ),
        record(2, &[]),
        record(3, &[]),
    ]);
    let files = [
        ("c", Format::Json, after.as_str()),
        ("r", Format::Ndjson, &lines),
    ];
    let imported = import(&store, &files, true).unwrap();
    assert_eq!(
        imported.of(Entity::Customers),
        Counts {
            added: 1,
            updated: 1,
            unchanged: 1
        }
    );
    assert_eq!(
        imported.of(Entity::Refunds),
        Counts {
            added: 0,
            updated: 0,
            unchanged: 2
        }
    );
    assert_eq!(imported.balances_left, 1);
    let one = store.customer(id(1)).await.unwrap().unwrap();
    assert_eq!(
        (one.name.as_str(), one.status.as_str()),
        ("New Name", "suspended")
    );
    assert_eq!(one.refundable_balance.minor(), 150);
    assert_sound(&store);

    let files = [
        (
            "c",
            Format::Json,
            &*file(&[
                record(1, &[("currency", "\"EUR\"")]),
                record(2, &[("email", "\"NEW@example.com\"")]),
                record(3, &[]),
                record(3, &[("email", "\"x@example.com\"")]),
            ]),
        ),
        (
            "r",
            Format::Ndjson,
            &lines.replace("\"amount\":2", "\"amount\":3"),
        ),
    ];
    assert_eq!(
        problems(import(&store, &files, true)),
        [
            "c:2: customers[0].currency: the customer has USD already",
            "c:3: customers[1].email: is the one of CUST-00001",
            "c:5: customers[3].customer_id: is the same as in the record at c:4",
            "r:2: refunds[1].refund_id: there is another refund with this id already; refunds are never changed",
        ]
    );
}

#[tokio::test]
async fn one_audit_row_tells_of_an_import_and_each_adjustment_has_its_own() {
    let (place, store) = Place::filled();
    let json = file(&[record(2, &[])]);
    let _imported = import(&store, &[("c", Format::Json, &json)], false).unwrap();
    for by in ["-0.50", "-1000"] {
        let _settled = store.adjust_balance(adjust(2, by)).await.unwrap();
    }
    let raw = place.raw();
    let mut statement = raw
        .prepare("SELECT principal || ' ' || tool || ' ' || outcome || ' ' || trace || ' ' || arguments FROM audit ORDER BY seq")
        .unwrap();
    let rows: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        rows,
        [
            r#"importer import imported [] {"upsert":false,"customers":1}"#,
            r#"local adjust_balance adjusted ["customer.known","currency.exact","balance.in_range"] {"customer_id":"CUST-00002","by":"-0.5","reason_characters":17}"#,
            r#"local adjust_balance BALANCE_BELOW_ZERO ["customer.known","currency.exact","balance.below_zero"] {"customer_id":"CUST-00002","by":"-1000","reason_characters":17}"#,
        ]
    );
    for sql in [
        "UPDATE adjustments SET by_minor = 1",
        "DELETE FROM adjustments",
        "INSERT OR REPLACE INTO adjustments SELECT * FROM adjustments",
        "UPDATE refunds SET import_seq = 1",
    ] {
        let changed = raw.execute(sql, []);
        assert!(matches!(changed, Err(_) | Ok(0)), "{sql}");
    }
}

/// Products, orders and a return, the return before the order that it is of.
const SHOP: &str = r#"{
"returns": [
{"return_id": "ffffffff-0000-4000-8000-000000000001", "order_id": " A\u0000\n,\"1\"", "reason": "Größe", "processed_at": "2026-01-02T03:04:05Z"}
],
"orders": [
{"order_id": " A\u0000\n,\"1\"", "customer_id": "CUST-00001", "sku": "S, 1", "quantity": 3, "unit_price": 1.255, "currency": "KWD", "order_date": "2024-02-29", "billing_status": "paid"},
{"order_id": "B", "customer_id": "CUST-00002", "sku": "S-2", "quantity": 1e6, "unit_price": "0", "currency": "JPY", "order_date": "2026-01-01", "billing_status": "unpaid", "returned": false}
],
"products": [
{"sku": "S, 1", "name": "茶 \"24\"", "model": "M", "category": "飲料", "unit_price": 1.25, "currency": "USD"},
{"sku": "S-2", "name": "=cmd", "category": null}
]}"#;

#[test]
fn products_orders_and_returns_have_their_rules() {
    let mut shop = serde_json::from_str::<serde_json::Value>(SHOP).unwrap();
    let orders = shop["orders"].as_array_mut().unwrap();
    let mut broken = orders[1].clone();
    for (field, value) in [
        ("order_id", "C".into()),
        ("quantity", 0.into()),
        ("order_date", "2023-02-29".into()),
        ("billing_status", "open".into()),
        ("returned", "yes".into()),
    ] {
        broken[field] = value;
    }
    let mut large = orders[1].clone();
    large["order_id"] = "D".into();
    large["unit_price"] = 999_999_999_999_999_i64.into();
    let mut odd = orders[1].clone();
    odd["quantity"] = 1.5.into();
    orders.extend([broken, large, odd]);
    let products = shop["products"].as_array_mut().unwrap();
    products[1]["unit_price"] = 7.into();
    assert_eq!(
        errors(&[("s", Format::Json, &shop.to_string())]),
        [
            "s:1: orders[2].quantity: a quantity is a whole number from 1 to 1000000",
            "s:1: orders[2].order_date: not a day such as 2026-08-11",
            "s:1: orders[2].billing_status: must be paid or unpaid",
            "s:1: orders[2].returned: must be true or false",
            "s:1: orders[3].quantity: the amount is above 999999999999999 minor units",
            "s:1: orders[4].quantity: must be a whole number",
            "s:1: products[1].unit_price: needs the field \"currency\" beside it",
        ]
    );
    assert_eq!(
        errors(&[("s", Format::Json, SHOP)]),
        [
            "s:6: orders[0].customer_id: there is no customer CUST-00001",
            "s:7: orders[1].customer_id: there is no customer CUST-00002",
        ]
    );
    let store = SqliteStore::memory().unwrap();
    let _count = store.import_customers(vec![customer(1, 0, "USD"), customer(2, 0, "JPY")]);
    let _shop = import(&store, &[("s", Format::Json, SHOP)], false).unwrap();
    assert_sound(&store);
    let again = problems(import(&store, &[("s", Format::Json, SHOP)], false));
    assert_eq!(
        again,
        [
            "s:3: returns[0].return_id: there is a return with this id already, in the store or earlier in the import",
            "s:6: orders[0].order_id: there is an order with this id already, in the store or earlier in the import",
            "s:7: orders[1].order_id: there is an order with this id already, in the store or earlier in the import",
            "s:10: products[0].sku: there is a product with this number already, in the store or earlier in the import",
            "s:11: products[1].sku: there is a product with this number already, in the store or earlier in the import",
        ]
    );
    let changed = SHOP
        .replace("unpaid", "paid")
        .replace("=cmd", "plain")
        .replace("\"S-2\", \"name\"", "\"S-2\", \"model\": \"N\", \"name\"");
    let imported = import(&store, &[("s", Format::Json, &changed)], true).unwrap();
    let counts = |added, updated, unchanged| Counts {
        added,
        updated,
        unchanged,
    };
    assert_eq!(imported.of(Entity::Products), counts(0, 1, 1));
    assert_eq!(imported.of(Entity::Orders), counts(0, 1, 1));
    assert_eq!(imported.of(Entity::Returns), counts(0, 0, 1));
    assert_sound(&store);
    let line = |text: &str| text.replace('\n', "");
    let twice = format!(
        "{}\n{}\n{}",
        line(r#"{"entity":"products","sku":"S-2","name":"x"}"#),
        line(r#"{"entity":"products","sku":"S-2","name":"y"}"#),
        line(
            r#"{"entity":"returns","return_id":"00000000-0000-4000-8000-000000000002","order_id":" A\u0000\n,\"1\"","reason":"x","processed_at":"2026-01-02T03:04:05Z"}"#
        ),
    );
    assert_eq!(
        problems(import(&store, &[("t", Format::Ndjson, &twice)], true)),
        [
            "t:2: products[1].sku: came before in this import",
            "t:3: returns[0].order_id: the order was returned already, with return ffffffff-0000-4000-8000-000000000001",
        ]
    );
}

const RETURN: &str = "ffffffff-0000-4000-8000-000000000001";

/// A line of NDJSON with a return of an order.
fn returned(number: u32, order: &str, more: &str) -> String {
    format!(
        "{{\"entity\":\"returns\",\"return_id\":\"00000000-0000-4000-8000-{number:012}\",\"order_id\":\"{order}\",\"reason\":\"it leaks\",\"processed_at\":\"2026-08-11T00:00:00Z\"{more}}}\n"
    )
}

const MESSAGE: &str = r#","notification_to":"c1@example.com","notification_subject":"S","notification_body":"B","notification_sent_at":"2026-08-11T00:00:00Z""#;

/// A line of NDJSON with a conversation.
fn conversation(session: &str, turns: u32, status: &str, more: &str) -> String {
    format!(
        "{{\"entity\":\"escalations\",\"session_id\":\"{session}\",\"turn_count\":{turns},\"status\":\"{status}\"{more}}}\n"
    )
}

/// A line of NDJSON with a turn.
fn turn(session: &str, turn: u32, key: &str, more: &str) -> String {
    let digest = "0a".repeat(32);
    format!(
        "{{\"entity\":\"escalation_turns\",\"session_id\":\"{session}\",\"turn_count\":{turn},\"idempotency_key\":\"{key}\",\"message_sha256\":\"{digest}\",\"counted_at\":\"2026-08-11T00:00:00Z\"{more}}}\n"
    )
}

/// A store with a customer and the orders A-1, A-2 and A-3.
fn shop() -> SqliteStore {
    let store = SqliteStore::memory().unwrap();
    let _count = store.import_customers(vec![customer(1, 10_000, "USD")]);
    let orders = ["A-1", "A-2", "A-3"].map(|id| order(id, 1, OPEN));
    store.import_orders(&orders).unwrap();
    store
}

#[test]
fn returns_and_conversations_have_their_rules() {
    let by = ",\"principal\":\"local\"";
    let text = [
        returned(1, "A-1", ",\"idempotency_key\":\"K\""),
        returned(2, "A-2", &format!("{by},\"notification_to\":\"nobody\"")),
        returned(3, "A-3", &format!("{by},\"notification_body\":\"B\"")),
        returned(4, "A-3", ",\"status\":\"done\""),
        conversation("S", 5, "active", ""),
        conversation("T", 11, "active", ""),
        conversation("U", 1, "open", ""),
        turn("S", 1, "K", "").replace("0a0a", "0A0a"),
        turn("S", 0, "", ""),
    ]
    .concat();
    let message = "needs the message that a retry is answered with: notification_to, notification_subject, notification_body and notification_sent_at";
    assert_eq!(
        errors(&[("r", Format::Ndjson, &text)]),
        [
            "r:1: returns[0].idempotency_key: needs the field \"principal\" beside it".to_owned(),
            format!("r:1: returns[0].idempotency_key: {message}"),
            "r:2: returns[1].notification_to: an e-mail address must be like name@example.com".to_owned(),
            "r:2: returns[1].notification_to: needs the field \"notification_sent_at\" beside it".to_owned(),
            "r:3: returns[2].notification_to: is missing, but other fields of the message are there".to_owned(),
            "r:4: returns[3].status: there is no such field; there are return_id, order_id, reason, processed_at, principal, idempotency_key, notification_to, notification_subject, notification_body, notification_sent_at, notification_delivered_at".to_owned(),
            "r:5: escalations[0].status: must be confirm_close after 5 turns".to_owned(),
            "r:6: escalations[1].turn_count: a conversation has 1 to 10 turns".to_owned(),
            "r:7: escalations[2].status: must be active, confirm_close or force_closed".to_owned(),
            "r:8: escalation_turns[0].message_sha256: must be 64 hexadecimal digits in lower case".to_owned(),
            "r:9: escalation_turns[1].turn_count: a conversation has 1 to 10 turns".to_owned(),
            "r:9: escalation_turns[1].idempotency_key: an idempotency key has 0 characters; at least 1 are needed".to_owned(),
        ]
    );
    let text = [
        returned(1, "unknown", ""),
        turn("S", 2, "K", by),
        turn("T", 1, "L", by),
        conversation("S", 1, "active", by),
        conversation("T", 1, "active", ",\"principal\":\"other\""),
    ]
    .concat();
    assert_eq!(
        errors(&[("r", Format::Ndjson, &text)]),
        [
            "r:1: returns[0].order_id: there is no order unknown",
            "r:2: escalation_turns[0].turn_count: the conversation has had 1 turns",
            "r:3: escalation_turns[1].session_id: the principal has no conversation with this id",
        ]
    );
}

// A key belongs to one call of one tool, wherever that was made.
#[tokio::test]
async fn keys_collide_across_tools() {
    let store = shop();
    let _refund = processed(Ask::new(1, "1").key("refund").of(&store).await);
    let by = ",\"principal\":\"local\"";
    let keyed = |key: &str| format!("{by},\"idempotency_key\":\"{key}\"{MESSAGE}");
    let text = [
        returned(1, "A-1", &keyed("refund")),
        returned(2, "A-2", &keyed("return")),
        returned(3, "A-3", &keyed("return")),
        conversation("S", 3, "active", by),
        conversation("S", 4, "active", by),
        turn("S", 1, "return", by),
        turn("S", 1, "turn", by),
        turn("S", 2, "turn", by),
        turn("S", 1, "another", by),
    ]
    .concat();
    let used =
        |tool: &str| format!("idempotency_key: the principal has used this key for {tool} already");
    assert_eq!(
        problems(import(&store, &[("r", Format::Ndjson, &text)], false)),
        [
            format!("r:1: returns[0].{}", used("trigger_refund")),
            format!("r:3: returns[2].{}", used("process_return")),
            "r:5: escalations[1].session_id: there is a conversation of the principal with this id already, in the store or earlier in the import".to_owned(),
            format!("r:6: escalation_turns[0].{}", used("process_return")),
            format!("r:8: escalation_turns[2].{}", used("escalate_to_human")),
            "r:9: escalation_turns[3].turn_count: this turn of the conversation was counted with another key already".to_owned(),
        ]
    );
    assert_sound(&store);
    assert_eq!(store.check().unwrap().returns, 0);
}

#[tokio::test]
async fn upsert_changes_no_return_and_takes_no_turn_back() {
    let store = shop();
    let by = ",\"principal\":\"local\"";
    let keyed = format!("{by},\"idempotency_key\":\"K\"{MESSAGE}");
    let first = [
        returned(1, "A-1", &keyed),
        // Whoever imports it talks to it.
        conversation("S", 4, "active", ""),
        conversation("T", 4, "active", by),
        turn("S", 2, "K", ""),
    ]
    .concat();
    let _imported = import(&store, &[("r", Format::Ndjson, &first)], false).unwrap();
    let ask = AskTurn::new("S").by("importer");
    let next = given_orders::processed(ask.of(&store).await);
    assert_eq!(next.turn_count.number(), 5);
    let everything = export(&store, Format::Json);

    let again = [
        // What is not told is no difference.
        returned(1, "A-1", by),
        conversation("S", 4, "active", ""),
        conversation("T", 10, "force_closed", by),
        conversation("U", 1, "active", by),
        turn("S", 2, "K", ""),
    ]
    .concat();
    let imported = import(&store, &[("r", Format::Ndjson, &again)], true).unwrap();
    let counts = |added, updated, unchanged| Counts {
        added,
        updated,
        unchanged,
    };
    assert_eq!(imported.of(Entity::Returns), counts(0, 0, 1));
    assert_eq!(imported.of(Entity::Escalations), counts(1, 1, 1));
    assert_eq!(imported.of(Entity::EscalationTurns), counts(0, 0, 1));
    assert_sound(&store);
    let later = export(&store, Format::Json);
    assert!(later.contains(r#"{"session_id":"T","turn_count":10,"status":"force_closed","#));
    assert!(
        everything.contains(r#"{"session_id":"S","turn_count":5,"#)
            && later.contains(r#"{"session_id":"S","turn_count":5,"#)
    );

    let other = [
        returned(1, "A-1", ",\"principal\":\"other\""),
        returned(1, "A-1", &keyed.replace("\"B\"", "\"C\"")),
        returned(2, "A-2", ""),
        returned(2, "A-2", ""),
        turn("S", 3, "K", ""),
        turn("S", 2, "K", ""),
    ]
    .concat();
    assert_eq!(
        problems(import(&store, &[("r", Format::Ndjson, &other)], true)),
        [
            "r:1: returns[0].return_id: there is another return with this id already; returns are never changed",
            "r:2: returns[1].return_id: there is another return with this id already; returns are never changed",
            "r:4: returns[3].return_id: there is a return with this id already, in the store or earlier in the import",
            "r:5: escalation_turns[0].idempotency_key: there is another turn with this key already; turns are never changed",
            "r:6: escalation_turns[1].idempotency_key: came before in this import",
        ]
    );
    assert_eq!(export(&store, Format::Json), later);
}

// The old store sends what still waits there; the new one knows the words for retries, and no more.
#[tokio::test]
async fn no_message_is_sent_from_two_stores() {
    let store = shop().sending_mail();
    let now = Timestamp::parse("2026-08-12T00:00:00Z").unwrap();
    let keyed = AskReturn::new("A-1").key("K").language("ja");
    let accepted = given_orders::processed(keyed.of(&store).await);
    let claimed = store.claim_message(now).await.unwrap().unwrap();
    store.message_delivered(claimed, now).await.unwrap();
    let _waiting = given_orders::processed(AskReturn::new("A-2").of(&store).await);
    assert!(store.message_is_due(now).await.unwrap());

    let text = export(&store, Format::Ndjson);
    assert_eq!(text.matches("notification_delivered_at").count(), 1);
    let copy = SqliteStore::memory().unwrap().sending_mail();
    let _imported = import(&copy, &[("a", Format::Ndjson, &text)], false).unwrap();
    let much_later = Timestamp::parse("2036-08-12T00:00:00Z").unwrap();
    for at in [now, much_later] {
        assert!(!copy.message_is_due(at).await.unwrap());
        assert_eq!(copy.claim_message(at).await.unwrap(), None);
    }
    assert_eq!(given_orders::replayed(keyed.of(&copy).await), accepted);
    for id in ["A-1", "A-2"] {
        let refusal = given_orders::refused(AskReturn::new(id).of(&copy).await);
        assert_eq!(refusal.code(), "RETURN_NOT_ELIGIBLE");
    }
    assert_eq!(export(&copy, Format::Ndjson), text);
    assert_sound(&copy);
    // What is returned from now on is told from here.
    let _new = given_orders::processed(AskReturn::new("A-3").of(&copy).await);
    assert!(copy.message_is_due(now).await.unwrap());
    assert_sound(&copy);
}

/// What an outcome has in common with that of another store: a new return has an id of its own.
fn returns_alike(outcome: Outcome<AcceptedReturn>) -> Outcome<AcceptedReturn> {
    match outcome {
        Outcome::Processed(mut accepted) => {
            accepted.order_return.id = RETURN.parse().unwrap();
            Outcome::Processed(accepted)
        }
        other => other,
    }
}

/// What was asked for of the returns desk.
#[derive(Default)]
struct Asked {
    returns: Vec<AskReturn>,
    turns: Vec<AskTurn>,
}

/// A store with everything that a refund desk can leave in one.
async fn filled(steps: &[(u32, u32, String, Option<String>, bool)]) -> (SqliteStore, Asked) {
    let store = SqliteStore::memory().unwrap();
    let mut odd = suspended(4, 12_345, "CLF");
    odd.name = refund_domain::PersonName::new("Zoë \"Z\", O'Brien; 太郎 🎉").unwrap();
    odd.company = Some(refund_domain::CompanyName::new("=1+1, \"Ltd\"").unwrap());
    let customers = vec![
        customer(1, 900_000, "USD"),
        customer(2, 900_000, "JPY"),
        customer(3, 900_000, "KWD"),
        odd,
    ];
    let _count = store.import_customers(customers).unwrap();
    let _shop = import(&store, &[("shop", Format::Json, SHOP)], false).unwrap();
    let mut asked = Asked::default();
    let orders: Vec<_> = (0..steps.len())
        .map(|index| {
            let date = if index % 5 == 4 { EXPIRED } else { OPEN };
            order(&format!("O-{index}"), 1, date)
        })
        .collect();
    store.import_orders(&orders).unwrap();
    for (index, (number, minor, reason, key, adjusted)) in steps.iter().enumerate() {
        let by = ["local", "p1", "p2"][*minor as usize % 3];
        let mut ask = AskReturn::new(&format!("O-{index}")).by(by).reason(reason);
        let mut turn = AskTurn::new(&format!("chat {}", minor % 2))
            .by(by)
            .message(reason);
        if let Some(key) = key {
            ask = ask.key(&format!("{key}r"));
            turn = turn.key(&format!("{key}t"));
        }
        match minor % 4 {
            0 => {
                let _outcome = ask.of(&store).await;
            }
            1 => {
                let sending = store.clone().sending_mail();
                let _outcome = ask.of(&sending).await;
                let now = Timestamp::parse("2026-08-12T00:00:00Z").unwrap();
                let claimed = sending.claim_message(now).await.unwrap();
                if let Some(claimed) = claimed.filter(|_| *adjusted) {
                    sending.message_delivered(claimed, now).await.unwrap();
                }
            }
            _ => {
                let _outcome = turn.of(&store).await;
            }
        }
        asked.returns.push(ask);
        asked.turns.push(turn);
        let places = [2, 0, 3][*number as usize - 1];
        let amount = rust_decimal::Decimal::new(i64::from(*minor), places).to_string();
        if *adjusted {
            let sign = if minor % 2 == 0 { "" } else { "-" };
            let _settled = store
                .adjust_balance(adjust(*number, &format!("{sign}{amount}")))
                .await
                .unwrap();
            continue;
        }
        let mut ask = Ask::new(*number, &amount)
            .reason(reason)
            .by(&format!("p{}", minor % 3));
        if let Some(key) = key {
            ask = ask.key(key);
        }
        let _outcome = ask.of(&store).await;
    }
    (store, asked)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is in a store, its export makes the same store in each format.
    #[test]
    fn what_goes_out_comes_in_again(
        steps in prop::collection::vec(
            (
                1..=3_u32,
                1..=5_000_u32,
                prop_oneof![
                    "\\PC{10,60}",
                    "[\u{0}-\u{7f}\u{feff}\u{2028}\u{1F600}]{10,40}",
                    "[ab\",;\\n\\r\\\\'=]{10,40}",
                ].prop_filter("long enough when trimmed", |reason| reason.trim().chars().count() >= 10),
                prop::option::of("[!-~]{1,12}"),
                prop::bool::weighted(0.2),
            ),
            0..14,
        )
    ) {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
            let (store, asked) = filled(&steps).await;
            assert_sound(&store);
            let json = export(&store, Format::Json);
            let ndjson = export(&store, Format::Ndjson);
            let tables = Entity::ALL.map(|entity| export(&store, Format::Csv(entity)));
            let tables: Vec<_> = Entity::ALL
                .into_iter()
                .zip(&tables)
                .map(|(entity, text)| (entity.as_str(), Format::Csv(entity), text.as_str()))
                .collect();
            for files in [
                vec![("a.json", Format::Json, json.as_str())],
                vec![("a.ndjson", Format::Ndjson, ndjson.as_str())],
                tables.iter().rev().copied().collect(),
                tables,
            ] {
                let copy = SqliteStore::memory().unwrap();
                let _imported = import(&copy, &files, false).unwrap();
                assert_sound(&copy);
                assert_eq!(export(&copy, Format::Json), json);
                for number in 1..=4 {
                    assert_eq!(copy.customer(id(number)).await.unwrap(), store.customer(id(number)).await.unwrap());
                    let all = refunds(&store, number).await;
                    assert_eq!(refunds(&copy, number).await, all);
                    for refund in all {
                        if let Some(key) = &refund.idempotency_key {
                            let found = copy.refund_by_key(&refund.principal, key).await.unwrap();
                            assert_eq!(found.as_ref(), Some(&refund));
                        }
                    }
                }
                // A second time is no change, and says so.
                let again = import(&copy, &files, true).unwrap();
                assert_eq!(again.of(Entity::Refunds).added + again.of(Entity::Customers).added, 0);
                assert_eq!(again.of(Entity::Customers).unchanged, 4);
                assert_eq!(export(&copy, Format::Json), json);
                assert_sound(&copy);
            }
            // Both stores say the same to whoever asks again, and go on alike.
            let copy = SqliteStore::memory().unwrap();
            let _imported = import(&copy, &[("a.json", Format::Json, &json)], false).unwrap();
            for ask in &asked.returns {
                assert_eq!(returns_alike(ask.of(&copy).await), returns_alike(ask.of(&store).await));
            }
            for ask in &asked.turns {
                assert_eq!(ask.of(&copy).await, ask.of(&store).await);
            }
            assert_sound(&copy);
        });
    }
}

// While somebody else refunds, an export is one moment: it can be imported, and it adds up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_beside_refunds_is_one_moment() {
    let (_place, store) = Place::filled();
    let busy = {
        let store = store.clone();
        tokio::spawn(async move {
            for number in 0..200 {
                let _refund = processed(
                    Ask::new(1, "0.01")
                        .key(&format!("k{number}"))
                        .of(&store)
                        .await,
                );
            }
        })
    };
    loop {
        let last = busy.is_finished();
        let text = export(&store, Format::Ndjson);
        let copy = SqliteStore::memory().unwrap();
        let imported = import(&copy, &[("a", Format::Ndjson, &text)], false).unwrap();
        let refunds = i64::try_from(imported.of(Entity::Refunds).added).unwrap();
        assert_eq!(balance(&copy, 1).await, 10_000 - refunds);
        assert_sound(&copy);
        if last {
            break;
        }
    }
    busy.await.unwrap();
    let found = store
        .refund_by_key(&principal("local"), &key("k199"))
        .await
        .unwrap();
    assert!(found.is_some());
}

// An import waits for the lock as refunds do, and refunds wait for it.
#[test]
fn what_cannot_be_read_imports_nothing() {
    struct Broken(usize, Format);
    impl std::io::Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            if self.0 > 1 {
                return Err(std::io::Error::other("the disk is gone"));
            }
            let text = match self.1 {
                Format::Csv(_) => {
                    "customer_id,name,email,status,currency,refundable_balance,created_at\nCUST"
                        .to_owned()
                }
                _ => file(&[record(1, &[])]),
            };
            let part = &text.as_bytes()[..text.len() - 2];
            buffer[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }
    let store = SqliteStore::memory().unwrap();
    let caller = Caller::new(principal("local"), Role::Agent);
    let at = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    for format in [Format::Json, Format::Ndjson, CSV_CUSTOMERS] {
        let input = Input::new("broken", format, Broken(0, format));
        let result = store.import(vec![input], false, &caller, at);
        assert!(
            matches!(&result, Err(ImportError::Read { file, .. }) if &**file == "broken"),
            "{result:?}"
        );
    }
    assert_eq!(store.check().unwrap().customers, 0);
    let mut text = String::new();
    let _written = write!(
        text,
        "{:?}",
        Input::new("a", Format::Json, Broken(0, Format::Json))
    );
    assert!(text.contains("\"a\""));
    assert!(Input::spooled("a", Format::Json, Broken(0, Format::Json)).is_err());
}
