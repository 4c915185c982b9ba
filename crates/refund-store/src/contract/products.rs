//! Units are found by what is known of their products.

use std::cmp::Reverse;

use refund_domain::Timestamp;
use refund_domain::warranty::{
    DeviceCriteria, DeviceSearchAnswer, OpenReturn, Phrase, ProductField, ProductSearch,
    ReturnState, RmaNumber, Score, SearchRefusal, TextProbe, UnitRecord, score,
};

use super::WarrantyContractStore;
use super::given::{customer, id};
use super::given_units::{Generator, World, criterion, desk, product, unit};
use crate::DemoData;

async fn search<F: WarrantyContractStore>(
    made: &F,
    [name, model, sku]: [&str; 3],
    take: u32,
) -> DeviceSearchAnswer {
    let criteria = DeviceCriteria {
        product_name: criterion(name),
        model: criterion(model),
        sku: criterion(sku),
    };
    desk(made).search_devices(&criteria, take).await.unwrap()
}

fn listed(answer: &DeviceSearchAnswer) -> Vec<String> {
    let units = answer.units.iter();
    units
        .map(|(unit, score)| format!("{} {score}", unit.device.serial.as_str()))
        .collect()
}

fn open_return(number: usize) -> OpenReturn {
    OpenReturn {
        rma_number: RmaNumber::new(&format!("RMA-{number}")).unwrap(),
        status: ReturnState::new("open").unwrap(),
        created_at: Timestamp::parse("2026-01-01T00:00:00Z").unwrap(),
    }
}

/// By name, model and number; a unit whose return is open is counted and not listed.
pub async fn units_are_found_by_their_product<F: WarrantyContractStore>() {
    let made = F::with_data(DemoData::Warranty.json()).await;
    let handhelds = search(&made, ["handheld terminal", "", ""], 10).await;
    assert_eq!((handhelds.matches, handhelds.suppressed), (4, 1));
    assert_eq!(
        listed(&handhelds),
        [
            "AX2-0001-0001 0.85",
            "AX2-0001-0003 0.85",
            "AX2-0001-0004 0.85",
            "AX2-0001-0005 0.85"
        ]
    );
    for (criteria, take, matches, first) in [
        (["handheld terminal", "", ""], 2, 4, "AX2-0001-0001 0.85"),
        (["", "ax400", ""], 10, 3, "AX4-0002-0001 0.9"),
        (["", "AX 200", ""], 10, 4, "AX2-0001-0001 1"),
        (["", "", "cr-10"], 10, 2, "CR1-0004-0001 0.9"),
        (["terminal", "", "BX-100-KT"], 10, 2, "BX1-0003-0001 0.85"),
        (
            ["AX-400 Ruged Terminal", "", ""],
            10,
            3,
            "AX4-0002-0001 0.89",
        ),
        (["terminal", "", ""], 25, 9, "AX2-0001-0001 0.85"),
        (["bx 100 kiosk", "", ""], 10, 2, "BX1-0003-0001 0.9"),
        (["terminal", "", "CR-10-CRD"], 10, 0, ""),
        (["kiosk kt", "", ""], 10, 0, ""),
        (["zzzzzz", "", ""], 10, 0, ""),
        (["2k 33", "", ""], 10, 0, ""),
    ] {
        let answer = search(&made, criteria, take).await;
        let found = listed(&answer);
        assert_eq!(
            (answer.refusal, answer.matches),
            (None, matches),
            "{criteria:?}"
        );
        assert_eq!(found.len() as u64, matches.min(take.into()), "{criteria:?}");
        assert_eq!(
            found.first().map_or("", String::as_str),
            first,
            "{criteria:?}"
        );
    }
    for criteria in [["", "", ""], ["a", "", ""], ["terminal", "-", ""]] {
        assert!(search(&made, criteria, 10).await.refusal.is_some());
    }
}

/// *Invariant:* an index answers as a full scan by the scorer does, counts and order included.
pub async fn products_are_found_as_a_scan_finds_them<F: WarrantyContractStore>() {
    let mut generator = Generator::new(11);
    let mut world = World::default();
    for number in 0..300 {
        let sku = format!("{}-{number}", generator.text("ABC", 2));
        let model = (number % 3 == 0).then(|| generator.words());
        let product = product(&sku, &generator.words(), model.as_deref());
        for nth in 0..generator.below(4) {
            let mut unit = unit(&format!("S-{number}-{nth}"), &product);
            if generator.below(4) == 0 {
                unit.open_returns.push(open_return(world.units.len()));
            }
            world.units.push(unit);
        }
        world.products.push(product);
    }
    let made: F = world.stored().await;
    let (mut all, mut suppressed) = (0, 0);
    for _ in 0..200 {
        let field = *generator.one_of(&ProductField::ALL);
        let query = match field {
            ProductField::Sku => format!("{}-{}", generator.text("ABC", 2), generator.below(300)),
            ProductField::Model | ProductField::Name => generator.words(),
        };
        let criteria = match field {
            ProductField::Sku => ["", "", query.as_str()],
            ProductField::Model => ["", query.as_str(), ""],
            ProductField::Name => [query.as_str(), "", ""],
        };
        let take = 1 + u32::try_from(generator.below(25)).unwrap();
        let answer = search(&made, criteria, take).await;
        assert_eq!(answer.refusal, None, "{query}");
        let (scanned, open) = scan(&world, field, &query);
        let expected = &scanned[..scanned.len().min(take as usize)];
        assert_eq!(listed(&answer), expected, "{query}");
        assert_eq!(
            (answer.matches, answer.suppressed),
            (scanned.len() as u64, open),
            "{query}"
        );
        all += scanned.len();
        suppressed += open;
    }
    assert!(all > 300 && suppressed > 50, "{all} {suppressed}");
}

