//! The warranty desk on a large file, measured and judged without a server. `cargo xtask bench` runs
//! this program and reads the one line of JSON that each run prints:
//!
//! ```text
//! warranty prepare FILE DEVICES CUSTOMERS  make a database with sparse random serial numbers
//! warranty queries DEVICES CUSTOMERS N     what to ask a server about that database
//! warranty judge FILE DEVICES CUSTOMERS N  N typos of serial numbers and searches by name, beside
//!                                          full scans by the domain's own scorer
//! ```
//!
//! Without such words it does nothing, because test runners start every program they find.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::print_stdout,
    reason = "a measurement that fails stops, times are no money, and stdout is for the reader"
)]

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use refund_domain::warranty::{
    Criterion, CustomerCriteria, DeviceFound, Identifier, MatchKind, NormalForm, Phrase,
    ReportedFacts, Score, WarrantyDesk, WarrantyPolicy, match_kind, score,
};
use refund_domain::{Caller, CivilDate, Principal, Role, Timestamp};
use refund_store::transfer::{Format, Input};
use refund_store::{SqliteReader, SqliteStore};
use serde_json::{Value, json};

const LETTERS: &[u8; 36] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const TODAY: &str = "2026-03-01";
/// Products, of which several share each word.
const PRODUCTS: u64 = 500;
/// Every unit whose number this divides has an open return.
const OPEN: u64 = 100;
/// Full scans of all serial numbers.
const SCANS: usize = 10;
/// Full scans of all names.
const NAME_SCANS: usize = 200;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let told = match *words.as_slice() {
        ["prepare", file, devices, customers] => {
            prepare(Path::new(file), &World::new(devices, customers));
            return;
        }
        ["queries", devices, customers, number] => {
            queries(&World::new(devices, customers), number.parse().unwrap())
        }
        ["judge", file, devices, customers, number] => judge(
            Path::new(file),
            &World::new(devices, customers),
            number.parse().unwrap(),
        ),
        _ => return,
    };
    println!("{told}");
}

/// What the file holds. Everything in it follows from its number.
struct World {
    devices: u64,
    customers: u64,
}

/// A number that looks random (SplitMix64).
fn mix(number: u64) -> u64 {
    let mut state = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

fn serial(number: u64) -> String {
    let mut random = mix(number);
    let mut text = String::new();
    for place in 0..12 {
        if place % 4 == 0 && place > 0 {
            text.push('-');
        }
        text.push(char::from(LETTERS[(random % 36) as usize]));
        random /= 36;
    }
    text
}

fn word(kind: u64, number: u64, syllables: u32) -> String {
    const SYLLABLES: [&str; 32] = [
        "ka", "ro", "mi", "ten", "sa", "lu", "ber", "no", "vi", "da", "han", "el", "jo", "pri",
        "ma", "tor", "se", "ga", "lin", "us", "fe", "ran", "co", "wil", "ya", "ben", "du", "kir",
        "os", "pa", "ti", "zen",
    ];
    let mut random = mix(kind.wrapping_mul(1_000_003).wrapping_add(number));
    let mut text = String::new();
    for _ in 0..syllables {
        text.push_str(SYLLABLES[(random % 32) as usize]);
        random /= 32;
    }
    let mut letters = text.chars();
    let first = letters.next().unwrap().to_ascii_uppercase();
    std::iter::once(first).chain(letters).collect()
}

/// A given name that about 50 of 100,000 share, and a family name that about five share.
fn person(number: u64) -> String {
    let random = mix(number.wrapping_add(1 << 40));
    format!(
        "{} {}",
        word(1, random % 2_000, 3),
        word(2, (random >> 20) % 20_000, 4)
    )
}

fn product(number: u64) -> (String, String) {
    const KINDS: [&str; 5] = ["Terminal", "Scanner", "Printer", "Cradle", "Gateway"];
    let kind = KINDS[(number % 5) as usize];
    let series = word(3, number % 50, 2);
    (
        format!("SKU-{number:04}"),
        format!("{series} {} {kind}", 100 + number),
    )
}

impl World {
    fn new(devices: &str, customers: &str) -> Self {
        Self {
            devices: devices.parse().unwrap(),
            customers: customers.parse().unwrap(),
        }
    }

    fn customer(&self, number: u64) -> String {
        format!("CUST-{:05}", number % self.customers)
    }

    /// Records as `import` reads them.
    fn lines(self: Arc<Self>) -> impl Iterator<Item = String> {
        let products = (0..PRODUCTS).map(|number| {
            let (sku, name) = product(number);
            json!({ "entity": "products", "sku": sku, "name": name })
        });
        let world = self.clone();
        let customers = (0..self.customers).map(move |number| {
            json!({
                "entity": "customers", "customer_id": world.customer(number), "name": person(number),
                "email": format!("c{number}@example.com"), "status": "active", "currency": "USD",
                "refundable_balance": 0, "created_at": "2026-01-01T00:00:00Z",
                "external_id": format!("EXT-{number}"), "phone_number": format!("+1-202-{number:07}"),
            })
        });
        let world = self.clone();
        let devices = (0..self.devices).map(move |number| {
            json!({
                "entity": "devices", "serial_number": serial(number),
                "sku": product(number % PRODUCTS).0, "customer_id": world.customer(number),
                "shipped_on": "2025-06-01",
            })
        });
        let warranties = (0..self.devices).map(|number| {
            json!({
                "entity": "warranties", "serial_number": serial(number), "plan_name": "Standard",
                "tier": "standard", "start_date": "2025-06-01", "end_date": "2027-06-01",
            })
        });
        let returns = (0..self.devices).step_by(OPEN as usize).map(|number| {
            json!({
                "entity": "open_returns", "rma_number": format!("RMA-{number}"),
                "serial_number": serial(number), "status": "open",
                "created_at": "2026-02-20T09:00:00Z",
            })
        });
        let records = products.chain(customers).chain(devices);
        let records = records.chain(warranties).chain(returns);
        records.map(|record| format!("{record}\n"))
    }
}

/// Lines, as a file to be read.
struct Lines<I> {
    lines: I,
    line: Vec<u8>,
    read: usize,
}

impl<I: Iterator<Item = String>> Read for Lines<I> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.line.len() {
            self.line = self.lines.next().unwrap_or_default().into_bytes();
            self.read = 0;
        }
        let rest = &self.line[self.read..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.read += length;
        Ok(length)
    }
}

