//! The demonstration data, in days relative to 2026-03-01.

use std::sync::LazyLock;

use chrono::{Days, Months};
use refund_domain::warranty::{
    Address, AddressLine, CountryCode, Device, DeviceProduct, Imei, MacAddress, ModelName,
    OpenReturn, Period, PlanName, PostalCode, ReturnState, RmaNumber, SerialNumber, TierName,
    UnitRecord, Warranty,
};
use refund_domain::{
    CivilDate, CompanyName, Currency, Customer, CustomerId, CustomerStatus, EmailAddress,
    ExternalId, LanguageTag, Money, PersonName, PhoneNumber, ProductName, Sku, Timestamp,
};

use super::Memory;

/// The day that the data is about.
pub(crate) const TODAY: &str = "2026-03-01";

pub(crate) fn date(text: &str) -> CivilDate {
    CivilDate::parse(text).unwrap()
}

fn months(months: i32) -> CivilDate {
    let count = Months::new(months.unsigned_abs());
    let today = date(TODAY).naive();
    let moved = if months < 0 {
        today.checked_sub_months(count)
    } else {
        today.checked_add_months(count)
    };
    CivilDate::new(moved.unwrap()).unwrap()
}

fn days_ago(days: u64) -> CivilDate {
    CivilDate::new(date(TODAY).naive() - Days::new(days)).unwrap()
}

pub(crate) fn product(sku: &str, name: &str, model: Option<&str>) -> DeviceProduct {
    DeviceProduct {
        sku: Sku::new(sku).unwrap(),
        name: ProductName::new(name).unwrap(),
        model: model.map(|model| ModelName::new(model).unwrap()),
    }
}

pub(crate) fn device(serial: &str, sku: &str) -> Device {
    Device {
        serial: SerialNumber::new(serial).unwrap(),
        sku: Sku::new(sku).unwrap(),
        customer_id: None,
        mac: None,
        imei: None,
        asset_tag: None,
        shipped_on: None,
        hardware_revision: None,
        firmware_version: None,
    }
}

pub(crate) fn warranty(tier: &str, start: CivilDate, end: CivilDate) -> Warranty {
    Warranty {
        plan: PlanName::new(&format!("{tier} plan")).unwrap(),
        tier: TierName::new(tier).unwrap(),
        period: Period::new(start, end).unwrap(),
        active: true,
    }
}

fn products() -> Vec<DeviceProduct> {
    vec![
        product("AX-200-HS", "AX-200 Handheld Terminal", Some("AX-200")),
        product("AX-400-RG", "AX-400 Rugged Terminal", None),
        product("BX-100-KT", "BX-100 Kiosk Terminal", None),
        product("CR-10-CRD", "CR-10 Charging Cradle", None),
        product("CBL-USB-3M", "USB-C Charge Cable, 3 m", None),
    ]
}

fn unit(
    serial: &str,
    names: Option<(&str, &str)>,
    shipped: u64,
    warranties: Vec<Warranty>,
) -> UnitRecord {
    let products = products();
    let place = match serial.as_bytes() {
        [b'A', b'X', b'2', ..] => 0,
        [b'A', b'X', b'4', ..] => 1,
        [b'B', ..] => 2,
        [b'C', b'R', ..] => 3,
        _ => 4,
    };
    let mut device = device(serial, products[place].sku.as_str());
    device.shipped_on = Some(days_ago(shipped));
    device.mac = names.map(|(mac, _)| MacAddress::new(mac).unwrap());
    device.imei = names.map(|(_, imei)| Imei::new(imei).unwrap());
    UnitRecord {
        product: products[place].clone(),
        device,
        warranties,
        open_returns: Vec::new(),
    }
}

fn units() -> Vec<UnitRecord> {
    let standard = |start, end| warranty("standard", start, end);
    let extended = |start, end| warranty("extended", start, end);
    let mut revoked = extended(months(-12), months(36));
    revoked.active = false;
    let one = |serial, mac, imei, shipped, warranty| {
        unit(serial, Some((mac, imei)), shipped, vec![warranty])
    };
    let short = |serial, shipped: u64| {
        let end = CivilDate::new(days_ago(shipped).naive() + Days::new(30)).unwrap();
        unit(
            serial,
            None,
            shipped,
            vec![standard(days_ago(shipped), end)],
        )
    };
    let mut units = vec![
        one(
            "AX2-0001-0001",
            "A4C1F2E30001",
            "356938035643809",
            120,
            standard(months(-24), months(8)),
        ),
        one(
            "AX2-0001-0002",
            "A4C1F2E30002",
            "356938035643810",
            90,
            standard(months(-24), months(6)),
        ),
        one(
            "AX2-0001-0003",
            "A4C1F2E30003",
            "356938035643811",
            200,
            standard(months(-24), months(2)),
        ),
        one(
            "AX2-0001-0004",
            "A4C1F2E30004",
            "356938035643812",
            380,
            standard(months(-24), days_ago(30)),
        ),
        one(
            "AX2-0001-0005",
            "A4C1F2E30005",
            "356938035643813",
            500,
            standard(months(-48), months(-24)),
        ),
        one(
            "AX4-0002-0001",
            "B7D2A1C00001",
            "356938035643820",
            400,
            extended(months(-48), months(10)),
        ),
        one(
            "AX4-0002-0002",
            "B7D2A1C00002",
            "356938035643821",
            60,
            extended(months(-48), months(24)),
        ),
        unit(
            "AX4-0002-0003",
            Some(("B7D2A1C00003", "356938035643822")),
            700,
            vec![
                warranty("premium", months(-48), months(12)),
                standard(months(-48), days_ago(200)),
            ],
        ),
        unit(
            "BX1-0003-0001",
            Some(("C1E5B7D00001", "356938035643830")),
            1200,
            vec![standard(months(-48), months(-24)), revoked],
        ),
        one(
            "BX1-0003-0002",
            "C1E5B7D00002",
            "356938035643831",
            45,
            standard(months(-48), days_ago(90)),
        ),
        short("CR1-0004-0001", 25),
        short("CR1-0004-0002", 60),
        short("CBL-0005-0001", 15),
        short("CBL-0005-0002", 200),
    ];
    units[1].open_returns.push(OpenReturn {
        rma_number: RmaNumber::new("RMA-2026-00001").unwrap(),
        status: ReturnState::new("open").unwrap(),
        created_at: Timestamp::parse("2026-02-20T09:00:00Z").unwrap(),
    });
    units
}

