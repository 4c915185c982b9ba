//! The warranty desk's data in SQLite: in and out, kept searchable by every path, proven, and as fast
//! with many units as with few.

use std::fmt::Write as _;
use std::io::Cursor;
use std::sync::Arc;

use refund_domain::warranty::{
    AddressReader, CustomerSearch, DeviceCriteria, DeviceReader, NormalForm, Phrase, ProductField,
    ProductSearch, Score, TextProbe, WarrantyDesk, WarrantyPolicy, score,
};
use refund_domain::{Caller, Role, Timestamp};
use refund_store::contract::given::{id, principal};
use refund_store::contract::given_units::{Generator, World, criterion, date, identifier, product};
use refund_store::transfer::{Entity, Format, ImportError, Imported, Input};
use refund_store::{DemoData, SqliteStore};

use crate::support::{Place, assert_sound, tamper};

fn import_as(
    store: &SqliteStore,
    files: &[(&str, Format, &str)],
    upsert: bool,
) -> Result<Imported, ImportError> {
    let inputs = files.iter().map(|(name, format, text)| {
        Input::new(name, *format, Cursor::new(text.as_bytes().to_owned()))
    });
    let caller = Caller {
        principal: principal("importer"),
        role: Role::Agent,
        customer: None,
    };
    let at = Timestamp::parse("2026-02-03T04:05:06Z").unwrap();
    store.import(inputs.collect(), upsert, &caller, at)
}

fn import(store: &SqliteStore, text: &str, upsert: bool) -> Result<Imported, ImportError> {
    import_as(store, &[("data.json", Format::Json, text)], upsert)
}

