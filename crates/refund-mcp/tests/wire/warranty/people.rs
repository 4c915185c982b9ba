//! Customers and their addresses.

use serde_json::{Value, json};

use super::{Depot, customer, demo};

fn depot() -> Depot {
    let mut jane = customer("CUST-00021", "Jane Beltrán", "jane@example.com");
    jane["external_id"] = json!("EXT-7");
    jane["phone_number"] = json!("+1-202-555-0142");
    let main = |customer: &str, line: &str, city: &str, default: bool| {
        json!({
            "customer_id": customer, "label": if default { "Home" } else { "Office" }, "line1": line,
            "city": city, "state_or_province": "IL", "postal_code": "62704", "country_code": "US",
            "is_default": default,
        })
    };
    Depot::new(&json!({
        "customers": [
            jane,
            customer("CUST-00022", "Robin O'Brien", "robin@example.com"),
            customer("CUST-00023", "Robin Smyth", "smyth@example.com"),
            customer("CUST-00024", "山田 太郎", "taro@例え.example"),
        ],
        "addresses": [
            main("CUST-00021", "12 Oak Street", "Springfield", true),
            main("CUST-00021", "400 Market Street", "Shelbyville", false),
        ],
    }))
}

fn ids(answer: &Value) -> Vec<&str> {
    let customers = answer["customers"].as_array().unwrap().iter();
    customers
        .map(|one| one["customerId"].as_str().unwrap())
        .collect()
}

// Cases.
#[test]
fn an_address_is_one_customers_or_nobodys() {
    let depot = depot();
    let mut client = depot.connect();
    for (email, found) in [
        ("jane@example.com", &["CUST-00021"][..]),
        ("  Jane@Example.COM ", &["CUST-00021"]),
        // Both spellings of a domain are one.
        ("taro@例え.example", &["CUST-00024"]),
        ("taro@xn--r8jz45g.example", &["CUST-00024"]),
        ("j\u{430}ne@example.com", &[]),
        ("jane@ex\u{430}mple.com", &[]),
        ("jane", &[]),
    ] {
        let answer = client.call("find_customer", &json!({ "email": email }));
        assert_eq!(ids(&answer), found, "{email}");
        let note = answer["note"].as_str().unwrap();
        assert_eq!(
            note.contains("outside the English alphabet"),
            found.is_empty() && !email.is_ascii(),
            "{email}: {note}"
        );
    }
}

#[test]
fn names_are_compared_as_people_write_them() {
    let depot = depot();
    let mut client = depot.connect();
    for (name, found, confirm) in [
        ("jane beltran", &["CUST-00021"][..], false),
        ("robin o brien", &["CUST-00022"], false),
        ("robin", &["CUST-00022", "CUST-00023"], true),
        ("山田太郎", &["CUST-00024"], false),
        ("Zzyzx Qwerty", &[], false),
    ] {
        let answer = client.call("find_customer", &json!({ "name": name }));
        assert_eq!(ids(&answer), found, "{name}");
        assert_eq!(answer["matchCount"], found.len(), "{name}");
        assert_eq!(answer["requiresConfirmation"], confirm, "{name}: {answer}");
    }
    let answer = client.call("find_customer", &json!({ "name": "robin", "take": 1 }));
    assert_eq!((ids(&answer).len(), &answer["matchCount"]), (1, &json!(2)));
    for (criteria, reason) in [
        (json!({}), "Nothing was asked for"),
        (json!({ "name": " ", "email": "" }), "Nothing was asked for"),
        (json!({ "name": "x" }), "name says too little"),
        (
            json!({ "phoneNumber": "12" }),
            "phoneNumber says too little",
        ),
    ] {
        let answer = client.call("find_customer", &criteria);
        assert_eq!((&answer["matchCount"], ids(&answer).len()), (&json!(0), 0));
        assert!(
            answer["refusalReason"]
                .as_str()
                .unwrap()
                .starts_with(reason),
            "{answer}"
        );
    }
}

