//! The desk of a caller for whom one customer exists.

use std::sync::Arc;

use refund_domain::CustomerId;
use refund_domain::ports::Scoped;
use refund_domain::warranty::{
    AddressText, CustomerCriteria, DeviceCriteria, DeviceFound, ReportedFacts, WarrantyDesk,
    WarrantyDeskError, WarrantyRefusal,
};

use crate::support::{Memory, TODAY, criterion, date, demo, identifier, now};

const MINE: [&str; 3] = ["AX2-0001-0001", "AX2-0001-0002", "BX1-0003-0001"];

fn customer(number: u32) -> CustomerId {
    CustomerId::new(&format!("CUST-{number:05}")).unwrap()
}

/// The demonstration data, of which some units are one customer's, some another's and some nobody's.
fn desk(only: Option<CustomerId>) -> (Memory, WarrantyDesk<Scoped<Memory>>) {
    let mut world = demo();
    for unit in &mut world.units {
        let serial = unit.device.serial.as_str();
        unit.device.customer_id = match serial {
            _ if MINE.contains(&serial) => Some(customer(9)),
            _ if serial.starts_with('C') => None,
            _ => Some(customer(10)),
        };
    }
    let reader = Scoped::new(world.clone(), only);
    (world, WarrantyDesk::new(reader, Arc::default()))
}

#[test]
fn a_bound_caller_sees_its_own_units_alone() {
    let (world, desk) = desk(Some(customer(9)));
    let mut seen = 0;
    for unit in &world.units {
        let mine = MINE.contains(&unit.device.serial.as_str());
        for (_, text) in unit.device.identifiers() {
            let asked = identifier(text);
            let judged =
                now(desk.check_coverage(&asked, date(TODAY), &ReportedFacts::default())).unwrap();
            assert_eq!(judged.unit.is_some(), mine, "{text}");
            let quoted = now(desk.fee_quote(&asked, date(TODAY))).unwrap();
            assert_eq!(quoted.quote.is_some(), mine, "{text}");
            let found = now(desk.find_device(&asked, date(TODAY), true)).unwrap();
            let exact = matches!(&found.found, DeviceFound::Shown(shown) if shown.unit.device.serial == unit.device.serial);
            assert_eq!(exact, mine, "{text}");
            let near = judged.suggestions.iter().chain(&found.suggestions);
            for suggestion in near {
                assert!(MINE.contains(&suggestion.serial.as_str()), "{text}");
            }
            seen += 1;
        }
        let returns = now(desk.open_returns(&identifier(unit.device.serial.as_str())));
        assert_eq!(returns.is_ok(), mine);
        assert!(
            returns.is_ok()
                || matches!(
                    returns.unwrap_err(),
                    WarrantyDeskError::Refused(WarrantyRefusal::DeviceNotFound)
                )
        );
    }
    assert!(seen > world.units.len());
    let search = |name: &str| {
        let criteria = DeviceCriteria {
            product_name: criterion(name),
            ..DeviceCriteria::default()
        };
        now(desk.search_devices(&criteria, 10)).unwrap()
    };
    let answer = search("terminal");
    assert_eq!((answer.matches, answer.suppressed), (2, 1));
    let serials: Vec<_> = answer
        .units
        .iter()
        .map(|(unit, _)| unit.device.serial.as_str())
        .collect();
    assert_eq!(serials, ["AX2-0001-0001", "BX1-0003-0001"]);
    assert_eq!(search("cradle").matches, 0);
}

#[test]
fn a_bound_caller_sees_its_own_customer_alone() {
    let (world, bound) = desk(Some(customer(9)));
    let (_, free) = desk(None);
    for (one, addresses) in &world.customers {
        let mine = one.id == customer(9);
        let by = |criteria: CustomerCriteria| {
            let found = |desk: &WarrantyDesk<Scoped<Memory>>| {
                now(desk.find_customer(&criteria, 25)).unwrap().customers
            };
            let all = found(&free);
            assert!(all.iter().any(|found| found.customer.id == one.id));
            let own: Vec<_> = all
                .into_iter()
                .filter(|found| found.customer.id == customer(9))
                .collect();
            assert_eq!(found(&bound), own, "{:?}", one.id);
        };
        let none = CustomerCriteria::default();
        by(CustomerCriteria {
            name: criterion(one.name.as_str()),
            ..none.clone()
        });
        by(CustomerCriteria {
            email: criterion(one.email.as_str()),
            ..none.clone()
        });
        let phone = one.phone_number.as_ref().unwrap().as_str();
        by(CustomerCriteria {
            phone_number: criterion(phone),
            ..none.clone()
        });
        let external = one.external_id.as_ref().unwrap();
        by(CustomerCriteria {
            external_id: criterion(external.as_str()),
            ..none
        });
        let text = addresses
            .first()
            .map_or("anywhere", |first| first.line1.as_str());
        let text = AddressText::new(text).unwrap();
        assert_eq!(
            now(bound.resolve_shipping_address(one.id, &text)).is_ok(),
            mine
        );
        assert!(now(free.resolve_shipping_address(one.id, &text)).is_ok());
    }
    // A part of the name, which two customers share.
    let smyth = CustomerCriteria {
        name: criterion("Smyth"),
        ..CustomerCriteria::default()
    };
    assert_eq!(now(free.find_customer(&smyth, 25)).unwrap().matches, 2);
    assert_eq!(now(bound.find_customer(&smyth, 25)).unwrap().matches, 1);
}
