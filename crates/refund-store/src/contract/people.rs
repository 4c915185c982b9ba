//! Customers are found by what is known of them, and their addresses by what they write.

use std::cmp::Reverse;

use refund_domain::warranty::{
    AddressFound, AddressReader, AddressText, CustomerCriteria, CustomerSearch,
    CustomerSearchAnswer, PhoneProbe, Phrase, Score, SearchRefusal, TextProbe, score,
};
use refund_domain::{EmailAddress, ExternalId, PhoneNumber};

use super::WarrantyContractStore;
use super::given::{customer, id};
use super::given_units::{Generator, World, address, criterion, desk};
use crate::DemoData;

async fn demo<F: WarrantyContractStore>() -> F {
    F::with_data(DemoData::Warranty.json()).await
}

fn by_name(name: &str) -> CustomerCriteria {
    CustomerCriteria {
        name: criterion(name),
        ..CustomerCriteria::default()
    }
}

async fn find<F: WarrantyContractStore>(
    made: &F,
    criteria: &CustomerCriteria,
) -> CustomerSearchAnswer {
    desk(made).find_customer(criteria, 25).await.unwrap()
}

fn found(answer: &CustomerSearchAnswer) -> Vec<String> {
    let customers = answer.customers.iter();
    customers
        .map(|found| format!("{} {}", found.customer.id, found.score))
        .collect()
}

/// Names with accents, apostrophes, mistakes and in Japanese; telephone numbers with and without their
/// country; addresses in any case; external ids to the letter.
pub async fn customers_are_found_by_what_is_known_of_them<F: WarrantyContractStore>() {
    let made = demo::<F>().await;
    let phone = |number: &str| CustomerCriteria {
        phone_number: criterion(number),
        ..CustomerCriteria::default()
    };
    let email = |address: &str| CustomerCriteria {
        email: criterion(address),
        ..CustomerCriteria::default()
    };
    let external = |id: &str| CustomerCriteria {
        external_id: criterion(id),
        ..CustomerCriteria::default()
    };
    for (criteria, expected) in [
        (by_name("Harriet Smyth"), &["CUST-00009 1"][..]),
        (by_name("smyth"), &["CUST-00010 0.9", "CUST-00009 0.85"]),
        (by_name("Hariet Smyth"), &["CUST-00009 0.89"]),
        (by_name("Lucia Beltran"), &["CUST-00012 1"]),
        (by_name("beltran"), &["CUST-00012 0.85"]),
        (by_name("SIOBHAN OBRIEN KALE"), &["CUST-00013 1"]),
        (by_name("o\u{2019}brien"), &["CUST-00013 0.85"]),
        (by_name("山田太郎"), &["CUST-00011 1"]),
        (by_name("山田"), &["CUST-00011 0.9"]),
        (by_name("李"), &["CUST-00015 0.9"]),
        (by_name("Zebulon Quux"), &[]),
        (phone("+44 20 7946 0958"), &["CUST-00010 1"]),
        (phone("020 7946 0958"), &["CUST-00010 0.9"]),
        (phone("0081 3 5550 0100"), &["CUST-00011 1"]),
        (phone("+1 (202) 555-0101"), &["CUST-00009 1"]),
        (phone("+1 (202) 555-0102"), &[]),
        (email(" Harriet.SMYTH@Example.COM "), &["CUST-00009 1"]),
        (email("mia.th\u{43e}rnbury@example.com"), &[]),
        (external("EXT-10001"), &["CUST-00009 1"]),
        (external("ext-10001"), &[]),
    ] {
        let answer = find(&made, &criteria).await;
        assert_eq!(found(&answer), expected, "{expected:?}");
    }
    let harriet = find(&made, &by_name("Harriet Smyth")).await;
    assert_eq!(harriet.customers[0].address_count, 2);
}

/// *Invariant:* an index answers as a full scan by the scorer does, order included.
pub async fn names_are_found_as_a_scan_finds_them<F: WarrantyContractStore>() {
    let mut generator = Generator::new(13);
    let names: Vec<String> = (0..400).map(|_| generator.words()).collect();
    let world = World::of_names(&names);
    let made: F = world.stored().await;
    let mut all = 0;
    for _ in 0..300 {
        let asked = generator.words();
        let query = Phrase::of(&asked);
        let mut scanned: Vec<(Score, u32)> = world
            .customers
            .iter()
            .map(|customer| {
                let text = Phrase::of(customer.name.as_str());
                (score(&query, &text), customer.id.number())
            })
            .filter(|(score, _)| *score >= Score::PERSON_THRESHOLD)
            .collect();
        scanned.sort_by_key(|(score, number)| (Reverse(*score), *number));
        let answer = find(&made, &by_name(&asked)).await;
        assert_eq!(answer.refusal, None, "{asked}");
        assert_eq!(answer.matches, scanned.len() as u64, "{asked}");
        let expected: Vec<String> = scanned
            .iter()
            .take(25)
            .map(|(score, number)| format!("CUST-{number:05} {score}"))
            .collect();
        assert_eq!(found(&answer), expected, "{asked}");
        all += scanned.len();
    }
    assert!(all > 1_000, "{all}");
}

