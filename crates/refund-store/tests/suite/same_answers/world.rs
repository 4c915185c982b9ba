//! What both stores hold: units, people and products that are easily mistaken for each other.

use std::collections::BTreeMap;

use refund_domain::warranty::{
    Address, AddressLine, AssetTag, CountryCode, Device, Imei, MacAddress, OpenReturn, Period,
    PlanName, PostalCode, ReturnState, RmaNumber, TierName, Warranty,
};
use refund_domain::{Customer, EmailAddress, ExternalId, PersonName, PhoneNumber, Timestamp};
use refund_store::contract::given::{customer, id};
use refund_store::contract::given_units::{Generator, World, date, product, unit};

pub(super) const CUSTOMERS: u32 = 250;
const PRODUCTS: usize = 150;
const UNITS: usize = 1_500;

/// Letters of serial numbers: look-alikes, both cases, what does not matter, and what no collation
/// sorts by its number.
const LETTERS: &str = "O0I1lL5S8B2ab-_ É山";

/// Numbers that name units, which many of them share or nearly share.
pub(super) fn number(generator: &mut Generator) -> String {
    match generator.below(12) {
        0 => "NONE".to_owned(),
        1 => format!("SUSPECT-{}", generator.below(40)),
        2 => format!("000{}", generator.below(300)),
        3 => format!("{}", generator.below(300)),
        4 => "製造-１２３".to_owned() + &generator.below(20).to_string(),
        _ => {
            let length = 3 + generator.below(6);
            format!("A{}", generator.text(LETTERS, length))
        }
    }
}

pub(super) fn line(generator: &mut Generator) -> String {
    const STREETS: [&str; 9] = [
        "Oak Street",
        "Oak Avenue",
        "Market Street",
        "Calle Mayor",
        "Straße",
        "Elm",
        "Main",
        "桜通り",
        "Rue de l'Église",
    ];
    format!("{} {}", 1 + generator.below(12), generator.one_of(&STREETS))
}

fn city(generator: &mut Generator) -> &'static str {
    let cities = ["Springfield", "Málaga", "東京"];
    cities[generator.below(cities.len())]
}

fn person(generator: &mut Generator, number: u32) -> Customer {
    let domain = *generator.one_of(&["example.com", "bücher.example", "xn--bcher-kva.example"]);
    let digits = generator.below(60);
    let phone = *generator.one_of(&["+1-202-555-01", "202555 01", "(0044) 20 7946 09", "5550"]);
    Customer {
        name: PersonName::new(&generator.words()).unwrap(),
        email: EmailAddress::new(&format!("Person{number}@{domain}")).unwrap(),
        external_id: (!number.is_multiple_of(3))
            .then(|| ExternalId::new(&format!("Ext-{number}")).unwrap()),
        phone_number: (!number.is_multiple_of(5))
            .then(|| PhoneNumber::new(&format!("{phone}{digits:02}")).unwrap()),
        ..customer(number, 0, "USD")
    }
}

fn addresses(generator: &mut Generator) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    let default = generator.below(4);
    for nth in 0..generator.below(6) {
        let text = |text: &str| AddressLine::new(text).unwrap();
        let country = generator.one_of(&["US", "ES", "JP"]);
        let address = Address {
            label: (generator.below(2) == 0)
                .then(|| text(["Home", "Office", "倉庫", "Home", "Dock"][nth])),
            line1: text(&line(generator)),
            line2: (generator.below(3) == 0).then(|| text("Unit 7")),
            line3: None,
            city: text(city(generator)),
            state_or_province: (generator.below(2) == 0).then(|| text("IL")),
            postal_code: PostalCode::new(&format!("{}", 10_000 + generator.below(9))).unwrap(),
            country_code: CountryCode::new(country).unwrap(),
            is_default: nth == default,
        };
        // Twice the same is one too many.
        if !found.iter().any(|known| {
            (&known.line1, &known.city, &known.postal_code)
                == (&address.line1, &address.city, &address.postal_code)
        }) {
            found.push(address);
        }
    }
    found
}

