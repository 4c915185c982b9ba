//! The demo data of the warranty desk: days and months are relative to 2026-03-01.

use serde_json::{Value, json};

use Plan::{Accessory, Extended, Premium, Standard};
use When::{Days, Months};

/// Number, name, and the model where it is known apart from the name.
const PRODUCTS: [(&str, &str, Option<&str>); 5] = [
    ("AX-200-HS", "AX-200 Handheld Terminal", Some("AX-200")),
    ("AX-400-RG", "AX-400 Rugged Terminal", None),
    ("BX-100-KT", "BX-100 Kiosk Terminal", None),
    ("CR-10-CRD", "CR-10 Charging Cradle", None),
    ("CBL-USB-3M", "USB-C Charge Cable, 3 m", None),
];

/// A warranty's plan.
#[derive(Clone, Copy)]
enum Plan {
    Standard,
    Extended,
    Premium,
    /// Thirty days from shipping; standard as well.
    Accessory,
}

impl Plan {
    fn name_and_tier(self) -> (&'static str, &'static str) {
        match self {
            Standard => ("Standard Warranty", "standard"),
            Extended => ("Extended Warranty", "extended"),
            Premium => ("Premium Warranty", "premium"),
            Accessory => ("Accessory Warranty", "standard"),
        }
    }
}

/// A day, from 2026-03-01 on.
#[derive(Clone, Copy)]
enum When {
    Months(i32),
    Days(i32),
}

/// A plan with its first and last day, and whether it counts.
type Cover = (Plan, When, When, bool);

/// A unit: serial number, MAC and IMEI, whose it is, days since it was shipped, and its warranties.
type Unit = (
    &'static str,
    Option<(&'static str, &'static str)>,
    Option<u32>,
    i32,
    &'static [Cover],
);

const UNITS: [Unit; 14] = [
    (
        "AX2-0001-0001",
        Some(("A4C1F2E30001", "356938035643809")),
        Some(9),
        120,
        &[(Standard, Months(-24), Months(8), true)],
    ),
    (
        "AX2-0001-0002",
        Some(("A4C1F2E30002", "356938035643810")),
        Some(10),
        90,
        &[(Standard, Months(-24), Months(6), true)],
    ),
    (
        "AX2-0001-0003",
        Some(("A4C1F2E30003", "356938035643811")),
        Some(11),
        200,
        &[(Standard, Months(-24), Months(2), true)],
    ),
    // At the edge of the days of grace.
    (
        "AX2-0001-0004",
        Some(("A4C1F2E30004", "356938035643812")),
        Some(12),
        380,
        &[(Standard, Months(-24), Days(-30), true)],
    ),
    (
        "AX2-0001-0005",
        Some(("A4C1F2E30005", "356938035643813")),
        Some(13),
        500,
        &[(Standard, Months(-48), Months(-24), true)],
    ),
    (
        "AX4-0002-0001",
        Some(("B7D2A1C00001", "356938035643820")),
        Some(14),
        400,
        &[(Extended, Months(-48), Months(10), true)],
    ),
    (
        "AX4-0002-0002",
        Some(("B7D2A1C00002", "356938035643821")),
        Some(15),
        60,
        &[(Extended, Months(-48), Months(24), true)],
    ),
    (
        "AX4-0002-0003",
        Some(("B7D2A1C00003", "356938035643822")),
        Some(16),
        700,
        &[
            (Premium, Months(-48), Months(12), true),
            (Standard, Months(-48), Days(-200), true),
        ],
    ),
    (
        "BX1-0003-0001",
        Some(("C1E5B7D00001", "356938035643830")),
        Some(9),
        1200,
        &[
            (Standard, Months(-48), Months(-24), true),
            (Extended, Months(-12), Months(36), false),
        ],
    ),
    (
        "BX1-0003-0002",
        Some(("C1E5B7D00002", "356938035643831")),
        None,
        45,
        &[(Standard, Months(-48), Days(-90), true)],
    ),
    ("CR1-0004-0001", None, Some(9), 25, SHORT),
    ("CR1-0004-0002", None, None, 60, SHORT),
    ("CBL-0005-0001", None, Some(12), 15, SHORT),
    ("CBL-0005-0002", None, None, 200, SHORT),
];

/// Thirty days from shipping: the days here count from then.
const SHORT: &[Cover] = &[(Accessory, Days(0), Days(30), true)];

