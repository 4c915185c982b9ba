//! The toolset `warranty` over the wire.

mod identities;
mod people;
mod policy;
mod projections;
mod promises;
mod surface;
mod table;

use std::path::PathBuf;

use refund_domain::{Caller, Principal, Role, Timestamp};
use refund_store::SqliteStore;
use refund_store::transfer::{Format, Input};
use serde_json::{Value, json};

use crate::client::{Client, Start};

/// The day that the demonstration data is about.
const TODAY: &str = "2026-03-01";

/// Every tool, sorted by name.
const TOOLS: [&str; 7] = [
    "check_warranty_coverage",
    "find_customer",
    "find_device",
    "get_fee_quote",
    "get_open_returns_for_device",
    "resolve_shipping_address",
    "search_devices",
];

/// The serial numbers of the demonstration data.
const UNITS: [&str; 14] = [
    "AX2-0001-0001",
    "AX2-0001-0002",
    "AX2-0001-0003",
    "AX2-0001-0004",
    "AX2-0001-0005",
    "AX4-0002-0001",
    "AX4-0002-0002",
    "AX4-0002-0003",
    "BX1-0003-0001",
    "BX1-0003-0002",
    "CBL-0005-0001",
    "CBL-0005-0002",
    "CR1-0004-0001",
    "CR1-0004-0002",
];

/// A server with the demonstration data and these tools alone.
fn demo() -> Start {
    Start::memory()
        .argument("--toolsets=warranty")
        .argument("--demo=warranty")
}

/// Data of a test's own, in a file.
struct Depot {
    directory: tempfile::TempDir,
}

impl Depot {
    /// From a document as `refund-mcp import` reads it.
    fn new(document: &Value) -> Self {
        let depot = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        let store = SqliteStore::open(&depot.path()).unwrap();
        let caller = Caller::new(Principal::new("depot").unwrap(), Role::Agent);
        let text = std::io::Cursor::new(document.to_string());
        let input = Input::new("depot.json", Format::Json, text);
        let at = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
        store.import(vec![input], false, &caller, at).unwrap();
        depot
    }

    /// Units of one product with nothing but serial numbers.
    fn of_serials(serials: &[&str]) -> Self {
        let devices: Vec<Value> = serials
            .iter()
            .map(|serial| json!({ "serial_number": serial, "sku": "AX-200-HS" }))
            .collect();
        Self::new(&json!({ "products": [handheld()], "devices": devices }))
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("depot.db")
    }

    fn start(&self) -> Start {
        Start::file(&self.path()).argument("--toolsets=warranty")
    }

    fn connect(&self) -> Client {
        self.start().connect()
    }
}

fn handheld() -> Value {
    json!({ "sku": "AX-200-HS", "name": "AX-200 Handheld Terminal", "model": "AX-200" })
}

fn warranty(serial: &str, tier: &str, start: &str, end: &str) -> Value {
    json!({
        "serial_number": serial, "plan_name": format!("{tier} plan"), "tier": tier,
        "start_date": start, "end_date": end,
    })
}

fn customer(id: &str, name: &str, email: &str) -> Value {
    json!({
        "customer_id": id, "name": name, "email": email, "status": "active", "currency": "USD",
        "refundable_balance": 0, "created_at": "2026-01-01T00:00:00Z",
    })
}

/// Coverage of a unit on the day of the demonstration.
fn coverage(client: &mut Client, identifier: &str, problem: &str) -> Value {
    let mut arguments = json!({ "identifier": identifier, "today": TODAY });
    if !problem.is_empty() {
        arguments["problemDescription"] = json!(problem);
    }
    client.call("check_warranty_coverage", &arguments)
}

/// Outcome and reason of an answer about coverage.
fn verdict(answer: &Value) -> String {
    let word = |key: &str| answer[key].as_str().unwrap().to_owned();
    format!("{}/{}", word("eligibility"), word("reason"))
}

/// The quote of a unit on the day of the demonstration.
fn quote(client: &mut Client, identifier: &str) -> Value {
    let arguments = json!({ "identifier": identifier, "today": TODAY });
    client.call("get_fee_quote", &arguments)
}

/// What `find_device` says of an identifier.
fn find(client: &mut Client, identifier: &str) -> Value {
    client.call("find_device", &json!({ "identifier": identifier }))
}

/// The serial numbers that an answer suggests.
fn suggested(answer: &Value) -> Vec<&str> {
    let suggestions = answer["suggestions"].as_array().unwrap().iter();
    suggestions
        .map(|one| one["serialNumber"].as_str().unwrap())
        .collect()
}

/// A call of each tool that gives a result with the demonstration data.
fn one_call_each() -> [(&'static str, Value); 7] {
    let unit = json!({ "identifier": "AX2-0001-0001", "today": TODAY });
    [
        ("check_warranty_coverage", unit.clone()),
        (
            "find_customer",
            json!({ "externalCustomerId": "EXT-10001" }),
        ),
        ("find_device", unit.clone()),
        ("get_fee_quote", unit),
        (
            "get_open_returns_for_device",
            json!({ "deviceId": "AX2-0001-0002" }),
        ),
        (
            "resolve_shipping_address",
            json!({ "customerId": "CUST-00009", "freeTextAddress": "US" }),
        ),
        ("search_devices", json!({ "sku": "AX-200-HS" })),
    ]
}
