//! The fields of a unit.

use refund_domain::warranty::{AssetTag, Device, Imei, MacAddress, Revision, SerialNumber};
use refund_domain::{CivilDate, CustomerId, Sku};

use super::Entity;
use super::fields::{Fields, Pass};

impl Fields for Device {
    const ENTITY: Entity = Entity::Devices;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let serial = pass.text("serial_number", SerialNumber::new, |d| {
            d.serial.as_str().into()
        });
        let sku = pass.text("sku", Sku::new, |d| d.sku.as_str().into());
        let customer_id = pass.optional_text("customer_id", CustomerId::new, |d| {
            Some(d.customer_id?.to_string().into())
        });
        let mac = pass.optional_text("mac_address", MacAddress::new, |d| {
            Some(d.mac.as_ref()?.as_str().into())
        });
        let imei = pass.optional_text("imei", Imei::new, |d| {
            Some(d.imei.as_ref()?.as_str().into())
        });
        let asset_tag = pass.optional_text("asset_tag", AssetTag::new, |d| {
            Some(d.asset_tag.as_ref()?.as_str().into())
        });
        let shipped_on = pass.optional_text("shipped_on", CivilDate::parse, |d| {
            Some(d.shipped_on?.to_string().into())
        });
        let hardware_revision = pass.optional_text("hardware_revision", Revision::new, |d| {
            Some(d.hardware_revision.as_ref()?.as_str().into())
        });
        let firmware_version = pass.optional_text("firmware_version", Revision::new, |d| {
            Some(d.firmware_version.as_ref()?.as_str().into())
        });
        Some(Self {
            serial: serial?,
            sku: sku?,
            customer_id,
            mac,
            imei,
            asset_tag,
            shipped_on,
            hardware_revision,
            firmware_version,
        })
    }
}