fn fill(generator: &mut Generator, device: &mut Device) {
    let owner = u32::try_from(generator.below(2 * CUSTOMERS as usize)).unwrap();
    device.customer_id = (owner < CUSTOMERS).then(|| id(owner));
    let tag = number(generator);
    device.asset_tag = (generator.below(3) == 0).then(|| AssetTag::new(&tag).unwrap());
    let digits = generator.below(900);
    let mac = format!("A4:C1:F2:E3:{:02}:{:02}", digits / 100, digits % 100);
    device.mac = (generator.below(3) == 0).then(|| MacAddress::new(&mac).unwrap());
    let imei = format!("356938035643{digits:03}");
    device.imei = (generator.below(3) == 0).then(|| Imei::new(&imei).unwrap());
    let shipped = *generator.one_of(&["2022-05-01", "2024-03-01", "2024-03-02", "2026-02-28"]);
    device.shipped_on = (generator.below(3) > 0).then(|| date(shipped));
}

/// At most one of each plan and first day.
fn warranties(generator: &mut Generator) -> Vec<Warranty> {
    const STARTS: [&str; 3] = ["2023-01-01", "2024-02-29", "2025-12-31"];
    const ENDS: [&str; 4] = ["2025-12-31", "2026-01-30", "2026-03-01", "9999-12-31"];
    // The policy does not have the last one.
    const TIERS: [&str; 7] = [
        "standard",
        "standard",
        "extended",
        "premium",
        "no-service",
        "no-service",
        "gold",
    ];
    let count = generator.below(4);
    let mut found: Vec<Warranty> = (0..count)
        .map(|nth| {
            let (start, end) = (generator.one_of(&STARTS), generator.one_of(&ENDS));
            let tier = generator.one_of(&TIERS);
            Warranty {
                plan: PlanName::new(&format!("Plan {nth}")).unwrap(),
                tier: TierName::new(tier).unwrap(),
                period: Period::new(date(start), date(end)).unwrap(),
                active: generator.below(4) > 0,
            }
        })
        .collect();
    // Added in any order.
    found.reverse();
    found
}

fn open_returns(generator: &mut Generator, place: usize) -> Vec<OpenReturn> {
    let count = *generator.one_of(&[0, 0, 0, 0, 0, 0, 1, 3]);
    (0..count)
        .map(|nth| {
            let letters = generator.text("aB_", 2);
            let at = *generator.one_of(&["2026-01-01T00:00:00Z", "2026-02-01T00:00:00.001Z"]);
            OpenReturn {
                rma_number: RmaNumber::new(&format!("{letters}-{place}-{nth}")).unwrap(),
                status: ReturnState::new("awaiting parts").unwrap(),
                created_at: Timestamp::parse(at).unwrap(),
            }
        })
        .collect()
}

pub(super) fn world(generator: &mut Generator) -> World {
    let mut world = World {
        customers: (0..CUSTOMERS)
            .map(|number| person(generator, number))
            .collect(),
        ..World::default()
    };
    for number in 0..CUSTOMERS {
        let theirs = addresses(generator).into_iter();
        world
            .addresses
            .extend(theirs.map(|address| (id(number), address)));
    }
    for number in 0..PRODUCTS {
        let sku = format!("{}-{number}", generator.text("aAÉ_B", 2));
        let model = (number % 3 == 0).then(|| generator.words());
        let named = product(&sku, &generator.words(), model.as_deref());
        world.products.push(named);
    }
    let mut serials = BTreeMap::new();
    while serials.len() < UNITS {
        let made_for = generator.one_of(&world.products).clone();
        let serial = number(generator);
        serials.insert(serial, made_for);
    }
    for (place, (serial, made_for)) in serials.into_iter().enumerate() {
        let mut record = unit(&serial, &made_for);
        fill(generator, &mut record.device);
        record.warranties = warranties(generator);
        record.open_returns = open_returns(generator, place);
        world.units.push(record);
    }
    world
}
