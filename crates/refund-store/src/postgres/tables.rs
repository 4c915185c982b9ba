//! The tables of both stores side by side, so that rows can be carried over.

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Bool,
    Text,
    /// A text that may hold U+0000.
    Free,
    /// A text there, a UUID here.
    Uuid,
    /// A text there, a day here.
    Date,
    Bytes,
    /// A number there, the id here.
    Customer,
}

/// What an import may do to the rows that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changes {
    /// Nothing: rows are added.
    Never,
    /// Rows change in place: others point at them.
    Update,
    /// Rows come and go: nothing points at them.
    Replace,
}

/// A table.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    /// How many of the columns, from the first, are the key.
    pub(crate) key: usize,
    pub(crate) changes: Changes,
    /// Whether the key is a number that the database gives.
    pub(crate) numbered: bool,
}

use Changes::{Never, Replace, Update};
use Kind::{Bool, Bytes, Customer, Date, Free, Int, Text, Uuid as Id};

/// All of them. What others point at comes first.
pub(crate) const TABLES: [Table; 19] = [
    Table {
        name: "customers",
        columns: &[
            ("customer_id", Text),
            ("name", Text),
            ("email", Text),
            ("email_key", Text),
            ("status", Text),
            ("currency", Text),
            ("balance_minor", Int),
            ("opening_minor", Int),
            ("refund_count", Int),
            ("created_at_ms", Int),
            ("external_id", Text),
            ("phone_number", Text),
            ("company", Text),
            ("language", Text),
            ("name_squashed", Text),
            ("phone_key", Text),
        ],
        key: 1,
        changes: Update,
        numbered: false,
    },
    Table {
        name: "customer_keys",
        columns: &[("key", Text), ("customer_id", Customer)],
        key: 2,
        changes: Replace,
        numbered: false,
    },
    Table {
        name: "addresses",
        columns: &[
            ("seq", Int),
            ("customer_id", Text),
            ("label", Text),
            ("line1", Text),
            ("line2", Text),
            ("line3", Text),
            ("city", Text),
            ("state_or_province", Text),
            ("postal_code", Text),
            ("country_code", Text),
            ("is_default", Bool),
        ],
        key: 1,
        changes: Replace,
        numbered: true,
    },
    Table {
        name: "products",
        columns: &[
            ("sku", Text),
            ("name", Text),
            ("model", Text),
            ("category", Text),
            ("unit_price_minor", Int),
            ("currency", Text),
        ],
        key: 1,
        changes: Update,
        numbered: false,
    },
    Table {
        name: "product_texts",
        columns: &[("field", Text), ("sku", Text), ("squashed", Text)],
        key: 2,
        changes: Replace,
        numbered: false,
    },
    Table {
        name: "product_keys",
        columns: &[("field", Text), ("key", Text), ("sku", Text)],
        key: 3,
        changes: Replace,
        numbered: false,
    },
    Table {
        name: "orders",
        columns: &[
            ("order_id", Free),
            ("customer_id", Text),
            ("sku", Text),
            ("quantity", Int),
            ("unit_price_minor", Int),
            ("currency", Text),
            ("order_date", Date),
            ("billing_status", Text),
            ("returned", Bool),
        ],
        key: 1,
        changes: Update,
        numbered: false,
    },
    Table {
        name: "refunds",
        columns: &[
            ("seq", Int),
            ("refund_id", Id),
            ("customer_id", Text),
            ("amount_minor", Int),
            ("currency", Text),
            ("reason", Free),
            ("status", Text),
            ("processed_at_ms", Int),
            ("remaining_minor", Int),
            ("principal", Text),
            ("idempotency_key", Text),
            ("import_seq", Int),
        ],
        key: 1,
        changes: Never,
        numbered: true,
    },
    Table {
        name: "returns",
        columns: &[
            ("seq", Int),
            ("return_id", Id),
            ("order_id", Free),
            ("reason", Free),
            ("processed_at_ms", Int),
            ("principal", Text),
            ("idempotency_key", Text),
            ("import_seq", Int),
        ],
        key: 1,
        changes: Never,
        numbered: true,
    },
    Table {
        name: "outbox",
        columns: &[
            ("seq", Int),
            ("return_id", Id),
            ("recipient", Text),
            ("subject", Free),
            ("body", Free),
            ("handed_over_at_ms", Int),
            ("status", Text),
            ("attempts", Int),
            ("next_attempt_at_ms", Int),
            ("delivered_at_ms", Int),
            ("last_failure", Text),
        ],
        key: 1,
        changes: Never,
        numbered: true,
    },
    Table {
        name: "idempotency_keys",
        columns: &[
            ("principal", Text),
            ("key", Text),
            ("tool", Text),
            ("refund_id", Id),
            ("created_at_ms", Int),
        ],
        key: 2,
        changes: Never,
        numbered: false,
    },
    Table {
        name: "escalation_sessions",
        columns: &[
            ("principal", Text),
            ("session_id", Free),
            ("turn_count", Int),
        ],
        key: 2,
        changes: Update,
        numbered: false,
    },
    Table {
        name: "escalation_turns",
        columns: &[
            ("principal", Text),
            ("idempotency_key", Text),
            ("session_id", Free),
            ("turn_count", Int),
            ("message_sha256", Bytes),
            ("counted_at_ms", Int),
        ],
        key: 2,
        changes: Never,
        numbered: false,
    },
    Table {
        name: "audit",
        columns: &[
            ("seq", Int),
            ("at_ms", Int),
            ("principal", Text),
            ("role", Text),
            ("tool", Text),
            ("arguments", Text),
            ("outcome", Text),
            ("trace", Text),
            ("refund_id", Id),
            ("previous_hash", Bytes),
            ("hash", Bytes),
            ("return_id", Id),
        ],
        key: 1,
        changes: Never,
        numbered: true,
    },
    Table {
        name: "adjustments",
        columns: &[
            ("seq", Int),
            ("customer_id", Text),
            ("by_minor", Int),
            ("currency", Text),
            ("balance_minor", Int),
            ("reason", Free),
            ("at_ms", Int),
            ("principal", Text),
            ("audit_seq", Int),
            ("idempotency_key", Text),
        ],
        key: 1,
        changes: Never,
        numbered: true,
    },
    Table {
        name: "devices",
        columns: &[
            ("serial_number", Text),
            ("sku", Text),
            ("customer_id", Text),
            ("mac_address", Text),
            ("imei", Text),
            ("asset_tag", Text),
            ("shipped_on", Date),
            ("hardware_revision", Text),
            ("firmware_version", Text),
        ],
        key: 1,
        changes: Update,
        numbered: false,
    },
    Table {
        name: "device_identifiers",
        columns: &[
            ("serial_number", Text),
            ("kind", Text),
            ("form", Text),
            ("look_alike_key", Text),
        ],
        key: 2,
        changes: Replace,
        numbered: false,
    },
    Table {
        name: "warranties",
        columns: &[
            ("serial_number", Text),
            ("start_date", Date),
            ("plan_name", Text),
            ("tier", Text),
            ("end_date", Date),
            ("active", Bool),
        ],
        key: 4,
        changes: Update,
        numbered: false,
    },
    Table {
        name: "open_returns",
        columns: &[
            ("rma_number", Text),
            ("serial_number", Text),
            ("status", Text),
            ("created_at_ms", Int),
        ],
        key: 1,
        changes: Update,
        numbered: false,
    },
];