fn prepare(file: &Path, world: &World) {
    let world = Arc::new(World { ..*world });
    let store = SqliteStore::open(file).unwrap();
    let caller = Caller::new(Principal::new("bench").unwrap(), Role::Agent);
    let at = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let lines = Lines {
        lines: world.lines(),
        line: Vec::new(),
        read: 0,
    };
    let input = Input::new("world.ndjson", Format::Ndjson, lines);
    store.import(vec![input], false, &caller, at).unwrap();
}

/// One letter or digit of a text put in, left out or replaced; never a hyphen.
fn typo(text: &str, random: u64) -> String {
    let plain: Vec<char> = text.chars().filter(|letter| *letter != '-').collect();
    let place = (random >> 8) as usize % plain.len();
    let letter = char::from(LETTERS[(random >> 32) as usize % 36]);
    let mut typed = plain;
    match random % 3 {
        0 => typed.insert(place, letter),
        1 => {
            typed.remove(place);
        }
        _ => typed[place] = letter,
    }
    typed.into_iter().collect()
}

/// A unit without an open return, and its serial number mistyped. One that came out as it was, or as
/// another unit's, is not among them.
fn typos(world: &World, number: usize) -> Vec<(String, String)> {
    let known: HashSet<String> = (0..world.devices)
        .map(|number| serial(number).replace('-', ""))
        .collect();
    let random = (0..).map(|turn| mix(turn + (1 << 50)));
    let pairs = random.map(|random| {
        let unit = random % world.devices;
        let unit = if unit.is_multiple_of(OPEN) {
            unit + 1
        } else {
            unit
        };
        let right = serial(unit);
        let wrong = typo(&right, mix(random));
        (right, wrong)
    });
    pairs
        .filter(|(_, wrong)| !known.contains(wrong))
        .take(number)
        .collect()
}

/// A customer's name, as it is or with a letter of it replaced.
fn name_query(world: &World, turn: u64) -> String {
    let random = mix(turn + (1 << 51));
    let name = person(random % world.customers);
    if random.is_multiple_of(2) {
        return name;
    }
    let place = (random >> 8) as usize % name.len();
    let letter = char::from(LETTERS[(random >> 16) as usize % 26]).to_ascii_lowercase();
    let mut letters: Vec<char> = name.chars().collect();
    if letters[place] != ' ' {
        letters[place] = letter;
    }
    letters.into_iter().collect()
}

fn queries(world: &World, number: usize) -> Value {
    let exact: Vec<_> = (0..number as u64)
        .map(|turn| serial(mix(turn + (1 << 52)) % world.devices))
        .collect();
    let near: Vec<_> = typos(world, number)
        .into_iter()
        .map(|(_, wrong)| wrong)
        .collect();
    let names: Vec<_> = (0..number as u64)
        .map(|turn| name_query(world, turn))
        .collect();
    let products: Vec<_> = (0..number as u64)
        .map(|turn| {
            let (_, name) = product(mix(turn + (1 << 53)) % PRODUCTS);
            // In full, without its number, and by its kind alone, which a fifth of all units are.
            match turn % 3 {
                0 => name,
                1 => name.split(' ').step_by(2).collect::<Vec<_>>().join(" "),
                _ => name.split(' ').next_back().unwrap().to_owned(),
            }
        })
        .collect();
    json!({ "exact": exact, "near": near, "names": names, "products": products })
}

fn quantile(mut times: Vec<f64>, part: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    let index = ((times.len() - 1) as f64 * part).round() as usize;
    times[index]
}

fn micros(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e6
}

type Desk = WarrantyDesk<SqliteReader>;