/// Every field of who is found, each of them once, and no more than are wanted.
pub async fn a_customer_is_listed_once_and_whole<F: WarrantyContractStore>() {
    let mut known = customer(1, 500, "JPY");
    known.phone_number = Some(PhoneNumber::new("+1 (202) 555-0101").unwrap());
    known.external_id = Some(ExternalId::new("EXT-1").unwrap());
    let mut customers = vec![known.clone()];
    for number in 2..8 {
        let mut other = customer(number, 0, "USD");
        // Shorter and longer forms of one number.
        let phone = ["2025550101", "5550101", "0012025550101"][number as usize % 3];
        other.phone_number = Some(PhoneNumber::new(phone).unwrap());
        customers.push(other);
    }
    let world = World {
        customers,
        ..World::default()
    };
    let made: F = world.stored().await;
    let reader = made.reader();
    // Both words, both by key and by beginning.
    let probe = TextProbe::of("Alice Johnson").unwrap();
    let mut named = reader.customers_named(&probe, 100).await.unwrap();
    named.sort_by_key(|customer| customer.id);
    assert_eq!(named, world.customers);
    assert_eq!(reader.customers_named(&probe, 3).await.unwrap().len(), 3);
    let probe = PhoneProbe::of("202-555-0101").unwrap();
    let mut phoned = reader.customers_with_phone(&probe, 100).await.unwrap();
    phoned.sort_by_key(|customer| customer.id);
    assert_eq!(phoned, world.customers);
    let limited = reader.customers_with_phone(&probe, 3).await.unwrap();
    assert_eq!(limited.len(), 3);
    let email = EmailAddress::new("CUSTOMER.1@example.com").unwrap();
    let by_email = reader.customer_with_email(&email).await.unwrap();
    let id = ExternalId::new("EXT-1").unwrap();
    let by_id = reader.customer_with_external_id(&id).await.unwrap();
    assert_eq!((by_email, by_id), (Some(known.clone()), Some(known)));
}

/// One address in its two spellings is one customer's (case R-092).
pub async fn a_domain_in_punycode_is_the_same_domain<F: WarrantyContractStore>() {
    let mut jane = customer(1, 0, "USD");
    jane.email = EmailAddress::new("Jane@Bücher.example").unwrap();
    let world = World {
        customers: vec![jane.clone()],
        ..World::default()
    };
    let made: F = world.stored().await;
    for (asked, known) in [
        ("jane@xn--bcher-kva.example", true),
        ("jane@bücher.example", true),
        ("JANE@BÜCHER.EXAMPLE", true),
        ("jane@bucher.example", false),
        ("jane@xn--bucher-kva.example", false),
    ] {
        let email = EmailAddress::new(asked).unwrap();
        let found = made.reader().customer_with_email(&email).await.unwrap();
        assert_eq!(found, known.then(|| jane.clone()), "{asked}");
    }
}

/// More candidates than can be told apart are refused, and one fewer are not.
pub async fn a_name_of_everybody_is_refused<F: WarrantyContractStore>() {
    let mut world = World::of_names(&vec!["Robin Vale".to_owned(); 2_001]);
    let made: F = world.stored().await;
    let answer = find(&made, &by_name("vale")).await;
    assert_eq!(answer.refusal, Some(SearchRefusal::TooBroad("name")));
    world.customers.pop();
    let made: F = world.stored().await;
    let answer = find(&made, &by_name("vale")).await;
    assert_eq!((answer.refusal, answer.matches), (None, 2_000));
    assert_eq!(found(&answer).first().unwrap(), "CUST-00000 0.85");
}

/// In the order in which they were added; a customer without any is not an unknown one.
pub async fn addresses_come_in_the_order_in_which_they_were_added<F: WarrantyContractStore>() {
    let addresses = [
        (1, address("9 Zinnia Road", false)),
        (2, address("1 Elm Street", false)),
        (1, address("1 Ash Lane", true)),
        (1, address("5 Elm Street", false)),
    ];
    let world = World {
        customers: (1..4).map(|number| customer(number, 0, "USD")).collect(),
        addresses: addresses
            .iter()
            .map(|(number, address)| (id(*number), address.clone()))
            .collect(),
        ..World::default()
    };
    let made: F = world.stored().await;
    let reader = made.reader();
    for (number, expected) in [(1, Some(3)), (2, Some(1)), (3, Some(0)), (4, None)] {
        let read = reader.addresses_of(id(number)).await.unwrap();
        let theirs = addresses.iter().filter(|(owner, _)| *owner == number);
        let theirs: Vec<_> = theirs.map(|(_, address)| address.clone()).collect();
        assert_eq!(read.as_ref().map(Vec::len), expected);
        assert_eq!(read.unwrap_or_default(), theirs);
    }
    let ids = [id(3), id(1), id(2), id(1)];
    let counts = reader.address_counts(&ids).await.unwrap();
    assert_eq!(counts, [0, 3, 1, 3]);
}

/// The address that a text means, the usual one, or none.
pub async fn a_text_means_an_address<F: WarrantyContractStore>() {
    let made = demo::<F>().await;
    let desk = desk(&made);
    for (number, text, expected) in [
        (9, "the office", "resolved 400 Market Street"),
        (9, "12 oak street springfield", "resolved 12 Oak Street"),
        (9, "US", "fallback 12 Oak Street"),
        (9, "99 Elm Avenue", "fallback 12 Oak Street"),
        (
            12,
            "avenida del puerto 21 valencia",
            "resolved 21 Avenida del Puerto",
        ),
        (12, "Malaga, calle mayor 7", "resolved 7 Calle Mayor"),
        (16, "18 palm walk dubai", "resolved Villa 3"),
    ] {
        let text = AddressText::new(text).unwrap();
        let answer = desk.resolve_shipping_address(id(number), &text);
        let shown = match answer.await.unwrap().found {
            AddressFound::Resolved(address) => format!("resolved {}", address.line1.as_str()),
            AddressFound::Fallback(address, _) => format!("fallback {}", address.line1.as_str()),
            AddressFound::NoAddress => "none".to_owned(),
        };
        assert_eq!(shown, expected);
    }
    let text = AddressText::new("12 Oak Street").unwrap();
    let unknown = desk.resolve_shipping_address(id(99), &text);
    assert!(unknown.await.is_err());
}