impl Table {
    /// The columns here, separated by commas.
    pub(crate) fn columns_here(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    }

    /// The columns there, as they are read: a customer's number as the id.
    pub(crate) fn columns_there(&self, columns: usize) -> String {
        let names = self.columns.iter().take(columns);
        let names: Vec<&str> = names
            .map(|(name, kind)| match kind {
                Kind::Customer => "printf('CUST-%05d', number)",
                _ => name,
            })
            .collect();
        names.join(", ")
    }

    /// Adds a row there.
    pub(crate) fn insert_there(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut values: Vec<String> = Vec::new();
        for ((name, kind), place) in self.columns.iter().zip(1..) {
            names.push(match kind {
                Kind::Customer => "number",
                _ => name,
            });
            values.push(match kind {
                Kind::Customer => format!("CAST(substr(?{place}, 6) AS INTEGER)"),
                _ => format!("?{place}"),
            });
        }
        if self.name == "customers" {
            names.push("number");
            values.push("CAST(substr(?1, 6) AS INTEGER)".to_owned());
        }
        let (names, values) = (names.join(", "), values.join(", "));
        format!("INSERT INTO {} ({names}) VALUES ({values})", self.name)
    }

    /// Adds rows here, each column an array; changes those that are there, where they may change.
    pub(crate) fn insert_here(&self) -> String {
        let names = self.columns_here();
        let arrays = self.arrays(self.columns.len());
        let mut sql = format!(
            "INSERT INTO {} ({names}) SELECT {names} FROM unnest({arrays}) AS w ({names})",
            self.name
        );
        if self.changes == Changes::Update {
            let key: Vec<&str> = self
                .columns
                .iter()
                .take(self.key)
                .map(|(name, _)| *name)
                .collect();
            let set: Vec<String> = self
                .columns
                .iter()
                .skip(self.key)
                .map(|(name, _)| format!("{name} = excluded.{name}"))
                .collect();
            sql.push_str(&format!(
                " ON CONFLICT ({}) DO UPDATE SET {}",
                key.join(", "),
                set.join(", ")
            ));
        }
        sql
    }

    /// Takes rows away here by their keys, each column of the key an array.
    pub(crate) fn delete_here(&self) -> String {
        let key: Vec<&str> = self
            .columns
            .iter()
            .take(self.key)
            .map(|(name, _)| *name)
            .collect();
        let same: Vec<String> = key
            .iter()
            .map(|name| format!("t.{name} = w.{name}"))
            .collect();
        format!(
            "DELETE FROM {} t USING unnest({}) AS w ({}) WHERE {}",
            self.name,
            self.arrays(self.key),
            key.join(", "),
            same.join(" AND ")
        )
    }

    fn arrays(&self, columns: usize) -> String {
        let arrays: Vec<String> = self
            .columns
            .iter()
            .take(columns)
            .zip(1..)
            .map(|((_, kind), place)| format!("${place}::{}[]", kind.here()))
            .collect();
        arrays.join(", ")
    }
}
