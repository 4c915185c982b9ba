//! Units are found by what names them: in full, nearly, or not at all.

use std::collections::BTreeSet;

use refund_domain::Timestamp;
use refund_domain::warranty::{
    AssetTag, DeviceAnswer, DeviceFound, DeviceReader, Imei, MacAddress, NormalForm, OpenReturn,
    Period, PlanName, ProblemText, ReportedFacts, ReturnState, Revision, RmaNumber, SerialNumber,
    Suggestion, TierName, UnitRecord, Warranty,
};

use super::WarrantyContractStore;
use super::given::{customer, id};
use super::given_units::{Generator, TODAY, World, date, desk, identifier, product, unit};
use crate::DemoData;

async fn demo<F: WarrantyContractStore>() -> F {
    F::with_data(DemoData::Warranty.json()).await
}

fn serials(suggestions: &[Suggestion]) -> Vec<&str> {
    let serials = suggestions
        .iter()
        .map(|suggestion| suggestion.serial.as_str());
    serials.collect()
}

fn shown(answer: &DeviceAnswer) -> String {
    match &answer.found {
        DeviceFound::Nothing => format!("nothing {:?}", serials(&answer.suggestions)),
        DeviceFound::Suppressed { near } => format!("suppressed, near: {near}"),
        DeviceFound::Shown(shown) => format!(
            "{} {} {}",
            shown.unit.device.serial.as_str(),
            shown.matched_on.as_str(),
            shown.score
        ),
    }
}

async fn find<F: WarrantyContractStore>(made: &F, text: &str, with_open: bool) -> String {
    let desk = desk(made);
    let asked = identifier(text);
    let answer = desk.find_device(&asked, date(TODAY), with_open).await;
    shown(&answer.unwrap())
}

/// Outcome, reason, fee and cover of every unit on its day, and of two that are not there.
pub async fn each_unit_of_the_demonstration_comes_to_its_outcome<F: WarrantyContractStore>() {
    let made = demo::<F>().await;
    let desk = desk(&made);
    let dead = ReportedFacts {
        problem: Some(ProblemText::new("dead on arrival").unwrap()),
        ..ReportedFacts::default()
    };
    let eligible = "Eligible/InWarrantyConfirmedDefect";
    let paid = "EligibleForPaidRepair/OutOfWarranty";
    let unknown = "NotEligible/DeviceNotFound";
    for (serial, outcome, fee) in [
        ("AX2-0001-0001", eligible, "69.00 USD, covered"),
        (
            "AX2-0001-0002",
            "RequiresHumanReview/DuplicateOpenRequest",
            "69.00 USD, covered",
        ),
        ("AX2-0001-0003", eligible, "69.00 USD, covered"),
        ("AX2-0001-0004", eligible, "69.00 USD, covered"),
        ("AX2-0001-0005", paid, "69.00 USD, owed"),
        ("AX4-0002-0001", eligible, "119.00 USD, covered"),
        ("AX4-0002-0002", eligible, "119.00 USD, covered"),
        ("AX4-0002-0003", eligible, "119.00 USD, covered"),
        (
            "BX1-0003-0001",
            "NotEligible/OutsideReturnWindow",
            "149.00 USD, owed",
        ),
        ("BX1-0003-0002", paid, "149.00 USD, owed"),
        ("CR1-0004-0001", eligible, "29.00 USD, covered"),
        ("CR1-0004-0002", eligible, "29.00 USD, covered"),
        ("CBL-0005-0001", eligible, "9.00 USD, covered"),
        ("CBL-0005-0002", paid, "9.00 USD, owed"),
        ("NO-SUCH-SERIAL-0000", unknown, "none"),
        ("AX2-0001-0006", unknown, "none"),
    ] {
        let asked = identifier(serial);
        let answer = desk.check_coverage(&asked, date(TODAY), &dead);
        let evaluation = answer.await.unwrap().evaluation;
        let (found, reason) = (evaluation.outcome.as_str(), evaluation.reason.as_str());
        assert_eq!(format!("{found}/{reason}"), outcome, "{serial}");
        let quote = desk.fee_quote(&asked, date(TODAY)).await.unwrap().quote;
        let quoted = quote.map_or("none".to_owned(), |quote| {
            let covered = if quote.cover.is_covered() {
                "covered"
            } else {
                "owed"
            };
            format!("{}, {covered}", quote.fee.fee)
        });
        assert_eq!(quoted, fee, "{serial}");
    }
}

