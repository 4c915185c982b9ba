//! What is asked: mostly of things that are there, as people write them.

use refund_domain::CustomerId;
use refund_domain::warranty::{
    AddressText, Criterion, CustomerCriteria, DeviceCriteria, Identifier, ProblemText, RegionCode,
    ReportedFacts,
};
use refund_domain::{ExternalId, PhoneNumber};
use refund_store::contract::given::id;
use refund_store::contract::given_units::{Generator, World, criterion, identifier};

use super::world::{CUSTOMERS, line, number};

/// A text as somebody else writes it: with a letter more, less or another, in another case, without its
/// punctuation, or only the beginning of it.
fn mistyped(generator: &mut Generator, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let place = generator.below(letters.len());
    match generator.below(12) {
        0 => letters[place] = *generator.one_of(&['0', 'O', '1', 'S', 'x', 'q', '-']),
        1 => letters.insert(place, *generator.one_of(&['0', 'A', '7', ' ', 'e'])),
        2 => drop(letters.remove(place)),
        3 => return text.to_lowercase(),
        4 => return text.to_uppercase().replace(['-', ' ', '_', ':'], ""),
        5 => letters.truncate(place),
        6 => return format!("0{text}"),
        _ => {}
    }
    letters.into_iter().collect()
}

/// A question to the desk.
#[derive(Debug)]
pub(super) enum Question {
    Coverage(Identifier, ReportedFacts),
    Quote(Identifier),
    Find(Identifier, bool),
    Search(DeviceCriteria, u32),
    OpenReturns(Identifier),
    Customer(CustomerCriteria, u32),
    Address(CustomerId, AddressText),
}

fn an_identifier(generator: &mut Generator, world: &World) -> Identifier {
    let device = &generator.one_of(&world.units).device;
    let known: Vec<&str> = device.identifiers().map(|(_, text)| text).collect();
    let known = *generator.one_of(&known);
    let text = match generator.below(8) {
        0 => number(generator),
        _ => mistyped(generator, known),
    };
    Identifier::new(&text).unwrap_or_else(|_| identifier("A0"))
}

fn a_criterion(generator: &mut Generator, text: &str) -> Option<Criterion> {
    criterion(&mistyped(generator, text))
}

pub(super) fn question(generator: &mut Generator, world: &World) -> Question {
    let take = 1 + u32::try_from(generator.below(25)).unwrap();
    match generator.below(7) {
        0 => Question::Coverage(an_identifier(generator, world), facts(generator)),
        1 => Question::Quote(an_identifier(generator, world)),
        2 => Question::Find(an_identifier(generator, world), generator.below(2) == 0),
        3 => Question::Search(of_a_product(generator, world), take),
        4 => Question::OpenReturns(match generator.below(3) {
            0 => an_identifier(generator, world),
            _ => identifier(generator.one_of(&world.units).device.serial.as_str()),
        }),
        5 => Question::Customer(of_a_person(generator, world), take),
        _ => an_address(generator, world),
    }
}

fn facts(generator: &mut Generator) -> ReportedFacts {
    let problems = [
        None,
        Some("dead on arrival"),
        Some("it was dropped"),
        Some("no liquid"),
    ];
    let problem = *generator.one_of(&problems);
    ReportedFacts {
        problem: problem.map(|text| ProblemText::new(text).unwrap()),
        region: (generator.below(4) == 0).then(|| RegionCode::new("US").unwrap()),
        proof_of_purchase: *generator.one_of(&[None, Some(true), Some(false)]),
        has_open_return: *generator.one_of(&[None, Some(true), Some(false), Some(false)]),
    }
}

fn of_a_product(generator: &mut Generator, world: &World) -> DeviceCriteria {
    let known = generator.one_of(&world.products).clone();
    let words = generator.words();
    let mut criteria = DeviceCriteria::default();
    match generator.below(4) {
        0 => criteria.sku = a_criterion(generator, known.sku.as_str()),
        1 => criteria.model = a_criterion(generator, known.model_or_name()),
        2 => criteria.product_name = a_criterion(generator, known.name.as_str()),
        _ => criteria.product_name = a_criterion(generator, &words),
    }
    if generator.below(6) == 0 {
        criteria.model = a_criterion(generator, known.model_or_name());
    }
    criteria
}

fn of_a_person(generator: &mut Generator, world: &World) -> CustomerCriteria {
    let known = generator.one_of(&world.customers).clone();
    let phone = known
        .phone_number
        .as_ref()
        .map_or("5550101", PhoneNumber::as_str);
    let external_id = known
        .external_id
        .as_ref()
        .map_or("Ext-0", ExternalId::as_str);
    let mut criteria = CustomerCriteria::default();
    match generator.below(5) {
        0 => criteria.email = a_criterion(generator, known.email.as_str()),
        1 => criteria.phone_number = a_criterion(generator, phone),
        2 => criteria.external_id = a_criterion(generator, external_id),
        _ => criteria.name = a_criterion(generator, known.name.as_str()),
    }
    if generator.below(6) == 0 {
        criteria.name = a_criterion(generator, known.name.as_str());
    }
    criteria
}

fn an_address(generator: &mut Generator, world: &World) -> Question {
    let (owner, address) = generator.one_of(&world.addresses).clone();
    let of = match generator.below(6) {
        0 => id(u32::try_from(generator.below(CUSTOMERS as usize + 20)).unwrap()),
        _ => owner,
    };
    let text = match generator.below(4) {
        0 => line(generator),
        2 => address.city.as_str().to_owned(),
        1 => format!("{} {}", address.line1.as_str(), address.city.as_str()),
        _ => address.line1.as_str().to_owned(),
    };
    let text = mistyped(generator, &text);
    let text = AddressText::new(&text).unwrap_or_else(|_| AddressText::new("US").unwrap());
    Question::Address(of, text)
}
