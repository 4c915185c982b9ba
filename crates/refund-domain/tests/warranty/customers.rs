//! Customers by what is known of them, and their addresses.

use proptest::prelude::*;
use refund_domain::warranty::{
    AddressFound, AddressText, CustomerCriteria, CustomerSearchAnswer, WarrantyDeskError,
    WarrantyRefusal,
};
use refund_domain::{CustomerId, PersonName};

use crate::support::{Memory, criterion, demo, desk, now};

fn find(world: &Memory, criteria: &CustomerCriteria) -> CustomerSearchAnswer {
    now(desk(world.clone()).find_customer(criteria, 5)).unwrap()
}

fn by_name(name: &str) -> CustomerCriteria {
    CustomerCriteria {
        name: criterion(name),
        ..CustomerCriteria::default()
    }
}

fn found(answer: &CustomerSearchAnswer) -> Vec<String> {
    answer
        .customers
        .iter()
        .map(|found| format!("{} {}", found.customer.id, found.score))
        .collect()
}

#[test]
fn names_as_people_type_them() {
    for (name, expected) in [
        ("Harriet Smyth", &["CUST-00009 1"][..]),
        ("smyth", &["CUST-00010 0.9", "CUST-00009 0.85"]),
        ("Hariet Smyth", &["CUST-00009 0.89"]),
        ("Lucia Beltran", &["CUST-00012 1"]),
        ("beltran", &["CUST-00012 0.85"]),
        ("SIOBHAN OBRIEN KALE", &["CUST-00013 1"]),
        ("o\u{2019}brien", &["CUST-00013 0.85"]),
        ("山田太郎", &["CUST-00011 1"]),
        ("山田", &["CUST-00011 0.9"]),
        ("李", &["CUST-00015 0.9"]),
        ("Zebulon Quux", &[]),
    ] {
        let answer = find(&demo(), &by_name(name));
        assert_eq!(found(&answer), expected, "{name}");
        assert_eq!(answer.matches, expected.len() as u64, "{name}");
        assert_eq!(answer.requires_confirmation(), expected.len() > 1, "{name}");
    }
}

#[test]
fn every_criterion_must_fit() {
    let world = demo();
    let all = CustomerCriteria {
        name: criterion("Smyth"),
        email: criterion("  Harriet.SMYTH@Example.COM "),
        phone_number: criterion("(202) 555 0101"),
        external_id: criterion("EXT-10001"),
    };
    assert_eq!(found(&find(&world, &all)), ["CUST-00009 0.85"]);
    assert_eq!(find(&world, &all).customers[0].address_count, 2);
    for change in [
        CustomerCriteria {
            name: criterion("Robin"),
            ..all.clone()
        },
        CustomerCriteria {
            email: criterion("robin.smyth@example.com"),
            ..all.clone()
        },
        CustomerCriteria {
            phone_number: criterion("+1 202 555 0102"),
            ..all.clone()
        },
        CustomerCriteria {
            external_id: criterion("EXT-10002"),
            ..all.clone()
        },
        CustomerCriteria {
            external_id: criterion("ext-10001"),
            ..all.clone()
        },
        CustomerCriteria {
            email: criterion("no address"),
            ..all.clone()
        },
    ] {
        assert_eq!(found(&find(&world, &change)), Vec::<String>::new());
    }
    // Blank is not given.
    let blank = CustomerCriteria {
        name: criterion(" "),
        email: criterion(""),
        phone_number: None,
        external_id: criterion(" EXT-10004 "),
    };
    assert_eq!(found(&find(&world, &blank)), ["CUST-00012 1"]);
}

#[test]
fn a_telephone_number_with_and_without_its_country() {
    for (number, expected) in [
        ("+44 20 7946 0958", &["CUST-00010 1"][..]),
        ("020 7946 0958", &["CUST-00010 0.9"]),
        ("0081 3 5550 0100", &["CUST-00011 1"]),
        ("5550", &[]),
    ] {
        let criteria = CustomerCriteria {
            phone_number: criterion(number),
            ..CustomerCriteria::default()
        };
        assert_eq!(found(&find(&demo(), &criteria)), expected, "{number}");
    }
}

