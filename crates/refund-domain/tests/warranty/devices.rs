//! Units by identifier, and by what is known of the product.

use refund_domain::warranty::{
    AssetTag, DeviceAnswer, DeviceCriteria, DeviceFound, DeviceSearchAnswer, MatchedOn, Suggestion,
    WarrantyDeskError, WarrantyRefusal,
};

use crate::support::{
    Memory, TODAY, criterion, date, demo, desk, device, identifier, now, product,
};

fn find(world: &Memory, text: &str, with_open: bool) -> DeviceAnswer {
    now(desk(world.clone()).find_device(&identifier(text), date(TODAY), with_open)).unwrap()
}

fn shown(answer: &DeviceAnswer) -> String {
    match &answer.found {
        DeviceFound::Nothing => "nothing".to_owned(),
        DeviceFound::Suppressed { near } => format!("suppressed, near: {near}"),
        DeviceFound::Shown(shown) => format!(
            "{} {} {}",
            shown.unit.device.serial.as_str(),
            shown.matched_on.as_str(),
            shown.score
        ),
    }
}

fn serials(suggestions: &[Suggestion]) -> Vec<&str> {
    suggestions
        .iter()
        .map(|suggestion| suggestion.serial.as_str())
        .collect()
}

#[test]
fn identifiers_of_every_kind_and_spelling() {
    let world = demo();
    for (text, expected) in [
        ("AX2-0001-0001", "AX2-0001-0001 serial 1"),
        ("ax2 0001 0001", "AX2-0001-0001 serial 1"),
        ("A4C1F2E30001", "AX2-0001-0001 alternate-identifier 1"),
        ("a4:c1:f2:e3:00:01", "AX2-0001-0001 alternate-identifier 1"),
        ("35-693803-564380-9", "AX2-0001-0001 alternate-identifier 1"),
        // The only unit one edit away, and one by look-alikes.
        ("CR1-0004-00011", "CR1-0004-0001 fuzzy 0.89"),
        ("CRI-OOO4-OOO2", "CR1-0004-0002 fuzzy 0.89"),
        ("CBL-0005-O0O1", "CBL-0005-0001 fuzzy 0.89"),
        // A prefix, a model and a word identify nothing.
        ("AX2", "nothing"),
        ("AX2-0001", "nothing"),
        ("AX-200", "nothing"),
        ("terminal", "nothing"),
        ("zzzzzz", "nothing"),
        ("A", "nothing"),
        ("--", "nothing"),
        ("NO-SUCH-SERIAL-0000", "nothing"),
    ] {
        let answer = find(&world, text, false);
        assert_eq!(shown(&answer), expected, "{text}");
        assert_eq!(
            answer.requires_confirmation(),
            expected.contains("fuzzy"),
            "{text}"
        );
        assert_eq!(answer.suggestions, [], "{text}");
    }
}

#[test]
fn several_near_misses_are_suggested_and_none_is_found() {
    let answer = find(&demo(), "AX2-0001-0006", false);
    assert_eq!(shown(&answer), "nothing");
    // Never the one whose return is open, and three at most.
    assert_eq!(
        serials(&answer.suggestions),
        ["AX2-0001-0001", "AX2-0001-0003", "AX2-0001-0004"]
    );
    assert!(answer.requires_confirmation());
    let all = find(&demo(), "AX2-0001-0006", true);
    assert_eq!(
        serials(&all.suggestions),
        ["AX2-0001-0001", "AX2-0001-0002", "AX2-0001-0003"]
    );
}

#[test]
fn a_unit_with_an_open_return_is_found_and_not_shown() {
    let mut world = demo();
    for text in ["AX2-0001-0002", "A4C1F2E30002", "356938035643810"] {
        let answer = find(&world, text, false);
        assert_eq!(shown(&answer), "suppressed, near: false", "{text}");
        assert_eq!(answer.suggestions, []);
        assert!(shown(&find(&world, text, true)).starts_with("AX2-0001-0002"));
    }
    // As the only near miss, too.
    world
        .units
        .retain(|unit| unit.device.serial.as_str() == "AX2-0001-0002");
    let answer = find(&world, "AX2-0001-0009", false);
    assert_eq!(shown(&answer), "suppressed, near: true");
    assert!(answer.requires_confirmation());
    assert_eq!(
        shown(&find(&world, "AX2-0001-0009", true)),
        "AX2-0001-0002 fuzzy 0.89"
    );
}