/// A customer: id and external id, name, address, telephone number, company, language, and the
/// addresses.
struct Customer {
    number: u32,
    name: &'static str,
    email: &'static str,
    phone: &'static str,
    company: Option<&'static str>,
    language: &'static str,
    addresses: &'static [Address],
}

/// Label, lines, city, state or province, postal code and country. The first one is the default.
type Address = (
    &'static str,
    &'static [&'static str],
    &'static str,
    Option<&'static str>,
    &'static str,
    &'static str,
);

/// Nobody is real; the numbers are those that are kept free for such people, where there are any.
const CUSTOMERS: [Customer; 8] = [
    Customer {
        number: 9,
        name: "Harriet Smyth",
        email: "harriet.smyth@example.com",
        phone: "+1-202-555-0101",
        company: Some("Oak Street Depot"),
        language: "en-US",
        addresses: &[
            (
                "Main",
                &["12 Oak Street"],
                "Springfield",
                Some("IL"),
                "62704",
                "US",
            ),
            (
                "Office",
                &["400 Market Street", "Suite 9"],
                "Springfield",
                Some("IL"),
                "62701",
                "US",
            ),
        ],
    },
    // Written with the family name first.
    Customer {
        number: 10,
        name: "Smyth Robin",
        email: "robin.smyth@example.com",
        phone: "+44 20 7946 0958",
        company: None,
        language: "en-GB",
        addresses: &[("Main", &["7 Mill Lane"], "Leeds", None, "LS1 4AP", "GB")],
    },
    Customer {
        number: 11,
        name: "山田 太郎",
        email: "taro.yamada@example.com",
        phone: "+81-3-5550-0100",
        company: None,
        language: "ja",
        addresses: &[(
            "Main",
            &["1-2-3 Shibuya"],
            "Tokyo",
            Some("Tokyo"),
            "150-0002",
            "JP",
        )],
    },
    Customer {
        number: 12,
        name: "Lucía Beltrán",
        email: "lucia.beltran@example.com",
        phone: "+34 910 555 012",
        company: None,
        language: "es",
        addresses: &[
            ("Main", &["7 Calle Mayor"], "Málaga", None, "29015", "ES"),
            (
                "Almacén",
                &["21 Avenida del Puerto"],
                "Valencia",
                None,
                "46021",
                "ES",
            ),
        ],
    },
    Customer {
        number: 13,
        name: "Siobhán O'Brien-Kale",
        email: "siobhan.obrien@example.com",
        phone: "+91 22 5550 0134",
        company: None,
        language: "en-IN",
        addresses: &[(
            "Main",
            &["14 MG Road"],
            "Pune",
            Some("Maharashtra"),
            "411001",
            "IN",
        )],
    },
    Customer {
        number: 14,
        name: "Mia Thornbury",
        email: "mia.thornbury@example.com",
        phone: "+61 2 5550 1234",
        company: None,
        language: "en-AU",
        addresses: &[(
            "Main",
            &["88 Harbour View"],
            "Sydney",
            Some("NSW"),
            "2000",
            "AU",
        )],
    },
    Customer {
        number: 15,
        name: "李 小雨",
        email: "xiaoyu.li@example.com",
        phone: "+86 10 5550 0188",
        company: None,
        language: "zh",
        addresses: &[(
            "Main",
            &["5 Jianguo Road"],
            "Beijing",
            Some("Beijing"),
            "100020",
            "CN",
        )],
    },
    Customer {
        number: 16,
        name: "Omar Haddad",
        email: "omar.haddad@example.com",
        phone: "+971 4 555 0177",
        company: None,
        language: "ar",
        addresses: &[(
            "Main",
            &["Villa 3", "18 Palm Walk"],
            "Dubai",
            None,
            "00000",
            "AE",
        )],
    },
];

/// The customers with their addresses, and the units with their warranties.
pub(super) fn file() -> Value {
    let customers = CUSTOMERS.iter().map(customer).collect::<Vec<_>>();
    let addresses = CUSTOMERS.iter().flat_map(addresses).collect::<Vec<_>>();
    let products = PRODUCTS.map(|(sku, name, model)| {
        let mut product = json!({ "sku": sku, "name": name });
        if let Some(model) = model {
            product["model"] = json!(model);
        }
        product
    });
    let warranties = UNITS.iter().flat_map(warranties).collect::<Vec<_>>();
    json!({
        "customers": customers,
        "addresses": addresses,
        "products": products,
        "devices": UNITS.iter().map(device).collect::<Vec<_>>(),
        "warranties": warranties,
        "open_returns": [{
            "rma_number": "RMA-2026-00001",
            "serial_number": "AX2-0001-0002",
            "status": "open",
            "created_at": "2026-02-20T09:00:00.000Z",
        }],
    })
}