fn judge(file: &Path, world: &World, number: usize) -> Value {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let store = SqliteStore::open(file).unwrap();
    let desk: Desk = WarrantyDesk::new(store.reader(), Arc::new(WarrantyPolicy::default()));
    runtime.block_on(async {
        let typos = typos(world, number);
        let mut told = identifiers(&desk, world, &typos).await;
        let names = names(&desk, world).await;
        told.as_object_mut()
            .unwrap()
            .extend(names.as_object().unwrap().clone());
        told
    })
}

/// What typos of serial numbers come to, beside a look at every unit.
async fn identifiers(desk: &Desk, world: &World, typos: &[(String, String)]) -> Value {
    let today = CivilDate::parse(TODAY).unwrap();
    let facts = ReportedFacts::default();
    let (mut lost, mut falsely) = (0_u64, 0_u64);
    let mut times = Vec::with_capacity(typos.len());
    for (right, wrong) in typos {
        let asked = Identifier::new(wrong).unwrap();
        let began = Instant::now();
        let found = desk.find_device(&asked, today, false).await.unwrap();
        times.push(micros(began));
        let judged = desk.check_coverage(&asked, today, &facts);
        let judged = judged.await.unwrap();
        if judged.unit.is_some() {
            falsely += 1;
        }
        let is_right = |serial: &str| serial == right;
        let suggested = judged
            .suggestions
            .iter()
            .any(|one| is_right(one.serial.as_str()));
        let offered = match &found.found {
            DeviceFound::Shown(shown) => {
                if !found.requires_confirmation() {
                    falsely += 1;
                }
                is_right(shown.unit.device.serial.as_str())
            }
            DeviceFound::Suppressed { .. } => false,
            DeviceFound::Nothing => found
                .suggestions
                .iter()
                .any(|one| is_right(one.serial.as_str())),
        };
        if !suggested || !offered {
            lost += 1;
        }
    }
    let serials: Vec<String> = (0..world.devices).map(serial).collect();
    let mut scans = Vec::new();
    let mut differ = 0_u64;
    for (_, wrong) in typos.iter().take(SCANS) {
        let began = Instant::now();
        let near: HashSet<&str> = serials
            .iter()
            .map(String::as_str)
            .filter(|serial| match_kind(wrong, serial) == Some(MatchKind::Near))
            .collect();
        scans.push(micros(began));
        assert!(NormalForm::of(wrong).is_some());
        let asked = Identifier::new(wrong).unwrap();
        let judged = desk.check_coverage(&asked, today, &facts);
        let judged = judged.await.unwrap();
        let suggested: HashSet<&str> = judged
            .suggestions
            .iter()
            .map(|one| one.serial.as_str())
            .collect();
        // Those of open returns are left out, and more than three are cut.
        if !suggested.is_subset(&near) || (near.len() == 1 && suggested != near) {
            differ += 1;
        }
    }
    json!({
        "typos": typos.len(), "lost": lost, "falsely": falsely,
        "near_p99_micros": quantile(times, 0.99),
        "near_scan_p50_micros": quantile(scans, 0.5), "near_scans_that_differ": differ,
    })
}

/// What searches by name come to, beside the score of every name.
async fn names(desk: &Desk, world: &World) -> Value {
    let phrases: Vec<(String, Phrase)> = (0..world.customers)
        .map(|number| (world.customer(number), Phrase::of(&person(number))))
        .collect();
    let (mut times, mut scans) = (Vec::new(), Vec::new());
    let (mut differ, mut refused) = (0_u64, 0_u64);
    for turn in 0..NAME_SCANS as u64 {
        let query = name_query(world, turn);
        let criteria = CustomerCriteria {
            name: Some(Criterion::new(&query).unwrap()),
            ..CustomerCriteria::default()
        };
        let began = Instant::now();
        let answer = desk.find_customer(&criteria, 25).await.unwrap();
        times.push(micros(began));
        if answer.refusal.is_some() {
            refused += 1;
            continue;
        }
        let began = Instant::now();
        let asked = Phrase::of(&query);
        let mut fits: Vec<(Score, &str)> = phrases
            .iter()
            .map(|(id, phrase)| (score(&asked, phrase), id.as_str()))
            .filter(|(score, _)| *score >= Score::PERSON_THRESHOLD)
            .collect();
        fits.sort_by(|(one, id), (other, other_id)| other.cmp(one).then(id.cmp(other_id)));
        scans.push(micros(began));
        let listed: Vec<(Score, String)> = answer
            .customers
            .iter()
            .map(|found| (found.score, found.customer.id.to_string()))
            .collect();
        let same = answer.matches == fits.len() as u64
            && listed
                .iter()
                .map(|(score, id)| (*score, id.as_str()))
                .eq(fits.into_iter().take(25));
        if !same {
            differ += 1;
        }
    }
    json!({
        "names": NAME_SCANS, "names_refused": refused, "name_scans_that_differ": differ,
        "name_p99_micros": quantile(times, 0.99), "name_scan_p50_micros": quantile(scans, 0.5),
    })
}
