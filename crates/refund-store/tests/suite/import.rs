//! Data files: everything that is wrong, at once, with its place.

use refund_domain::ports::CustomerReader;
use refund_store::contract::given::{customer, id};
use refund_store::import::read_customers;
use refund_store::{ImportError, SqliteStore};

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

fn errors(json: &str) -> Vec<String> {
    match read_customers("c.json", json) {
        Ok(records) => panic!("{} records were read", records.len()),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

// Cases R-011, R-013, R-023.
#[test]
fn money_is_exact_in_its_currency() {
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
        let read = read_customers("c.json", &file(&[record])).unwrap();
        assert_eq!(
            read[0].customer.refundable_balance.minor(),
            minor,
            "{amount}"
        );
    }
    for cents in 1..=10_000 {
        let amount = format!("{}.{:02}", cents / 100, cents % 100);
        let record = record(1, &[("refundable_balance", &amount)]);
        let read = read_customers("c.json", &file(&[record])).unwrap();
        assert_eq!(
            read[0].customer.refundable_balance.minor(),
            cents,
            "{amount}"
        );
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
        ("USD", "1e400", "must be a number"),
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
        let errors = errors(&file(&[record]));
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
        record(
            1,
            &[("email", "\"C1@Example.com\""), ("external_id", "\"E\"")],
        ),
        record(6, &[("external_id", "\"E\""), ("company", "\"\"")]),
        r#"{"name": "A", "name": "B"}"#.to_owned(),
    ]);
    assert_eq!(
        errors(&json),
        [
            "c.json:3: customers[1].nickname: there is no such field; there are customer_id, name, email, status, currency, refundable_balance, created_at, external_id, phone_number, company, language",
            "c.json:3: customers[1].name: is missing",
            "c.json:3: customers[1].email: must be a string",
            "c.json:4: customers[2]: must be an object",
            "c.json:5: customers[3].status: must be active or suspended",
            "c.json:5: customers[3].created_at: not an RFC 3339 time such as 2024-01-15T09:30:00Z",
            "c.json:6: customers[4].customer_id: is the same as in the record on line 2",
            "c.json:6: customers[4].email: is the same as in the record on line 2",
            "c.json:7: customers[5].company: a company has 0 characters; at least 1 are needed",
            "c.json:7: customers[5].external_id: is the same as in the record on line 6",
            "c.json:8: customers[6].name: the key is given twice",
            "c.json:8: customers[6].customer_id: is missing",
            "c.json:8: customers[6].email: is missing",
            "c.json:8: customers[6].status: is missing",
            "c.json:8: customers[6].currency: is missing",
            "c.json:8: customers[6].refundable_balance: is missing",
            "c.json:8: customers[6].created_at: is missing",
        ]
    );
}

#[test]
fn a_file_of_another_shape() {
    for (json, text) in [
        ("", "c.json:1: not a data file"),
        ("{\n\"customers\": [1,\n}", "c.json:3: not a data file"),
        ("[]", "c.json:1: not a data file"),
        ("{\"customers\": []} x", "c.json:1: not a data file"),
        (
            "{\n\"refunds\": []}",
            "c.json:2: \"refunds\" is not an entity that can be imported",
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
        let errors = errors(json);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].starts_with(text), "{errors:?}");
    }
    assert_eq!(read_customers("c.json", "{}"), Ok(vec![]));
    assert_eq!(
        read_customers("c.json", "\u{feff}{\"customers\": []}"),
        Ok(vec![])
    );
    let deep = format!("{{\"customers\": {}", "[".repeat(100_000));
    assert_eq!(errors(&deep).len(), 1);
}

#[tokio::test]
async fn an_import_is_all_or_nothing() {
    let store = SqliteStore::memory().unwrap();
    let first = [record(1, &[("external_id", "\"E-1\"")])];
    let records = read_customers("a.json", &file(&first)).unwrap();
    assert_eq!(store.import_customers(records).unwrap(), 1);

    let second = [
        record(2, &[]),
        record(1, &[("email", "\"other@example.com\"")]),
        record(3, &[("email", "\"C1@EXAMPLE.com\"")]),
        record(4, &[("external_id", "\"E-1\"")]),
    ];
    let records = read_customers("b.json", &file(&second)).unwrap();
    let error = store.import_customers(records).unwrap_err();
    assert_eq!(
        error.to_string(),
        "nothing was imported: \
         b.json:3: customer CUST-00001: there is a customer with this id already; \
         b.json:4: customer CUST-00003: its email is the one of CUST-00001; \
         b.json:5: customer CUST-00004: its external_id is the one of CUST-00001"
    );
    assert_eq!(store.customer(id(2)).await.unwrap(), None);

    // Two records of one call can collide as well.
    let twice = vec![customer(5, 1, "USD").into(), customer(5, 1, "USD").into()];
    let error = store.import_customers(twice).unwrap_err();
    assert!(matches!(error, ImportError::Conflicts(conflicts) if conflicts[0].index == 1));
    assert_eq!(store.customer(id(5)).await.unwrap(), None);
}