/// The units that fit without an open return, in their order, and how many have one.
fn scan(world: &World, field: ProductField, query: &str) -> (Vec<String>, u64) {
    let query = Phrase::of(query);
    let mut fitting: Vec<(Score, &UnitRecord)> = world
        .units
        .iter()
        .map(|unit| (score(&query, &Phrase::of(field.of(&unit.product))), unit))
        .filter(|(score, _)| *score >= Score::DEVICE_THRESHOLD)
        .collect();
    fitting.sort_by_key(|(score, unit)| {
        let (sku, serial) = (unit.product.sku.as_str(), unit.device.serial.as_str());
        (Reverse(*score), sku, serial)
    });
    let (open, shown): (Vec<_>, Vec<_>) = fitting
        .into_iter()
        .partition(|(_, unit)| unit.has_open_return());
    let shown = shown
        .into_iter()
        .map(|(score, unit)| format!("{} {score}", unit.device.serial.as_str()));
    (shown.collect(), open.len() as u64)
}

/// In the order in which products are asked for, with all units counted; unknown ones have none.
pub async fn units_stand_in_the_order_of_the_products<F: WarrantyContractStore>() {
    let (a, b, c) = (
        product("A", "One", None),
        product("B", "Two", None),
        product("C", "Three", None),
    );
    let mut world = World {
        units: vec![unit("2", &a), unit("1", &a), unit("3", &b), unit("0", &b)],
        products: vec![a.clone(), b.clone(), c.clone()],
        ..World::default()
    };
    world.customers = vec![customer(1, 0, "USD"), customer(2, 0, "USD")];
    for (unit, owner) in world.units.iter_mut().zip([1, 2, 1, 1]) {
        unit.device.customer_id = Some(id(owner));
    }
    // Two returns of one unit are one unit.
    world.units[3].open_returns = vec![open_return(1), open_return(2)];
    let made: F = world.stored().await;
    let unknown = product("a", "One", None);
    let skus = [b.sku, c.sku, unknown.sku, a.sku];
    for limit in [0, 1, 2, 3, 25] {
        let found = made.reader().units_of(&skus, None, limit).await.unwrap();
        assert_eq!((found.shown, found.with_open_return), (3, 1));
        let serials: Vec<_> = found
            .units
            .iter()
            .map(|unit| unit.device.serial.as_str())
            .collect();
        assert_eq!(serials, ["3", "1", "2"][..3.min(limit as usize)]);
        assert!(found.units.iter().all(|unit| !unit.has_open_return));
    }
    // Of one owner, nothing of the others is listed or counted.
    for (owner, counts, expected) in [(1, (2, 1), &["3", "2"][..]), (2, (1, 0), &["1"])] {
        for limit in [0, 1, 25] {
            let found = made.reader().units_of(&skus, Some(id(owner)), limit).await;
            let found = found.unwrap();
            assert_eq!((found.shown, found.with_open_return), counts);
            let serials: Vec<_> = found
                .units
                .iter()
                .map(|unit| unit.device.serial.as_str())
                .collect();
            assert_eq!(serials, expected[..expected.len().min(limit as usize)]);
        }
    }
    let none = made.reader().units_of(&[], None, 5).await.unwrap();
    assert_eq!((none.shown, none.with_open_return), (0, 0));
}

/// A word of every product tells nothing apart (case R-088); the candidates stop at the limit.
pub async fn a_search_that_fits_everything_is_refused<F: WarrantyContractStore>() {
    let mut world = World {
        products: (0..2_001)
            .map(|number| product(&format!("P-{number}"), &format!("Terminal {number}"), None))
            .collect(),
        ..World::default()
    };
    let made: F = world.stored().await;
    let answer = search(&made, ["terminal", "", ""], 10).await;
    assert_eq!(answer.refusal, Some(SearchRefusal::TooBroad("productName")));
    let probe = TextProbe::of("terminal").unwrap();
    let reader = made.reader();
    let found = reader.products_like(ProductField::Name, &probe, 7).await;
    assert_eq!(found.unwrap().len(), 7);
    world.products.pop();
    let made: F = world.stored().await;
    let answer = search(&made, ["terminal", "", ""], 10).await;
    assert_eq!(answer.refusal, None);
}
