//! Makes a server for a caller: the tools of their role, over what of the store exists for them.

use std::sync::Arc;

use refund_domain::ports::Scoped;
use refund_domain::warranty::{WarrantyDesk, WarrantyPolicy};
use refund_domain::{Calendar, Caller, RefundDesk, ReturnsDesk, Role};
use refund_store::system::{RandomIds, SystemClock};

use crate::catalogue::{Catalogue, Desks};
use crate::config::Config;
use crate::server::{Manners, Server};
use crate::store::Store;

/// What every server of a process shares. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Servers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    store: Store,
    calendar: Calendar,
    warranty_policy: Arc<WarrantyPolicy>,
    payment_instructions: Option<String>,
    manners: Manners,
    catalogues: [(Role, Catalogue); Role::ALL.len()],
}

impl Servers {
    /// Over an open store.
    pub(crate) fn new(config: &Config, store: Store) -> Self {
        let store = match &config.smtp_url.value {
            Some(_) => store.sending_mail(),
            None => store,
        };
        Self(Arc::new(Shared {
            store,
            calendar: Calendar {
                zone: config.timezone.value,
                pinned: config.today.value,
            },
            warranty_policy: config.warranty.value.policy.clone(),
            payment_instructions: config.payment_instructions.value.clone(),
            manners: Manners {
                argument_errors: config.argument_errors.value,
                language: config.locale.value,
            },
            catalogues: Role::ALL.map(|role| (role, Catalogue::new(&config.selection(role)))),
        }))
    }

    /// The server of this caller.
    pub(crate) fn of(&self, caller: Caller) -> Server {
        let Shared {
            store,
            calendar,
            warranty_policy,
            payment_instructions,
            manners,
            catalogues,
        } = &*self.0;
        let reader = Scoped::new(store.reader(), caller.customer);
        let store = Scoped::new(store.clone(), caller.customer);
        let desks = Desks {
            warranty: WarrantyDesk::new(reader, warranty_policy.clone()),
            refunds: RefundDesk::new(store.clone(), SystemClock, RandomIds),
            returns: ReturnsDesk::new(store, SystemClock, RandomIds, *calendar),
            payment_instructions: payment_instructions.clone(),
        };
        let of_role = catalogues.iter().find(|(role, _)| *role == caller.role);
        let catalogue = of_role.map(|(_, catalogue)| catalogue.clone());
        Server::new(desks, catalogue.unwrap_or_default(), caller, *manners)
    }
}
