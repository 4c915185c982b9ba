//! Addresses, units, warranties and open returns of an import.

use refund_domain::warranty::{AddressLine, Device};

use super::error::SqlError;
use super::import::Import;
use super::import_links::Link;
use super::{addresses, devices, open_returns, warranties};
use crate::transfer::{AddressRecord, Entity, OpenReturnRecord, Place, Report, WarrantyRecord};

impl Import<'_> {
    /// An address that is there already is updated in its label and in whether it is the default. The
    /// default that an import names takes the place of the one that was there.
    pub(crate) fn address(
        &mut self,
        record: &AddressRecord,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        self.link(Link::Customer(record.customer_id, None), place)?;
        if self.is_repeated(&name_of(record), "line1", place, report) {
            return Ok(());
        }
        let there = match self.upsert {
            true => addresses::same(self.conn, record)?,
            false => None,
        };
        if record.address.is_default && !self.make_way(record, place, report)? {
            return Ok(());
        }
        let saved = match there {
            Some((_, there)) if there == *record => {
                self.unchanged(place);
                return Ok(());
            }
            Some((seq, _)) => addresses::update(self.conn, seq, record).map(|()| false),
            None => addresses::insert(self.conn, record).map(|()| true),
        };
        self.saved(
            saved,
            "line1",
            "this address of the customer",
            place,
            report,
        )
    }

    /// Takes the customer's default from the address that has it; `false` if it is not to be taken.
    fn make_way(
        &self,
        record: &AddressRecord,
        place: &Place,
        report: &mut Report,
    ) -> Result<bool, SqlError> {
        let Some((seq, mut default)) = addresses::default_of(self.conn, record.customer_id)? else {
            return Ok(true);
        };
        let name = name_of(&default);
        if name == name_of(record) {
            return Ok(true);
        }
        if !self.upsert || self.updated.contains(&(Entity::Addresses, name)) {
            let message = "there is a default address of the customer already, in the store or earlier in the import";
            report.record(place, None, Some("is_default"), message);
            return Ok(false);
        }
        default.address.is_default = false;
        addresses::update(self.conn, seq, &default)?;
        Ok(true)
    }

    pub(crate) fn device(
        &mut self,
        device: &Device,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        self.link(Link::Product(device.sku.clone()), place)?;
        if let Some(id) = device.customer_id {
            self.link(Link::Customer(id, None), place)?;
        }
        let there = match self.upsert {
            true => devices::alone(self.conn, &device.serial)?,
            false => None,
        };
        if self.is_repeated(device.serial.as_str(), "serial_number", place, report) {
            return Ok(());
        }
        let saved = match there {
            Some(there) if there == *device => {
                self.unchanged(place);
                return Ok(());
            }
            Some(_) => devices::update(self.conn, device).map(|()| false),
            None => devices::insert(self.conn, device).map(|()| true),
        };
        let what = "a device with this serial number";
        self.saved(saved, "serial_number", what, place, report)
    }

    pub(crate) fn warranty(
        &mut self,
        record: &WarrantyRecord,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        self.link(Link::Device(record.serial.clone()), place)?;
        let there = match self.upsert {
            true => warranties::same(self.conn, record)?,
            false => None,
        };
        let warranty = &record.warranty;
        let name = [
            record.serial.as_str(),
            warranty.plan.as_str(),
            warranty.tier.as_str(),
            &warranty.period.start().to_string(),
        ]
        .join("\0");
        if self.is_repeated(&name, "start_date", place, report) {
            return Ok(());
        }
        let saved = match there {
            Some(there) if there == *record => {
                self.unchanged(place);
                return Ok(());
            }
            Some(_) => warranties::update(self.conn, record).map(|()| false),
            None => warranties::insert(self.conn, record).map(|()| true),
        };
        let what = "a warranty of the device with this plan, tier and first day";
        self.saved(saved, "start_date", what, place, report)
    }

    pub(crate) fn open_return(
        &mut self,
        record: &OpenReturnRecord,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        self.link(Link::Device(record.serial.clone()), place)?;
        let number = &record.open_return.rma_number;
        let there = match self.upsert {
            true => open_returns::by_number(self.conn, number)?,
            false => None,
        };
        if self.is_repeated(number.as_str(), "rma_number", place, report) {
            return Ok(());
        }
        let saved = match there {
            Some(there) if there == *record => {
                self.unchanged(place);
                return Ok(());
            }
            Some(there) if there.serial != record.serial => {
                let message = "the return is of another device already";
                report.record(place, None, Some("serial_number"), message);
                return Ok(());
            }
            Some(_) => open_returns::update(self.conn, record).map(|()| false),
            None => open_returns::insert(self.conn, record).map(|()| true),
        };
        let what = "an open return with this number";
        self.saved(saved, "rma_number", what, place, report)
    }
}

/// What tells an address from the customer's others: all of it but its label.
fn name_of(record: &AddressRecord) -> String {
    let address = &record.address;
    let line = |line: &Option<AddressLine>| {
        let text = line.as_ref().map_or("", AddressLine::as_str);
        text.to_owned()
    };
    [
        record.customer_id.to_string(),
        address.line1.as_str().to_owned(),
        line(&address.line2),
        line(&address.line3),
        address.city.as_str().to_owned(),
        line(&address.state_or_province),
        address.postal_code.as_str().to_owned(),
        address.country_code.as_str().to_owned(),
    ]
    .join("\0")
}
