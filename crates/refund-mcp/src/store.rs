//! The store of every desk: the one place that knows which kinds there are.

use std::io::Write;

use refund_domain::escalation::{CountTurn, CountedTurn};
use refund_domain::ports::{
    CustomerDirectory, CustomerReader, CustomerWriter, EscalationWriter, OrderReader, Outbox,
    RefundPage, RefundPosition, RefundReader, RefundWriter, ReturnWriter,
};
use refund_domain::refund::{Facts, IssueRefund};
use refund_domain::returns::{AcceptedReturn, ProcessReturn};
use refund_domain::warranty::{
    Address, AddressReader, CustomerSearch, DeviceProduct, DeviceReader, ListedUnit, NormalForm,
    PhoneProbe, ProductField, ProductSearch, ProductUnits, SerialNumber, TextProbe, TierName,
    UnitRecord,
};
use refund_domain::{
    AdjustBalance, AdjustmentSettled, Caller, ClaimedMessage, Customer, CustomerId, CustomerOrders,
    DeliveryFailure, EmailAddress, ExternalId, IdempotencyKey, OrderChoice, OrderDetails, OrderId,
    Principal, Refund, RefundId, RefundRequest, Sku, StoreError, Timestamp, refund, settled,
};
use refund_store::postgres::Connections;
use refund_store::transfer::{Entity, ExportError, Format, ImportError, Imported, Input};
use refund_store::{CheckReport, PostgresReader, PostgresStore, SqliteReader, SqliteStore};

/// A store that is open, or that opens when it is used. Clones are handles on the same one.
#[derive(Debug, Clone)]
pub(crate) enum Store {
    /// A file, or demo data.
    Sqlite(SqliteStore),
    /// A database that several servers share.
    Postgres(PostgresStore),
}

/// A handle on a store that cannot write.
#[derive(Debug, Clone)]
pub(crate) enum Reader {
    Sqlite(SqliteReader),
    Postgres(PostgresReader),
}

/// The same of either kind.
macro_rules! of_either {
    ($self:ident, $store:ident => $work:expr) => {
        match $self {
            Self::Sqlite($store) => $work,
            Self::Postgres($store) => $work,
        }
    };
}

impl Store {
    /// A handle that cannot write.
    pub(crate) fn reader(&self) -> Reader {
        match self {
            Self::Sqlite(store) => Reader::Sqlite(store.reader()),
            Self::Postgres(store) => Reader::Postgres(store.reader()),
        }
    }

    /// A handle whose messages to customers wait to be sent.
    pub(crate) fn sending_mail(self) -> Self {
        match self {
            Self::Sqlite(store) => Self::Sqlite(store.sending_mail()),
            Self::Postgres(store) => Self::Postgres(store.sending_mail()),
        }
    }

    /// Where it is, for the log: without a password, and absolute, because the directory that a client
    /// starts a server in is anybody's guess.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::Sqlite(store) => format!("sqlite:{}", store.path().display()),
            Self::Postgres(store) => store.shown(),
        }
    }

    /// What the connections to a database do at this moment.
    pub(crate) fn connections(&self) -> Vec<Connections> {
        match self {
            Self::Sqlite(_) => Vec::new(),
            Self::Postgres(store) => store.connections().into(),
        }
    }

    /// Imports files, all of them or nothing.
    pub(crate) fn import(
        &self,
        inputs: Vec<Input>,
        upsert: bool,
        caller: &Caller,
        at: Timestamp,
    ) -> Result<Imported, ImportError> {
        of_either!(self, store => store.import(inputs, upsert, caller, at))
    }

    /// Writes the records of these entities.
    pub(crate) fn export(
        &self,
        entities: &[Entity],
        format: Format,
        out: impl Write,
    ) -> Result<u64, ExportError> {
        of_either!(self, store => store.export(entities, format, out))
    }

    /// Proves the invariants.
    pub(crate) fn check(&self) -> Result<CheckReport, StoreError> {
        of_either!(self, store => store.check())
    }
}

impl Reader {
    /// The tiers that warranties name.
    pub(crate) fn tiers(&self) -> Result<Vec<TierName>, StoreError> {
        of_either!(self, reader => reader.tiers())
    }
}

/// The ports of a type, each method that of the kind it is.
macro_rules! ports {
    ($of:ident: $($port:ident { $(fn $name:ident($($argument:ident: $type:ty),+) -> $answer:ty;)+ })+) => {
        $(impl $port for $of {
            $(async fn $name(&self, $($argument: $type),+) -> Result<$answer, StoreError> {
                of_either!(self, store => store.$name($($argument),+).await)
            })+
        })+
    };
}

ports! { Store:
    CustomerReader {
        fn customer(id: CustomerId) -> Option<Customer>;
    }
    CustomerDirectory {
        fn customer_by_email(email: &EmailAddress) -> Option<Customer>;
        fn customers(limit: u32, after: Option<CustomerId>) -> Vec<Customer>;
    }
    CustomerWriter {
        fn adjust_balance(command: AdjustBalance) -> AdjustmentSettled;
    }
    RefundReader {
        fn refund(id: RefundId) -> Option<Refund>;
        fn refund_by_key(principal: &Principal, key: &IdempotencyKey) -> Option<Refund>;
        fn refunds_of(id: CustomerId, limit: u32, before: Option<RefundPosition>) -> Option<RefundPage>;
        fn refund_facts(principal: &Principal, request: &RefundRequest) -> Facts;
    }
    RefundWriter {
        fn issue_refund(command: IssueRefund) -> refund::Settled;
    }
    OrderReader {
        fn orders_of(email: &EmailAddress, choice: OrderChoice, limit: u32) -> Option<CustomerOrders>;
        fn order(id: &OrderId) -> Option<OrderDetails>;
    }
    ReturnWriter {
        fn process_return(command: ProcessReturn) -> settled::Settled<AcceptedReturn>;
    }
    EscalationWriter {
        fn count_turn(command: CountTurn) -> settled::Settled<CountedTurn>;
    }
    Outbox {
        fn message_is_due(at: Timestamp) -> bool;
        fn claim_message(at: Timestamp) -> Option<ClaimedMessage>;
        fn message_delivered(claimed: ClaimedMessage, at: Timestamp) -> ();
        fn message_failed(claimed: ClaimedMessage, failure: DeliveryFailure, at: Timestamp) -> ();
    }
}

ports! { Reader:
    DeviceReader {
        fn unit(serial: &SerialNumber) -> Option<UnitRecord>;
        fn units_identified(form: &NormalForm, limit: u32) -> Vec<UnitRecord>;
        fn units_near(form: &NormalForm, limit: u32) -> Vec<ListedUnit>;
    }
    ProductSearch {
        fn products_like(field: ProductField, probe: &TextProbe, limit: u32) -> Vec<DeviceProduct>;
        fn units_of(products: &[Sku], owner: Option<CustomerId>, limit: u32) -> ProductUnits;
    }
    CustomerSearch {
        fn customers_named(probe: &TextProbe, limit: u32) -> Vec<Customer>;
        fn customers_with_phone(probe: &PhoneProbe, limit: u32) -> Vec<Customer>;
        fn customer_with_email(email: &EmailAddress) -> Option<Customer>;
        fn customer_with_external_id(id: &ExternalId) -> Option<Customer>;
    }
    CustomerReader {
        fn customer(id: CustomerId) -> Option<Customer>;
    }
    AddressReader {
        fn addresses_of(id: CustomerId) -> Option<Vec<Address>>;
        fn address_counts(ids: &[CustomerId]) -> Vec<u32>;
    }
}