// Case R-089.
#[test]
fn a_look_alike_address_is_another_address() {
    let mut criteria = CustomerCriteria {
        email: criterion("mia.th\u{43e}rnbury@example.com"),
        ..CustomerCriteria::default()
    };
    let answer = find(&demo(), &criteria);
    assert_eq!(found(&answer), Vec::<String>::new());
    assert!(answer.look_alike_letters);
    criteria.email = criterion("mia.thornbury@example.com");
    assert_eq!(found(&find(&demo(), &criteria)), ["CUST-00014 1"]);
    criteria.email = criterion("nobody@example.com");
    assert!(!find(&demo(), &criteria).look_alike_letters);
}

#[test]
fn an_empty_search_says_why() {
    for (criteria, reason) in [
        (CustomerCriteria::default(), "Nothing was asked for"),
        (by_name("  "), "Nothing was asked for"),
        (by_name("x"), "name says too little"),
        (
            CustomerCriteria {
                phone_number: criterion("12"),
                ..CustomerCriteria::default()
            },
            "phoneNumber says too little",
        ),
    ] {
        let answer = find(&demo(), &criteria);
        assert!(
            answer.refusal.unwrap().to_string().starts_with(reason),
            "{reason}"
        );
        assert_eq!(answer.matches, 0);
        assert!(!answer.requires_confirmation());
    }
}

#[test]
fn take_limits_what_is_listed_and_not_what_is_counted() {
    let mut world = demo();
    let template = world.customers[0].clone();
    world.customers = (0..30_u32)
        .map(|number| {
            let mut customer = template.clone();
            customer.0.id = CustomerId::new(&format!("CUST-{:05}", 99 - number)).unwrap();
            customer
        })
        .collect();
    let answer = find(&world, &by_name("smyth"));
    assert_eq!((answer.matches, answer.customers.len()), (30, 5));
    assert!(found(&answer).is_sorted(), "{:?}", found(&answer));
}

#[test]
fn an_address_of_a_customer() {
    let desk = desk(demo());
    let resolve = |id: &str, text: &str| {
        let id = CustomerId::new(id).unwrap();
        now(desk.resolve_shipping_address(id, &AddressText::new(text).unwrap()))
    };
    let line = |id: &str, text: &str| match resolve(id, text).unwrap().found {
        AddressFound::Resolved(address) => format!("resolved {}", address.line1.as_str()),
        AddressFound::Fallback(address, _) => format!("fallback {}", address.line1.as_str()),
        AddressFound::NoAddress => "none".to_owned(),
    };
    assert_eq!(
        line("CUST-00009", "the office"),
        "resolved 400 Market Street"
    );
    assert_eq!(
        line("CUST-00009", "12 oak street springfield"),
        "resolved 12 Oak Street"
    );
    assert_eq!(line("CUST-00009", "US"), "fallback 12 Oak Street");
    assert_eq!(
        line("CUST-00009", "99 Elm Avenue"),
        "fallback 12 Oak Street"
    );
    assert_eq!(
        line("CUST-00012", "avenida del puerto 21 valencia"),
        "resolved 21 Avenida del Puerto"
    );
    assert_eq!(line("CUST-00016", "anywhere at all"), "none");
    let error = resolve("CUST-00099", "12 Oak Street").unwrap_err();
    assert!(matches!(
        error,
        WarrantyDeskError::Refused(WarrantyRefusal::CustomerNotFound { .. })
    ));
}

fn person() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(vec![
            "Smyth", "Smith", "Smythe", "O'Brien", "Obrien", "Beltrán", "山田", "Li", "Lee"
        ])
        .prop_map(str::to_owned),
        "[A-C][a-c]{1,5}",
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// *Invariant:* a store with an index and one that scans give the same answer, order included.
    #[test]
    fn an_index_answers_as_a_scan_does(names in prop::collection::vec(person(), 1..12), query in person()) {
        let template = demo().customers.remove(0);
        let mut world = Memory::default();
        for (number, name) in names.iter().enumerate() {
            let mut customer = template.clone();
            customer.0.id = CustomerId::new(&format!("CUST-{number:05}")).unwrap();
            customer.0.name = PersonName::new(name).unwrap();
            world.customers.push(customer);
        }
        let indexed = find(&world, &by_name(&query));
        world.scans = true;
        world.customers.reverse();
        prop_assert_eq!(find(&world, &by_name(&query)), indexed);
    }
}