/// A world of units with nothing but serial numbers.
fn with_serials(serials: &[&str]) -> Memory {
    let mut world = demo();
    let template = world.units[0].clone();
    world.units = serials
        .iter()
        .map(|serial| {
            let mut unit = template.clone();
            unit.device = device(serial, "AX-200-HS");
            unit
        })
        .collect();
    world
}

// Cases.
#[test]
fn identities_that_look_alike() {
    for (stored, asked, found, suggested) in [
        (&["X1", " X1 "][..], "X1", "nothing", &[" X1 ", "X1"][..]),
        (&["X1", " X1 "], " X1 ", "nothing", &[" X1 ", "X1"]),
        (&["X1", " X1 "], "x-1", "nothing", &[" X1 ", "X1"]),
        (
            &["38675971547"],
            "00038675971547",
            "nothing",
            &["38675971547"],
        ),
        (
            &["00038675971547"],
            "38675971547",
            "nothing",
            &["00038675971547"],
        ),
        (
            &["38675971547"],
            "038675971547",
            "nothing",
            &["38675971547"],
        ),
        (&["069", "69"], "069", "069 serial 1", &[]),
        (&["069", "69"], "69", "69 serial 1", &[]),
        (&["00120300"], "00120300", "00120300 serial 1", &[]),
        (&["E619-1609"], "E6191609", "E619-1609 serial 1", &[]),
        (&["A0B1", "AOB1"], "A0B1", "A0B1 serial 1", &[]),
        (&["A0B1", "AOB1"], "AOB1", "AOB1 serial 1", &[]),
        (
            &["MRC5K9Q277TDX4Z1W8", "MRC5K9Q277TDX4Z999"],
            "MRC5K9Q277TDX4Z1W9",
            "MRC5K9Q277TDX4Z1W8 fuzzy 0.89",
            &[],
        ),
    ] {
        let answer = find(&with_serials(stored), asked, false);
        assert_eq!(shown(&answer), found, "{asked}");
        assert_eq!(serials(&answer.suggestions), suggested, "{asked}");
    }
    // Found by folding: a suggestion where it must not decide.
    let world = with_serials(&["A0B1C", "ZZZZZ"]);
    let answer = now(desk(world).fee_quote(&identifier("AOBIC"), date(TODAY))).unwrap();
    assert!(answer.quote.is_none());
    assert_eq!(serials(&answer.suggestions), ["A0B1C"]);
}

#[test]
fn two_kinds_of_identifiers_can_clash() {
    let mut world = with_serials(&["AX9-1", "AX9-2"]);
    world.units[0].device.asset_tag = Some(AssetTag::new("ax9 2").unwrap());
    let answer = find(&world, "AX9-2", false);
    assert_eq!(shown(&answer), "nothing");
    assert_eq!(serials(&answer.suggestions), ["AX9-1", "AX9-2"]);
    // The same unit by two of its identifiers is one unit.
    world.units.pop();
    world.units[0].device.asset_tag = Some(AssetTag::new("ax9 1").unwrap());
    assert_eq!(shown(&find(&world, "AX9-1", false)), "AX9-1 serial 1");
}

#[test]
fn cover_says_the_same_as_coverage() {
    let world = demo();
    for (serial, covered) in [
        ("AX2-0001-0004", true),
        ("AX2-0001-0005", false),
        ("BX1-0003-0001", false),
    ] {
        let DeviceFound::Shown(shown) = find(&world, serial, false).found else {
            panic!("{serial}");
        };
        assert_eq!(shown.cover.is_covered(), covered, "{serial}");
        assert_eq!(shown.matched_on, MatchedOn::Serial);
    }
}

fn search(world: &Memory, name: &str, model: &str, sku: &str, take: u32) -> DeviceSearchAnswer {
    let criteria = DeviceCriteria {
        product_name: criterion(name),
        model: criterion(model),
        sku: criterion(sku),
    };
    now(desk(world.clone()).search_devices(&criteria, take)).unwrap()
}

fn listed(answer: &DeviceSearchAnswer) -> Vec<String> {
    let line = |(unit, score): &(
        refund_domain::warranty::ListedUnit,
        refund_domain::warranty::Score,
    )| { format!("{} {score}", unit.device.serial.as_str()) };
    answer.units.iter().map(line).collect()
}