/// Case, blanks and punctuation do not matter; a prefix, a model or a word identifies nothing; of near
/// misses only one that is alone is found.
pub async fn an_identifier_in_any_spelling_is_the_same<F: WarrantyContractStore>() {
    let made = demo::<F>().await;
    for (text, expected) in [
        ("AX2-0001-0001", "AX2-0001-0001 serial 1"),
        ("ax2 0001 0001", "AX2-0001-0001 serial 1"),
        ("ＡＸ２－０００１－０００１", "AX2-0001-0001 serial 1"),
        ("A4C1F2E30001", "AX2-0001-0001 alternate-identifier 1"),
        ("a4:c1:f2:e3:00:01", "AX2-0001-0001 alternate-identifier 1"),
        ("35-693803-564380-9", "AX2-0001-0001 alternate-identifier 1"),
        ("CR1-0004-00011", "CR1-0004-0001 fuzzy 0.89"),
        ("CRI-OOO4-OOO2", "CR1-0004-0002 fuzzy 0.89"),
        ("CBL-0005-O0O1", "CBL-0005-0001 fuzzy 0.89"),
        (
            "AX2-0001-0006",
            "nothing [\"AX2-0001-0001\", \"AX2-0001-0003\", \"AX2-0001-0004\"]",
        ),
        ("AX2", "nothing []"),
        ("AX2-0001", "nothing []"),
        ("AX-200", "nothing []"),
        ("terminal", "nothing []"),
        ("zzzzzz", "nothing []"),
        ("A", "nothing []"),
        ("--", "nothing []"),
    ] {
        assert_eq!(find(&made, text, false).await, expected, "{text}");
    }
}

/// Look-alikes, twins, hyphens and zeros in front (cases,
///
pub async fn identities_that_look_alike_stay_apart<F: WarrantyContractStore>() {
    for (stored, asked, expected) in [
        (&["X1", " X1 "][..], "X1", "nothing [\" X1 \", \"X1\"]"),
        (&["X1", " X1 "], " X1 ", "nothing [\" X1 \", \"X1\"]"),
        (&["X1", " X1 "], "x-1", "nothing [\" X1 \", \"X1\"]"),
        (
            &["38675971547"],
            "00038675971547",
            "nothing [\"38675971547\"]",
        ),
        (
            &["00038675971547"],
            "38675971547",
            "nothing [\"00038675971547\"]",
        ),
        (
            &["38675971547"],
            "038675971547",
            "nothing [\"38675971547\"]",
        ),
        (&["069", "69"], "069", "069 serial 1"),
        (&["069", "69"], "69", "69 serial 1"),
        (&["00120300"], "00120300", "00120300 serial 1"),
        (&["E619-1609"], "E6191609", "E619-1609 serial 1"),
        (&["E6191609"], "E619-1609", "E6191609 serial 1"),
        (&["A0B1", "AOB1"], "A0B1", "A0B1 serial 1"),
        (&["A0B1", "AOB1"], "AOB1", "AOB1 serial 1"),
        (&["A0B1C", "ZZZZZ"], "AOBIC", "A0B1C fuzzy 0.89"),
        (
            &["MRC5K9Q277TDX4Z1W8", "MRC5K9Q277TDX4Z999"],
            "MRC5K9Q277TDX4Z1W9",
            "MRC5K9Q277TDX4Z1W8 fuzzy 0.89",
        ),
        (&["製造-１２３"], "製造123", "製造-１２３ serial 1"),
    ] {
        let made: F = World::of_serials(stored).stored().await;
        assert_eq!(find(&made, asked, false).await, expected, "{asked}");
        // Whatever it is to a lookup, a fuzzy match identifies nothing.
        let (desk, asked) = (desk(&made), identifier(asked));
        let quote = desk.fee_quote(&asked, date(TODAY)).await;
        let quoted = quote.unwrap().quote.is_some();
        assert_eq!(quoted, expected.ends_with("serial 1"), "{expected}");
    }
}