fn problems(result: Result<Imported, ImportError>) -> Vec<String> {
    match result {
        Err(ImportError::Rejected { errors, .. }) => {
            errors.iter().map(ToString::to_string).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn export(store: &SqliteStore, format: Format) -> String {
    let mut out = Vec::new();
    let _count = store.export(&Entity::ALL, format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn demo() -> SqliteStore {
    let store = SqliteStore::memory().unwrap();
    import(&store, DemoData::Warranty.json(), false).unwrap();
    store
}

/// *Invariant:* an export that is imported into an empty store makes the same store, in each format.
#[test]
fn what_goes_out_comes_in_again() {
    let store = demo();
    // What a table could lose: blanks at the ends, zeros, quotes, line-like text, and absent fields.
    let more = r#"{
        "products": [{"sku": "Q", "name": "Quoted, \"twice\""}],
        "devices": [
            {"serial_number": " 007 ", "sku": "Q"},
            {"serial_number": "7", "sku": "Q", "asset_tag": "a,\"b\"", "hardware_revision": "B",
             "firmware_version": "1.0"}
        ],
        "warranties": [
            {"serial_number": " 007 ", "plan_name": "P", "tier": "gold", "start_date": "2024-02-29",
             "end_date": "2024-02-29", "active": false},
            {"serial_number": " 007 ", "plan_name": "P", "tier": "gold", "start_date": "2024-03-01",
             "end_date": "9999-12-31"}
        ],
        "open_returns": [{"rma_number": "007", "serial_number": " 007 ", "status": "awaiting, parts",
             "created_at": "2026-01-01T00:00:00.001Z"}]
    }"#;
    let imported = import(&store, more, false).unwrap();
    assert_eq!(imported.of(Entity::Devices).added, 2);
    assert_eq!(imported.of(Entity::Warranties).added, 2);
    assert_sound(&store);
    let everything = export(&store, Format::Json);
    for format in [Format::Json, Format::Ndjson] {
        let copy = SqliteStore::memory().unwrap();
        let text = export(&store, format);
        import_as(&copy, &[("all", format, &text)], false).unwrap();
        assert_eq!(export(&copy, Format::Json), everything);
        assert_sound(&copy);
        // Once more, nothing changes.
        let again = import_as(&copy, &[("all", format, &text)], true).unwrap();
        for entity in Entity::ALL {
            let counts = again.of(entity);
            assert_eq!((counts.added, counts.updated), (0, 0), "{entity}");
        }
        assert_eq!(export(&copy, Format::Json), everything);
    }
    // Tables, those first that point at what is not there yet.
    let copy = SqliteStore::memory().unwrap();
    let tables: Vec<_> = Entity::ALL
        .into_iter()
        .rev()
        .map(|entity| (entity, export(&store, Format::Csv(entity))))
        .collect();
    let files: Vec<_> = tables
        .iter()
        .map(|(entity, text)| (entity.as_str(), Format::Csv(*entity), text.as_str()))
        .collect();
    import_as(&copy, &files, false).unwrap();
    assert_eq!(export(&copy, Format::Json), everything);
    assert_sound(&copy);
}

#[test]
fn every_problem_has_its_place() {
    let records = [
        r#"{"entity": "devices", "serial_number": "--", "sku": "AX-200-HS"}"#,
        r#"{"entity": "devices", "serial_number": "N1", "sku": "AX-200-HS", "imei": "12", "mac_address": "XX", "shipped_on": "2026-2-1", "colour": "red"}"#,
        r#"{"entity": "devices", "serial_number": "AX2-0001-0001", "sku": "AX-200-HS"}"#,
        r#"{"entity": "devices", "serial_number": 12345, "sku": "AX-200-HS"}"#,
        r#"{"entity": "warranties", "serial_number": "AX2-0001-0001", "plan_name": "P", "tier": "Gold", "start_date": "2026-01-01", "end_date": "2026-02-30"}"#,
        r#"{"entity": "warranties", "serial_number": "AX2-0001-0001", "plan_name": "P", "tier": "gold", "start_date": "2026-01-02", "end_date": "2026-01-01"}"#,
        r#"{"entity": "warranties", "serial_number": "AX2-0001-0001", "plan_name": "Standard Warranty", "tier": "standard", "start_date": "2024-03-01", "end_date": "2026-01-01"}"#,
        r#"{"entity": "open_returns", "rma_number": "RMA-2026-00001", "serial_number": "AX2-0001-0002", "status": "open", "created_at": "2026-02-20T09:00:00Z"}"#,
        r#"{"entity": "addresses", "customer_id": "CUST-00009", "line1": "12 Oak Street", "city": "Springfield", "state_or_province": "IL", "postal_code": "62704", "country_code": "US"}"#,
        r#"{"entity": "addresses", "customer_id": "CUST-00009", "line1": "1 New Street", "city": "Springfield", "postal_code": "62704", "country_code": "us"}"#,
        r#"{"entity": "addresses", "customer_id": "CUST-00009", "line1": "1 New Street", "city": "Springfield", "postal_code": "62704", "country_code": "US", "is_default": true}"#,
    ];
    let store = demo();
    let before = export(&store, Format::Json);
    let found = problems(import_as(
        &store,
        &[("d.ndjson", Format::Ndjson, &records.join("\n"))],
        false,
    ));
    let known = "already, in the store or earlier in the import";
    let expected = [
        "d.ndjson:1: devices[0].serial_number: a serial number must have a letter or a digit".to_owned(),
        "d.ndjson:2: devices[1].colour: there is no such field; there are serial_number, sku, customer_id, mac_address, imei, asset_tag, shipped_on, hardware_revision, firmware_version".to_owned(),
        "d.ndjson:2: devices[1].mac_address: a MAC address must have 12 or 16 hexadecimal digits".to_owned(),
        "d.ndjson:2: devices[1].imei: an IMEI must have 14 to 16 digits".to_owned(),
        "d.ndjson:2: devices[1].shipped_on: not a day such as 2026-08-11".to_owned(),
        format!("d.ndjson:3: devices[2].serial_number: there is a device with this serial number {known}"),
        "d.ndjson:4: devices[3].serial_number: must be a string".to_owned(),
        "d.ndjson:5: warranties[0].tier: a tier must consist of a-z, 0-9 and -".to_owned(),
        "d.ndjson:5: warranties[0].end_date: not a day such as 2026-08-11".to_owned(),
        "d.ndjson:6: warranties[1].end_date: a warranty cannot end before it starts".to_owned(),
        format!("d.ndjson:7: warranties[2].start_date: there is a warranty of the device with this plan, tier and first day {known}"),
        format!("d.ndjson:8: open_returns[0].rma_number: there is an open return with this number {known}"),
        format!("d.ndjson:9: addresses[0].line1: there is this address of the customer {known}"),
        "d.ndjson:10: addresses[1].country_code: a country must be two capitals such as US".to_owned(),
        format!("d.ndjson:11: addresses[2].is_default: there is a default address of the customer {known}"),
    ];
    assert_eq!(found, expected);
    // What points at nothing is told when everything else is right.
    let dangling = [
        r#"{"entity": "devices", "serial_number": "N1", "sku": "NONE", "customer_id": "CUST-00077"}"#,
        r#"{"entity": "warranties", "serial_number": "N2", "plan_name": "P", "tier": "gold", "start_date": "2026-01-01", "end_date": "2026-01-01"}"#,
        r#"{"entity": "open_returns", "rma_number": "R", "serial_number": "ax2-0001-0001", "status": "open", "created_at": "2026-02-20T09:00:00Z"}"#,
        r#"{"entity": "addresses", "customer_id": "CUST-00078", "line1": "x", "city": "y", "postal_code": "z", "country_code": "US"}"#,
    ];
    let mut found = problems(import_as(
        &store,
        &[("d.ndjson", Format::Ndjson, &dangling.join("\n"))],
        false,
    ));
    found.sort();
    assert_eq!(
        found,
        [
            "d.ndjson:1: devices[0].customer_id: there is no customer CUST-00077",
            "d.ndjson:1: devices[0].sku: there is no product NONE",
            "d.ndjson:2: warranties[0].serial_number: there is no device with this serial number",
            "d.ndjson:3: open_returns[0].serial_number: there is no device with this serial number",
            "d.ndjson:4: addresses[0].customer_id: there is no customer CUST-00078",
        ]
    );
    assert_eq!(export(&store, Format::Json), before);
}

/// *Invariant:* whatever an update changes is found by what it is now, and not by what it was.
#[tokio::test]
async fn an_update_keeps_everything_searchable() {
    let store = demo();
    let changed = DemoData::Warranty
        .json()
        .replace("Harriet Smyth", "Henrietta Smythe")
        .replace("+1-202-555-0101", "+1-202-555-0199")
        .replace("AX-400 Rugged Terminal", "AX-400 Armoured Tablet")
        .replace("A4C1F2E30001", "A4C1F2E3FFFF")
        .replace("\"Main\"", "\"Home\"");
    let imported = import(&store, &changed, true).unwrap();
    for (entity, updated) in [
        (Entity::Customers, 1),
        (Entity::Products, 1),
        (Entity::Devices, 1),
        (Entity::Addresses, 8),
        (Entity::Warranties, 0),
        (Entity::OpenReturns, 0),
    ] {
        assert_eq!(imported.of(entity).updated, updated, "{entity}");
        assert_eq!(imported.of(entity).added, 0, "{entity}");
    }
    let reader = store.reader();
    for (asked, count) in [("henrietta", 1), ("harriet", 0), ("smythe", 2)] {
        let probe = TextProbe::of(asked).unwrap();
        let found = reader.customers_named(&probe, 9).await.unwrap();
        assert_eq!(found.len(), count, "{asked}");
    }
    for (asked, count) in [("armoured", 1), ("rugged", 0)] {
        let probe = TextProbe::of(asked).unwrap();
        for field in [ProductField::Name, ProductField::Model] {
            let found = reader.products_like(field, &probe, 9).await.unwrap();
            assert_eq!(found.len(), count, "{asked}");
        }
    }
    for (asked, count) in [("a4c1f2e3ffff", 1), ("a4c1f2e30001", 0)] {
        let form = NormalForm::of(asked).unwrap();
        let found = reader.units_identified(&form, 9).await.unwrap();
        assert_eq!(found.len(), count, "{asked}");
    }
    assert_sound(&store);
    // A warranty that is revoked or extended stays the same one; a return stays with its unit.
    let moved = r#"{
        "warranties": [
            {"serial_number": "AX2-0001-0001", "plan_name": "Standard Warranty", "tier": "standard",
             "start_date": "2024-03-01", "end_date": "2030-01-01", "active": false}
        ],
        "open_returns": [{"rma_number": "RMA-2026-00001", "serial_number": "AX2-0001-0002",
            "status": "received", "created_at": "2026-02-20T09:00:00Z"}]
    }"#;
    let imported = import(&store, moved, true).unwrap();
    assert_eq!(imported.of(Entity::Warranties).updated, 1);
    assert_eq!(imported.of(Entity::OpenReturns).updated, 1);
    let form = NormalForm::of("AX2-0001-0001").unwrap();
    let unit = reader.units_identified(&form, 1).await.unwrap().remove(0);
    assert_eq!(unit.warranties.len(), 1);
    assert_eq!(unit.warranties[0].period.end(), date("2030-01-01"));
    assert!(!unit.warranties[0].active);
    let elsewhere = moved.replace("AX2-0001-0002", "AX2-0001-0003");
    assert_eq!(
        problems(import(&store, &elsewhere, true)),
        ["data.json:6: open_returns[0].serial_number: the return is of another device already"]
    );
    assert_sound(&store);
}

#[tokio::test]
async fn a_new_default_takes_the_place_of_the_old_one() {
    let store = demo();
    let address = |line: &str, default: bool| {
        format!(
            r#"{{"customer_id": "CUST-00009", "label": "Main", "line1": "{line}", "city": "Springfield", "state_or_province": "IL", "postal_code": "62704", "country_code": "US", "is_default": {default}}}"#
        )
    };
    let file = |records: &[String]| format!("{{\"addresses\": [\n{}\n]}}", records.join(",\n"));
    let new = file(&[address("1 New Street", true)]);
    let imported = import(&store, &new, true).unwrap();
    assert_eq!(imported.of(Entity::Addresses).added, 1);
    let addresses = store.reader().addresses_of(id(9)).await.unwrap().unwrap();
    let shown: Vec<_> = addresses
        .iter()
        .map(|address| (address.line1.as_str(), address.is_default))
        .collect();
    assert_eq!(
        shown,
        [
            ("12 Oak Street", false),
            ("400 Market Street", false),
            ("1 New Street", true)
        ]
    );
    // Back again, in whatever order; two of one import are one too many, and so is one twice.
    let back = file(&[
        address("12 Oak Street", true),
        address("1 New Street", false),
    ]);
    import(&store, &back, true).unwrap();
    let both = file(&[
        address("12 Oak Street", true),
        address("1 New Street", true),
    ]);
    assert_eq!(
        problems(import(&store, &both, true)),
        [
            "data.json:3: addresses[1].is_default: there is a default address of the customer already, in the store or earlier in the import"
        ]
    );
    let twice = file(&[
        address("2 New Street", false),
        address("2 New Street", false),
    ]);
    for upsert in [false, true] {
        let found = problems(import(&store, &twice, upsert));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("data.json:3: addresses[1].line1: "));
    }
    assert_sound(&store);
}

// Keys that say something else than the rows, and rows that point at nothing.
#[test]
fn every_kind_of_tampering_is_found() {
    for (sql, finding) in [
        (
            "UPDATE device_identifiers SET form = 'AX200010009' WHERE kind = 'serial' AND serial_number = 'AX2-0001-0001'",
            "device AX2-0001-0001: its identifiers are not indexed as they are written",
        ),
        (
            "UPDATE device_identifiers SET look_alike_key = 'X' WHERE kind = 'mac' AND serial_number = 'AX2-0001-0001'",
            "device AX2-0001-0001: its identifiers are not indexed",
        ),
        (
            "DELETE FROM device_identifiers WHERE kind = 'imei' AND serial_number = 'AX2-0001-0001'",
            "device AX2-0001-0001: its identifiers are not indexed",
        ),
        (
            "INSERT INTO device_identifiers VALUES ('AX2-0001-0001', 'asset_tag', 'X', 'X')",
            "device AX2-0001-0001: its identifiers are not indexed",
        ),
        (
            "DELETE FROM devices WHERE serial_number = 'AX2-0001-0002'",
            "open return RMA-2026-00001: there is no device AX2-0001-0002",
        ),
        (
            "DELETE FROM devices WHERE serial_number = 'AX2-0001-0002'",
            "a warranty of device AX2-0001-0002: there is no such device",
        ),
        (
            "DELETE FROM devices WHERE serial_number = 'AX2-0001-0002'",
            "an identifier of device AX2-0001-0002: there is no such device",
        ),
        (
            "UPDATE devices SET sku = 'NONE' WHERE serial_number = 'AX2-0001-0002'",
            "device AX2-0001-0002: there is no product NONE",
        ),
        (
            "UPDATE devices SET customer_id = 'CUST-77777' WHERE serial_number = 'AX2-0001-0002'",
            "device AX2-0001-0002: there is no customer CUST-77777",
        ),
        (
            "UPDATE addresses SET customer_id = 'CUST-77777' WHERE seq = 1",
            "an address of customer CUST-77777: there is no such customer",
        ),
        (
            "DROP INDEX addresses_default; UPDATE addresses SET is_default = 1 WHERE customer_id = 'CUST-00009'",
            "customer CUST-00009: it has 2 default addresses",
        ),
        (
            "UPDATE customers SET name_squashed = 'x' WHERE number = 9",
            "customer CUST-00009: the keys of its name and telephone number are not theirs",
        ),
        (
            "UPDATE customers SET phone_key = NULL WHERE number = 9",
            "customer CUST-00009: the keys of its name and telephone number are not theirs",
        ),
        (
            "UPDATE customers SET name = 'Somebody Else' WHERE number = 9",
            "customer CUST-00009: it is not found by a word of its name",
        ),
        (
            "INSERT INTO customer_keys VALUES ('zebra', 9)",
            "customer CUST-00009: it is found by a word that its name has not",
        ),
        (
            "UPDATE product_texts SET squashed = 'x' WHERE field = 'model' AND sku = 'AX-200-HS'",
            "product AX-200-HS: its squashed texts are not those of its texts",
        ),
        (
            "DELETE FROM product_keys WHERE field = 'sku' AND key = 'ax' AND sku = 'AX-200-HS'",
            "product AX-200-HS: it is not found by a word of its number",
        ),
        (
            "UPDATE products SET model = 'Other' WHERE sku = 'AX-200-HS'",
            "product AX-200-HS: it is not found by a word of its model",
        ),
        (
            "UPDATE products SET name = 'Other' WHERE sku = 'AX-200-HS'",
            "product AX-200-HS: it is not found by a word of its name",
        ),
        (
            "INSERT INTO product_keys VALUES ('name', 'zebra', 'AX-200-HS')",
            "product AX-200-HS: it is found by a word that it has not",
        ),
        (
            "UPDATE warranties SET end_date = '2026-02-30' WHERE serial_number = 'AX2-0001-0001'",
            "row AX2-0001-0001 of table warranties cannot be true",
        ),
        (
            "UPDATE devices SET imei = '123' WHERE serial_number = 'AX2-0001-0001'",
            "row AX2-0001-0001 of table devices cannot be true",
        ),
        (
            "UPDATE addresses SET country_code = 'xx' WHERE seq = 1",
            "row CUST-00009 of table addresses cannot be true",
        ),
        (
            "UPDATE open_returns SET status = ''",
            "row RMA-2026-00001 of table open_returns cannot be true",
        ),
    ] {
        let place = Place::new();
        let store = SqliteStore::open(&place.path).unwrap();
        DemoData::Warranty.import_into(&store).unwrap();
        assert_sound(&store);
        tamper(&place.raw(), sql);
        let findings = store.check().unwrap().findings;
        assert!(
            findings.iter().any(|line| line.contains(finding)),
            "{sql}\n{findings:#?}"
        );
    }
}

/// *Invariant:* in a large table too, a search answers as a full scan by the scorer does.
/// `REFUND_FULL=1` asks more.
#[tokio::test]
async fn among_a_hundred_thousand_units_a_search_answers_as_a_scan_does() {
    const PRODUCTS: usize = 2_000;
    const UNITS: usize = 100_000;
    let full = std::env::var_os("REFUND_FULL").is_some_and(|value| value == "1");
    let mut generator = Generator::new(17);
    let products: Vec<_> = (0..PRODUCTS)
        .map(|number| {
            let letters = generator.text("ABCDEFGH", 3);
            let name = format!("{} {letters}{}", generator.words(), number % 500);
            product(&format!("{letters}-{number:04}"), &name, None)
        })
        .collect();
    let store = SqliteStore::memory().unwrap();
    let world = World {
        products: products.clone(),
        ..World::default()
    };
    import(&store, &world.json(), false).unwrap();
    let mut serials = Vec::with_capacity(UNITS);
    let mut units = String::from("serial_number,sku\n");
    for number in 0..UNITS {
        let serial = format!("{}-{number:06}", generator.text("0123456789ABCDEF", 8));
        let sku = products[number % PRODUCTS].sku.as_str();
        writeln!(units, "{serial},{sku}").unwrap();
        serials.push(serial);
    }
    let devices = Format::Csv(Entity::Devices);
    import_as(&store, &[("devices.csv", devices, &units)], false).unwrap();

    let phrases: Vec<_> = products
        .iter()
        .map(|product| Phrase::of(product.name.as_str()))
        .collect();
    let desk = WarrantyDesk::new(store.reader(), Arc::new(WarrantyPolicy::default()));
    let mut fitted = 0;
    for _ in 0..if full { 500 } else { 40 } {
        let asked = match generator.below(3) {
            0 => generator.words(),
            1 => generator.one_of(&products).name.as_str().to_owned(),
            _ => {
                // A name with a letter changed.
                let name = generator.one_of(&products).name.as_str();
                let mut letters: Vec<char> = name.chars().collect();
                let place = generator.below(letters.len());
                letters[place] = 'q';
                letters.into_iter().collect()
            }
        };
        let query = Phrase::of(&asked);
        let scores: Vec<Score> = phrases.iter().map(|text| score(&query, text)).collect();
        let mut scanned: Vec<(Score, &str, &str)> = (0..UNITS)
            .zip(&serials)
            .map(|(number, serial)| {
                let product = number % PRODUCTS;
                let sku = products[product].sku.as_str();
                (scores[product], sku, serial.as_str())
            })
            .filter(|(score, ..)| *score >= Score::DEVICE_THRESHOLD)
            .collect();
        scanned.sort_by_key(|(score, sku, serial)| (std::cmp::Reverse(*score), *sku, *serial));
        let criteria = DeviceCriteria {
            product_name: criterion(&asked),
            ..DeviceCriteria::default()
        };
        let answer = desk.search_devices(&criteria, 25).await.unwrap();
        assert_eq!(answer.refusal, None, "{asked}");
        assert_eq!(answer.matches, scanned.len() as u64, "{asked}");
        let found: Vec<_> = answer
            .units
            .iter()
            .map(|(unit, score)| {
                (
                    *score,
                    unit.product.sku.as_str(),
                    unit.device.serial.as_str(),
                )
            })
            .collect();
        assert_eq!(found, scanned[..scanned.len().min(25)], "{asked}");
        fitted += scanned.len();
    }
    assert!(fitted > 1_000, "{fitted}");

    // One wrong character in a serial number: that unit, and no other, is found.
    for _ in 0..100 {
        let serial = generator.one_of(&serials);
        let mut letters: Vec<char> = serial.chars().collect();
        // Among the random ones: the number at the end has neighbours.
        let place = generator.below(8);
        letters[place] = 'X';
        let asked: String = letters.into_iter().collect();
        let (asked_for, today) = (identifier(&asked), date("2026-03-01"));
        let found = desk.find_device(&asked_for, today, false).await.unwrap();
        assert!(found.requires_confirmation(), "{asked}");
        let refund_domain::warranty::DeviceFound::Shown(shown) = found.found else {
            panic!("{asked}");
        };
        assert_eq!(shown.unit.device.serial.as_str(), serial);
    }
}