fn address(
    label: &str,
    lines: &[&str],
    city: &str,
    state: &str,
    postal: &str,
    country: &str,
) -> Address {
    let line = |text: &&str| AddressLine::new(text).unwrap();
    Address {
        label: Some(line(&label)),
        line1: line(&lines[0]),
        line2: lines.get(1).map(line),
        line3: lines.get(2).map(line),
        city: line(&city),
        state_or_province: (!state.is_empty()).then(|| line(&state)),
        postal_code: PostalCode::new(postal).unwrap(),
        country_code: CountryCode::new(country).unwrap(),
        is_default: label == "Main",
    }
}

fn customer(number: u32, name: &str, email: &str, phone: &str, language: &str) -> Customer {
    Customer {
        id: CustomerId::new(&format!("CUST-{number:05}")).unwrap(),
        name: PersonName::new(name).unwrap(),
        email: EmailAddress::new(email).unwrap(),
        status: CustomerStatus::Active,
        refundable_balance: Money::zero(Currency::new("USD").unwrap()),
        created_at: Timestamp::parse("2024-01-15T09:30:00Z").unwrap(),
        external_id: Some(ExternalId::new(&format!("EXT-{}", number + 9_992)).unwrap()),
        phone_number: Some(PhoneNumber::new(phone).unwrap()),
        company: (number == 9).then(|| CompanyName::new("Northwind Depot").unwrap()),
        language: Some(LanguageTag::new(language).unwrap()),
    }
}

fn customers() -> Vec<(Customer, Vec<Address>)> {
    vec![
        (
            customer(
                9,
                "Harriet Smyth",
                "harriet.smyth@example.com",
                "+1-202-555-0101",
                "en-US",
            ),
            vec![
                address(
                    "Main",
                    &["12 Oak Street"],
                    "Springfield",
                    "IL",
                    "62704",
                    "US",
                ),
                address(
                    "Office",
                    &["400 Market Street", "Suite 9"],
                    "Springfield",
                    "IL",
                    "62701",
                    "US",
                ),
            ],
        ),
        (
            customer(
                10,
                "Smyth Robin",
                "robin.smyth@example.com",
                "+44 20 7946 0958",
                "en-GB",
            ),
            vec![address(
                "Main",
                &["7 Mill Lane"],
                "Leeds",
                "",
                "LS1 4AP",
                "GB",
            )],
        ),
        (
            customer(
                11,
                "山田 太郎",
                "taro.yamada@example.com",
                "+81-3-5550-0100",
                "ja",
            ),
            vec![address(
                "Main",
                &["1-2-3 Shibuya"],
                "Tokyo",
                "Tokyo",
                "150-0002",
                "JP",
            )],
        ),
        (
            customer(
                12,
                "Lucía Beltrán",
                "lucia.beltran@example.com",
                "+34 910 555 012",
                "es",
            ),
            vec![
                address("Main", &["7 Calle Mayor"], "Málaga", "", "29015", "ES"),
                address(
                    "Almacén",
                    &["21 Avenida del Puerto"],
                    "Valencia",
                    "",
                    "46021",
                    "ES",
                ),
            ],
        ),
        (
            customer(
                13,
                "Siobhán O'Brien-Kale",
                "siobhan.obrien@example.com",
                "+91 22 5550 0134",
                "en-IN",
            ),
            vec![address(
                "Main",
                &["14 MG Road"],
                "Pune",
                "Maharashtra",
                "411001",
                "IN",
            )],
        ),
        (
            customer(
                14,
                "Mia Thornbury",
                "mia.thornbury@example.com",
                "+61 2 5550 1234",
                "en-AU",
            ),
            vec![address(
                "Main",
                &["88 Harbour View"],
                "Sydney",
                "NSW",
                "2000",
                "AU",
            )],
        ),
        (
            customer(
                15,
                "李 小雨",
                "xiaoyu.li@example.com",
                "+86 10 5550 0188",
                "zh",
            ),
            vec![address(
                "Main",
                &["5 Jianguo Road"],
                "Beijing",
                "Beijing",
                "100020",
                "CN",
            )],
        ),
        (
            customer(
                16,
                "Omar Haddad",
                "omar.haddad@example.com",
                "+971 4 555 0177",
                "ar",
            ),
            vec![],
        ),
    ]
}

/// The demonstration data.
pub(crate) fn demo() -> Memory {
    static DEMO: LazyLock<Memory> = LazyLock::new(|| Memory {
        units: units(),
        products: products(),
        customers: customers(),
        scans: false,
    });
    DEMO.clone()
}