/// Two units fold to one form by identifiers of different kinds; one unit by two of its own is one.
pub async fn two_kinds_of_identifiers_can_clash<F: WarrantyContractStore>() {
    let mut world = World::of_serials(&["AX9-1", "AX9-2"]);
    world.units[0].device.asset_tag = Some(AssetTag::new("ax9 2").unwrap());
    let made: F = world.stored().await;
    let expected = "nothing [\"AX9-1\", \"AX9-2\"]";
    assert_eq!(find(&made, "AX9-2", false).await, expected);
    world.units.pop();
    world.units[0].device.asset_tag = Some(AssetTag::new("ax9 1").unwrap());
    let made: F = world.stored().await;
    assert_eq!(find(&made, "AX9-1", false).await, "AX9-1 serial 1");
}

/// What is found by index is what a scan of all identifiers finds: the same forms, and those one edit
/// or look-alikes away, by serial number.
pub async fn identifiers_are_found_as_a_scan_finds_them<F: WarrantyContractStore>() {
    let mut generator = Generator::new(7);
    let mut text = |least: usize| {
        let length = least + generator.below(4);
        generator.text("0O1IlB8S5aA-", length)
    };
    let mut names = BTreeSet::new();
    while names.len() < 300 {
        names.insert(format!("A{}", text(2)));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut world = World::of_serials(&names);
    for unit in world.units.iter_mut().step_by(3) {
        unit.device.asset_tag = Some(AssetTag::new(&format!("A{}", text(2))).unwrap());
    }
    let made: F = world.stored().await;
    let reader = made.reader();
    let scan = |fits: &dyn Fn(&NormalForm) -> bool| {
        let mut found: Vec<&UnitRecord> = world.units.iter().collect();
        found.retain(|unit| {
            let mut forms = unit.device.identifiers();
            forms.any(|(_, text)| NormalForm::of(text).is_some_and(|form| fits(&form)))
        });
        found.sort_by(|one, other| one.device.serial.cmp(&other.device.serial));
        found
    };
    let mut near_ones = 0;
    for _ in 0..150 {
        let form = NormalForm::of(&format!("A{}", text(2))).unwrap();
        let variants = form.one_edit_variants();
        let key = form.look_alike_key();
        let same = scan(&|stored| *stored == form);
        let found = reader.units_identified(&form, 1_000).await.unwrap();
        assert_eq!(found.iter().collect::<Vec<_>>(), same);
        let near = scan(&|stored| variants.contains(stored) || stored.look_alike_key() == key);
        let near: Vec<_> = near.into_iter().map(UnitRecord::listed).collect();
        let found = reader.units_near(&form, 1_000).await.unwrap();
        assert_eq!(found, near);
        near_ones += near.len();
        // The first ones, where not all are wanted.
        let found = reader.units_near(&form, 2).await.unwrap();
        assert_eq!(found, near[..near.len().min(2)]);
    }
    assert!(near_ones > 300, "{near_ones}");
}

/// A unit with an open return is found and not shown, not listed and not suggested; its returns come
/// from the oldest on.
pub async fn a_unit_with_an_open_return_is_suppressed<F: WarrantyContractStore>() {
    let mut world = World::of_serials(&["AX2-0001-0002"]);
    let open = |number: &str, at: &str| OpenReturn {
        rma_number: RmaNumber::new(number).unwrap(),
        status: ReturnState::new("awaiting parts").unwrap(),
        created_at: Timestamp::parse(at).unwrap(),
    };
    world.units[0].open_returns = vec![
        open("RMA-3", "2026-01-05T00:00:00Z"),
        open("RMA-2", "2026-01-01T00:00:00Z"),
        open("RMA-1", "2026-01-05T00:00:00Z"),
    ];
    let made: F = world.stored().await;
    for (asked, hidden, wanted) in [
        (
            "AX2-0001-0002",
            "suppressed, near: false",
            "AX2-0001-0002 serial 1",
        ),
        (
            "AX2-0001-0009",
            "suppressed, near: true",
            "AX2-0001-0002 fuzzy 0.89",
        ),
    ] {
        assert_eq!(find(&made, asked, false).await, hidden);
        assert_eq!(find(&made, asked, true).await, wanted);
    }
    let desk = desk(&made);
    let asked = identifier("AX2-0001-0002");
    let returns = desk.open_returns(&asked).await.unwrap().returns;
    let numbers: Vec<_> = returns.iter().map(|one| one.rma_number.as_str()).collect();
    assert_eq!(numbers, ["RMA-2", "RMA-1", "RMA-3"]);
    for unknown in ["ax2-0001-0002", "AX2-0001-0002 ", "AX2-0001-0003"] {
        assert!(desk.open_returns(&identifier(unknown)).await.is_err());
    }
}

/// Every field, to the letter; a unit of which little is known as well; and nothing for a serial number
/// that is written in another way.
pub async fn a_unit_comes_back_as_saved<F: WarrantyContractStore>() {
    let named = product("製品 1", "Terminal, 'quoted' \"twice\"", Some("T-1"));
    let mut known = unit(" 00-É %_'; ", &named);
    known.device.customer_id = Some(id(1));
    known.device.mac = Some(MacAddress::new("a4:C1-f2.E3 00 01").unwrap());
    known.device.imei = Some(Imei::new("35-693803-564380-9").unwrap());
    known.device.asset_tag = Some(AssetTag::new("desk 17").unwrap());
    known.device.shipped_on = Some(date("2024-02-29"));
    known.device.hardware_revision = Some(Revision::new("rev. B").unwrap());
    known.device.firmware_version = Some(Revision::new("1.2.3").unwrap());
    let warranty = |plan: &str, start: &str, end: &str, active| Warranty {
        plan: PlanName::new(plan).unwrap(),
        tier: TierName::new("standard").unwrap(),
        period: Period::new(date(start), date(end)).unwrap(),
        active,
    };
    known.warranties = vec![
        warranty("One day", "0001-01-01", "0001-01-01", true),
        warranty("Basic", "2024-02-29", "2025-02-28", false),
        warranty("Long", "2024-02-29", "9999-12-31", true),
    ];
    let plain = unit("x", &product("P", "Plain", None));
    let world = World {
        customers: vec![customer(1, 0, "JPY")],
        products: vec![known.product.clone(), plain.product.clone()],
        units: vec![known.clone(), plain.clone()],
        ..World::default()
    };
    let made: F = world.stored().await;
    let reader = made.reader();
    for saved in [known, plain] {
        let mut read = reader.unit(&saved.device.serial).await.unwrap().unwrap();
        // In any order.
        read.warranties
            .sort_by_key(|warranty| (warranty.period.start(), warranty.plan.as_str().to_owned()));
        assert_eq!(read, saved);
        let form = NormalForm::of(saved.device.serial.as_str()).unwrap();
        let found = reader.units_identified(&form, 10).await.unwrap();
        assert_eq!(found.len(), 1);
    }
    for unknown in ["00-É %_';", " 00-é %_'; ", "X", "x "] {
        let serial = SerialNumber::new(unknown).unwrap();
        assert_eq!(reader.unit(&serial).await.unwrap(), None, "{unknown}");
    }
}

/// Serial numbers stand in the order of their characters' numbers, whatever the language says, and the
/// first ones are kept.
pub async fn units_stand_in_the_order_of_their_characters<F: WarrantyContractStore>() {
    let order = ["A 2", "A-1", "A10", "A2", "B1", "Z", "a1", "É", "山"];
    let mut world = World::of_serials(&order);
    world.units.reverse();
    for unit in &mut world.units {
        unit.device.asset_tag = Some(AssetTag::new("NONE").unwrap());
    }
    let made: F = world.stored().await;
    for limit in [1, 4, 9, 100] {
        let form = NormalForm::of("none").unwrap();
        let same = made.reader().units_identified(&form, limit).await.unwrap();
        let near = NormalForm::of("NONE1").unwrap();
        let near = made.reader().units_near(&near, limit).await.unwrap();
        let expected = &order[..order.len().min(limit as usize)];
        let same: Vec<_> = same
            .iter()
            .map(|unit| unit.device.serial.as_str())
            .collect();
        let near: Vec<_> = near
            .iter()
            .map(|unit| unit.device.serial.as_str())
            .collect();
        assert_eq!((same.as_slice(), near.as_slice()), (expected, expected));
    }
}
