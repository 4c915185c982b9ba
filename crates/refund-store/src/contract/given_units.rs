//! What the cases about warranties start from: a world of customers, products and units, in the format
//! of data files, so that a store is filled as people fill it.

use std::sync::{Arc, LazyLock};

use refund_domain::warranty::{
    Address, AddressLine, Criterion, Device, DeviceProduct, Identifier, ModelName, PostalCode,
    SerialNumber, UnitRecord, WarrantyDesk, WarrantyPolicy,
};
use refund_domain::{CivilDate, Customer, CustomerId, PersonName, Product, ProductName, Sku};

use super::{WarrantyContractStore, given};
use crate::transfer::{
    AddressRecord, Entity, Format, OpenReturnRecord, ProductRecord, WarrantyRecord, Writer,
};

/// The day that the demonstration data is about.
pub const TODAY: &str = "2026-03-01";

/// A world.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// The customers.
    pub customers: Vec<Customer>,
    /// Their addresses, in the order in which they are added.
    pub addresses: Vec<(CustomerId, Address)>,
    /// The products.
    pub products: Vec<DeviceProduct>,
    /// The units.
    pub units: Vec<UnitRecord>,
}

impl World {
    /// Units with nothing but these serial numbers, of one product.
    #[must_use]
    pub fn of_serials(serials: &[&str]) -> Self {
        let product = product("AX-200-HS", "AX-200 Handheld Terminal", Some("AX-200"));
        Self {
            units: serials
                .iter()
                .map(|serial| unit(serial, &product))
                .collect(),
            products: vec![product],
            ..Self::default()
        }
    }

    /// Customers from CUST-00000 on with these names.
    #[must_use]
    pub fn of_names(names: &[String]) -> Self {
        let customers = (0_u32..).zip(names);
        Self {
            customers: customers
                .map(|(number, name)| Customer {
                    name: PersonName::new(name).unwrap(),
                    ..given::customer(number, 0, "USD")
                })
                .collect(),
            ..Self::default()
        }
    }

    /// The world as a JSON document of [`crate::transfer`].
    #[must_use]
    pub fn json(&self) -> String {
        let mut bytes = Vec::new();
        let mut out = Writer::new(Format::Json, &mut bytes).unwrap();
        // Backwards: what a record points at comes after it.
        out.begin(Entity::OpenReturns).unwrap();
        for unit in &self.units {
            for open_return in &unit.open_returns {
                let (serial, open_return) = (unit.device.serial.clone(), open_return.clone());
                let record = OpenReturnRecord {
                    serial,
                    open_return,
                };
                out.record(&record).unwrap();
            }
        }
        out.begin(Entity::Warranties).unwrap();
        for unit in &self.units {
            for warranty in &unit.warranties {
                let (serial, warranty) = (unit.device.serial.clone(), warranty.clone());
                out.record(&WarrantyRecord { serial, warranty }).unwrap();
            }
        }
        out.begin(Entity::Devices).unwrap();
        for unit in &self.units {
            out.record(&unit.device).unwrap();
        }
        out.begin(Entity::Addresses).unwrap();
        for (customer_id, address) in &self.addresses {
            let (customer_id, address) = (*customer_id, address.clone());
            let record = AddressRecord {
                customer_id,
                address,
            };
            out.record(&record).unwrap();
        }
        out.begin(Entity::Products).unwrap();
        for product in &self.products {
            let model = product.model.as_ref();
            let record = ProductRecord {
                model: model.map(|model| ProductName::new(model.as_str()).unwrap()),
                ..ProductRecord::from(Product {
                    sku: product.sku.clone(),
                    name: product.name.clone(),
                })
            };
            out.record(&record).unwrap();
        }
        out.begin(Entity::Customers).unwrap();
        for customer in &self.customers {
            out.record(customer).unwrap();
        }
        out.end().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// A store that holds the world.
    pub async fn stored<F: WarrantyContractStore>(&self) -> F {
        F::with_data(&self.json()).await
    }
}

/// A product.
#[must_use]
pub fn product(sku: &str, name: &str, model: Option<&str>) -> DeviceProduct {
    DeviceProduct {
        sku: Sku::new(sku).unwrap(),
        name: ProductName::new(name).unwrap(),
        model: model.map(|model| ModelName::new(model).unwrap()),
    }
}

/// A unit of which nothing is known but its serial number and its product.
#[must_use]
pub fn unit(serial: &str, product: &DeviceProduct) -> UnitRecord {
    UnitRecord {
        device: Device {
            serial: SerialNumber::new(serial).unwrap(),
            sku: product.sku.clone(),
            customer_id: None,
            mac: None,
            imei: None,
            asset_tag: None,
            shipped_on: None,
            hardware_revision: None,
            firmware_version: None,
        },
        product: product.clone(),
        warranties: Vec::new(),
        open_returns: Vec::new(),
    }
}

/// An address in Springfield.
#[must_use]
pub fn address(line1: &str, is_default: bool) -> Address {
    let line = |text| AddressLine::new(text).unwrap();
    Address {
        label: None,
        line1: line(line1),
        line2: None,
        line3: None,
        city: line("Springfield"),
        state_or_province: None,
        postal_code: PostalCode::new("62704").unwrap(),
        country_code: refund_domain::warranty::CountryCode::new("US").unwrap(),
        is_default,
    }
}

/// A day.
#[must_use]
pub fn date(text: &str) -> CivilDate {
    CivilDate::parse(text).unwrap()
}

/// An identifier as somebody typed it.
#[must_use]
pub fn identifier(text: &str) -> Identifier {
    Identifier::new(text).unwrap()
}

/// A criterion; an empty text is none.
#[must_use]
pub fn criterion(text: &str) -> Option<Criterion> {
    (!text.is_empty()).then(|| Criterion::new(text).unwrap())
}

/// A desk over what was made, with the policy that holds without configuration.
pub fn desk<F: WarrantyContractStore>(made: &F) -> WarrantyDesk<F::Reader> {
    /// Made once: reading all its words takes longer than a case.
    static POLICY: LazyLock<Arc<WarrantyPolicy>> = LazyLock::new(Arc::default);
    WarrantyDesk::new(made.reader(), POLICY.clone())
}

/// Numbers that look random and are the same in every run.
#[derive(Debug)]
pub struct Generator(u64);

impl Generator {
    /// The sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        // Knuth's constants; the upper half is the good one.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    /// One of these.
    pub fn one_of<'a, T>(&mut self, these: &'a [T]) -> &'a T {
        &these[self.below(these.len())]
    }

    /// So many characters of an alphabet.
    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| *self.one_of(&letters)).collect()
    }

    /// A text of one to three words that are easily mistaken for each other.
    pub fn words(&mut self) -> String {
        const WORDS: [&str; 18] = [
            "Smyth", "Smith", "Smythe", "O'Brien", "Obrien", "Beltrán", "Beltran", "山田", "太郎",
            "Li", "Lee", "AX-200", "AX-400", "Terminal", "Terminol", "Handheld", "Kiosk", "3 m",
        ];
        let count = 1 + self.below(3);
        let words: Vec<String> = (0..count)
            .map(|_| match self.below(3) {
                0 => {
                    let length = 2 + self.below(5);
                    self.text("abc", length)
                }
                _ => (*self.one_of(&WORDS)).to_owned(),
            })
            .collect();
        words.join(" ")
    }
}