fn id(number: u32) -> String {
    format!("CUST-{number:05}")
}

fn customer(customer: &Customer) -> Value {
    let mut record = json!({
        "customer_id": id(customer.number),
        "name": customer.name,
        "email": customer.email,
        "status": "active",
        "currency": "USD",
        "refundable_balance": 0,
        "created_at": format!("2022-02-{:02}T09:30:00.000Z", customer.number),
        "external_id": format!("EXT-{}", 9_992 + customer.number),
        "phone_number": customer.phone,
        "language": customer.language,
    });
    if let Some(company) = customer.company {
        record["company"] = json!(company);
    }
    record
}

fn addresses(customer: &Customer) -> impl Iterator<Item = Value> {
    let id = id(customer.number);
    (0_u32..)
        .zip(customer.addresses)
        .map(move |(nth, address)| {
            let (label, lines, city, state, postal_code, country) = address;
            let mut record = json!({
                "customer_id": id,
                "label": label,
                "city": city,
                "postal_code": postal_code,
                "country_code": country,
                "is_default": nth == 0,
            });
            for (name, line) in ["line1", "line2", "line3"].into_iter().zip(*lines) {
                record[name] = json!(line);
            }
            if let Some(state) = state {
                record["state_or_province"] = json!(state);
            }
            record
        })
}

fn device((serial, names, owner, shipped, _): &Unit) -> Value {
    let sku = match serial.get(..3) {
        Some("AX2") => "AX-200-HS",
        Some("AX4") => "AX-400-RG",
        Some("BX1") => "BX-100-KT",
        Some("CR1") => "CR-10-CRD",
        _ => "CBL-USB-3M",
    };
    let mut record = json!({
        "serial_number": serial,
        "sku": sku,
        "shipped_on": day(Days(-shipped)),
    });
    if let Some(owner) = owner {
        record["customer_id"] = json!(id(*owner));
    }
    if let Some((mac, imei)) = names {
        record["mac_address"] = json!(mac);
        record["imei"] = json!(imei);
    }
    record
}

fn warranties((serial, _, _, shipped, covers): &Unit) -> impl Iterator<Item = Value> {
    covers.iter().map(move |(plan, start, end, active)| {
        let (name, tier) = plan.name_and_tier();
        let from_shipping = |when: &When| match (plan, when) {
            (Accessory, Days(days)) => day(Days(days - shipped)),
            (_, when) => day(*when),
        };
        json!({
            "serial_number": serial,
            "plan_name": name,
            "tier": tier,
            "start_date": from_shipping(start),
            "end_date": from_shipping(end),
            "active": active,
        })
    })
}

/// A day as `yyyy-MM-dd`.
fn day(when: When) -> String {
    let (mut year, mut month, mut day) = (2026, 3, 1);
    match when {
        Months(months) => {
            let all = year * 12 + (month - 1) + months;
            (year, month) = (all.div_euclid(12), all.rem_euclid(12) + 1);
        }
        Days(days) => {
            day += days;
            while day < 1 {
                (year, month) = if month == 1 {
                    (year - 1, 12)
                } else {
                    (year, month - 1)
                };
                day += days_in(year, month);
            }
            while day > days_in(year, month) {
                day -= days_in(year, month);
                (year, month) = if month == 12 {
                    (year + 1, 1)
                } else {
                    (year, month + 1)
                };
            }
        }
    }
    format!("{year}-{month:02}-{day:02}")
}

fn days_in(year: i32, month: i32) -> i32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_the_first_of_march() {
        for (when, expected) in [
            (Days(0), "2026-03-01"),
            (Days(-1), "2026-02-28"),
            (Days(-30), "2026-01-30"),
            (Days(-731), "2024-02-29"),
            (Days(-1200), "2022-11-17"),
            (Days(31), "2026-04-01"),
            (Days(365), "2027-03-01"),
            (Months(-24), "2024-03-01"),
            (Months(10), "2027-01-01"),
            (Months(9), "2026-12-01"),
            (Months(-48), "2022-03-01"),
        ] {
            assert_eq!(day(when), expected);
        }
    }
}