#[test]
fn a_search_by_product() {
    let world = demo();
    let answer = search(&world, "handheld terminal", "", "", 10);
    assert_eq!((answer.matches, answer.suppressed), (4, 1));
    assert_eq!(
        listed(&answer),
        [
            "AX2-0001-0001 0.85",
            "AX2-0001-0003 0.85",
            "AX2-0001-0004 0.85",
            "AX2-0001-0005 0.85"
        ]
    );
    assert_eq!(
        listed(&search(&world, "handheld terminal", "", "", 2)).len(),
        2
    );
    assert_eq!(search(&world, "handheld terminal", "", "", 2).matches, 4);
    // A product whose model is not known apart is found by its name.
    assert_eq!(listed(&search(&world, "", "ax400", "", 10)).len(), 3);
    assert_eq!(
        listed(&search(&world, "", "", "cr-10", 10)),
        ["CR1-0004-0001 0.9", "CR1-0004-0002 0.9"]
    );
    // Every criterion restricts.
    assert_eq!(search(&world, "terminal", "", "CR-10-CRD", 10).matches, 0);
    assert_eq!(
        listed(&search(&world, "terminal", "", "BX-100-KT", 10)).len(),
        2
    );
    // A mistyped word.
    assert_eq!(
        search(&world, "AX-400 Ruged Terminal", "", "", 10).matches,
        3
    );
    // Products with one score: by number, then by serial number.
    let terminals = listed(&search(&world, "terminal", "", "", 25));
    assert_eq!(terminals.len(), 9);
    assert!(terminals.is_sorted());
}

// Cases.
#[test]
fn searches_that_are_not_made() {
    let world = demo();
    for (name, model, sku, reason) in [
        (
            "",
            "",
            "",
            "Nothing was asked for: give at least one criterion.",
        ),
        (
            " ",
            "\u{3000}",
            "",
            "Nothing was asked for: give at least one criterion.",
        ),
        ("a", "", "", "productName says too little"),
        ("", "-", "", "model says too little"),
        ("terminal", "", "x", "sku says too little"),
    ] {
        let answer = search(&world, name, model, sku, 10);
        assert!(
            answer.refusal.unwrap().to_string().starts_with(reason),
            "{name} {model} {sku}"
        );
        assert_eq!((answer.matches, answer.units.len()), (0, 0));
    }
    for (name, matches) in [
        ("2k", 0),
        ("33", 0),
        ("2k 33", 0),
        ("zzzzzz", 0),
        ("kiosk kt", 0),
        ("bx 100 kiosk", 2),
    ] {
        let answer = search(&world, name, "", "", 10);
        assert_eq!((answer.refusal, answer.matches), (None, matches), "{name}");
    }
}

// Case R-088.
#[test]
fn a_search_that_fits_everything_is_refused() {
    let mut world = demo();
    world.products = (0..2_001)
        .map(|number| product(&format!("P-{number}"), &format!("Terminal {number}"), None))
        .collect();
    let answer = search(&world, "terminal", "", "", 10);
    assert_eq!(
        answer.refusal.unwrap().to_string(),
        "productName fits more than 2000 entries: give more of it, or another criterion."
    );
    world.products.pop();
    assert_eq!(search(&world, "terminal", "", "", 10).refusal, None);
}

#[test]
fn open_returns_of_a_unit() {
    let desk = desk(demo());
    let returns = |text: &str| now(desk.open_returns(&identifier(text)));
    let answer = returns("AX2-0001-0002").unwrap();
    let numbers: Vec<&str> = answer
        .returns
        .iter()
        .map(|one| one.rma_number.as_str())
        .collect();
    assert_eq!(numbers, ["RMA-2026-00001"]);
    assert_eq!(returns("AX2-0001-0001").unwrap().returns, []);
    for text in [
        "NO-SUCH-SERIAL-0000",
        "ax2-0001-0002",
        "AX2-0001-0002 ",
        "--",
    ] {
        let refused = matches!(
            returns(text),
            Err(WarrantyDeskError::Refused(WarrantyRefusal::DeviceNotFound))
        );
        assert!(refused, "{text}");
    }
}