#[test]
fn every_criterion_restricts() {
    let depot = depot();
    let mut client = depot.connect();
    let all = json!({
        "name": "Jane", "email": "jane@example.com", "phoneNumber": "(202) 555-0142",
        "externalCustomerId": "EXT-7",
    });
    assert_eq!(ids(&client.call("find_customer", &all)), ["CUST-00021"]);
    for (key, other) in [
        ("name", "Robin"),
        ("email", "robin@example.com"),
        ("phoneNumber", "+1 202 555 0143"),
        ("externalCustomerId", "EXT-8"),
    ] {
        let mut changed = all.clone();
        changed[key] = json!(other);
        assert_eq!(
            client.call("find_customer", &changed)["matchCount"],
            0,
            "{key}"
        );
    }
}

#[test]
fn a_country_or_a_street_word_is_no_address() {
    let depot = depot();
    let mut client = depot.connect();
    for (text, line, resolved) in [
        ("12 oak street, springfield", "12 Oak Street", true),
        ("my office", "400 Market Street", true),
        ("US", "12 Oak Street", false),
        ("United States of America", "12 Oak Street", false),
        ("street", "12 Oak Street", false),
        ("the", "12 Oak Street", false),
        ("IL", "12 Oak Street", false),
        ("99 Elm Avenue, Capital City", "12 Oak Street", false),
    ] {
        let arguments = json!({ "customerId": "CUST-00021", "freeTextAddress": text });
        let answer = client.call("resolve_shipping_address", &arguments);
        assert_eq!(answer["address"]["line1"], line, "{text}");
        assert_eq!(
            (&answer["resolved"], &answer["isFallback"]),
            (&json!(resolved), &json!(!resolved)),
            "{text}"
        );
        assert_eq!(answer.get("reason").is_some(), !resolved, "{text}");
        let score = answer["matchScore"].as_f64().unwrap();
        // Never more than what was achieved: a text that resolves has reached the threshold.
        assert!(
            (0.0..=1.0).contains(&score) && (!resolved || score >= 0.55),
            "{text} {score}"
        );
    }
    let none = json!({ "customerId": "CUST-00022", "freeTextAddress": "12 Oak Street" });
    let answer = client.call("resolve_shipping_address", &none);
    assert_eq!(
        (&answer["resolved"], &answer["isFallback"]),
        (&json!(false), &json!(false))
    );
    assert!(answer.get("address").is_none() && answer["reason"].as_str().is_some());
    let nobody = json!({ "customerId": "CUST-99999", "freeTextAddress": "12 Oak Street" });
    assert_eq!(
        client.refused("resolve_shipping_address", &nobody),
        (
            "CUSTOMER_NOT_FOUND".to_owned(),
            "Customer CUST-99999 was not found.".to_owned()
        )
    );
}

#[test]
fn the_customers_of_the_demonstration() {
    let mut client = demo().connect();
    for number in 9..=16 {
        let external = format!("EXT-{}", 9_992 + number);
        let answer = client.call("find_customer", &json!({ "externalCustomerId": external }));
        assert_eq!(ids(&answer), [format!("CUST-{number:05}")]);
        let found = &answer["customers"][0];
        let addresses = found["addressCount"].as_u64().unwrap();
        assert!((1..=2).contains(&addresses), "{external}");
        // By the name as it is written: the customer is the first, or one of those of that name.
        let name = found["fullName"].as_str().unwrap();
        let named = client.call("find_customer", &json!({ "name": name }));
        assert_eq!(named["customers"][0]["customerId"], found["customerId"]);
        assert_eq!(named["customers"][0]["matchScore"], 1);
        // A country is no address of anybody.
        let arguments = json!({ "customerId": found["customerId"], "freeTextAddress": "US" });
        assert_eq!(
            client.call("resolve_shipping_address", &arguments)["resolved"],
            false
        );
    }
    let smyths = client.call("find_customer", &json!({ "name": "Smyth" }));
    assert_eq!(
        (&smyths["matchCount"], &smyths["requiresConfirmation"]),
        (&json!(2), &json!(true))
    );
}
