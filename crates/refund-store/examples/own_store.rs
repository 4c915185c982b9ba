//! A store of your own behind the ports of refunds, here a map behind a lock; and the contract suite,
//! which says whether it is one.
//!
//! `cargo run --package refund-store --example own_store` refunds something from it,
//! `cargo test --package refund-store --example own_store` runs the suite.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use refund_domain::ports::{CustomerReader, RefundReader, RefundWriter};
use refund_domain::refund::{Facts, KeyUse};
use refund_domain::{
    Caller, Currency, Customer, CustomerId, CustomerStatus, EmailAddress, IdempotencyKey,
    IssueRefund, Money, Outcome, PersonName, Principal, Reason, Refund, RefundAmount, RefundDesk,
    RefundId, RefundPage, RefundPosition, RefundRequest, Role, Settled, StoreError, Timestamp,
};
use refund_store::system::{RandomIds, SystemClock};

/// Clones are handles on one store.
#[derive(Debug, Clone, Default)]
struct MapStore(Arc<Mutex<Tables>>);

#[derive(Debug, Default)]
struct Tables {
    customers: HashMap<CustomerId, Customer>,
    /// In the order in which they were made: the place in the sequence is the position.
    refunds: Vec<Refund>,
}

impl MapStore {
    fn new(customers: impl IntoIterator<Item = Customer>) -> Self {
        let customers = customers.into_iter();
        Self(Arc::new(Mutex::new(Tables {
            customers: customers.map(|customer| (customer.id, customer)).collect(),
            refunds: Vec::new(),
        })))
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn by_key(&self, principal: &Principal, key: &IdempotencyKey) -> Option<Refund> {
        let mut refunds = self.refunds.iter();
        refunds
            .find(|refund| {
                refund.principal == *principal && refund.idempotency_key.as_ref() == Some(key)
            })
            .cloned()
    }

    fn facts(&self, principal: &Principal, request: &RefundRequest) -> Facts {
        let key = request.idempotency_key.as_ref();
        Facts {
            customer: self.customers.get(&request.customer_id).cloned(),
            key_use: key
                .and_then(|key| self.by_key(principal, key))
                .map(KeyUse::Refund),
        }
    }
}

impl CustomerReader for MapStore {
    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, StoreError> {
        Ok(self.tables().customers.get(&id).cloned())
    }
}

impl RefundReader for MapStore {
    async fn refund(&self, id: RefundId) -> Result<Option<Refund>, StoreError> {
        let tables = self.tables();
        let mut refunds = tables.refunds.iter();
        Ok(refunds.find(|refund| refund.id == id).cloned())
    }

    async fn refund_by_key(
        &self,
        principal: &Principal,
        key: &IdempotencyKey,
    ) -> Result<Option<Refund>, StoreError> {
        Ok(self.tables().by_key(principal, key))
    }

    async fn refunds_of(
        &self,
        id: CustomerId,
        limit: u32,
        before: Option<RefundPosition>,
    ) -> Result<Option<RefundPage>, StoreError> {
        let tables = self.tables();
        if !tables.customers.contains_key(&id) {
            return Ok(None);
        }
        let all: Vec<(RefundPosition, &Refund)> = (1..)
            .filter_map(RefundPosition::from_number)
            .zip(&tables.refunds)
            .filter(|(_, refund)| refund.customer_id == id)
            .collect();
        let below = all
            .iter()
            .rev()
            .filter(|(position, _)| before.is_none_or(|before| *position < before));
        let mut page: Vec<_> = below.collect();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = page.len() > limit;
        page.truncate(limit);
        Ok(Some(RefundPage {
            total: u64::try_from(all.len()).unwrap_or(u64::MAX),
            next: page.last().filter(|_| more).map(|(position, _)| *position),
            refunds: page
                .into_iter()
                .map(|(_, refund)| (*refund).clone())
                .collect(),
        }))
    }

    async fn refund_facts(
        &self,
        principal: &Principal,
        request: &RefundRequest,
    ) -> Result<Facts, StoreError> {
        Ok(self.tables().facts(principal, request))
    }
}

impl RefundWriter for MapStore {
    async fn issue_refund(&self, command: IssueRefund) -> Result<Settled, StoreError> {
        // Facts, decision and change under one lock. The rules stand in the domain, not here.
        let mut tables = self.tables();
        let facts = tables.facts(&command.caller.principal, &command.request);
        let settled = command.settle(&facts);
        if let (Outcome::Processed(refund), Some(mut customer)) = (&settled.outcome, facts.customer)
        {
            customer.refundable_balance = refund.remaining_refundable_balance;
            tables.customers.insert(customer.id, customer);
            tables.refunds.push(refund.clone());
        }
        Ok(settled)
    }
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what happens")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let customer = Customer {
        id: "CUST-00007".parse()?,
        name: PersonName::new("Grace Hopper")?,
        email: EmailAddress::new("grace@example.com")?,
        status: CustomerStatus::Active,
        refundable_balance: Money::from_minor(8_000, Currency::new("EUR")?)?,
        created_at: Timestamp::parse("2026-01-02T03:04:05Z")?,
        external_id: None,
        phone_number: None,
        company: None,
        language: None,
    };
    let request = RefundRequest {
        customer_id: customer.id,
        amount: RefundAmount::new("30.5".parse()?)?,
        reason: Reason::new("The second parcel never came")?,
        idempotency_key: None,
    };
    let caller = Caller::new(Principal::new("billing-service")?, Role::Agent);
    let desk = RefundDesk::new(MapStore::new([customer]), SystemClock, RandomIds);
    for _ in 0..3 {
        match desk.trigger_refund(caller.clone(), request.clone()).await {
            Ok(receipt) => println!(
                "refunded {}, {} are left",
                receipt.refund.amount, receipt.refund.remaining_refundable_balance
            ),
            Err(refusal) => println!("refused: {refusal}"),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use refund_store::contract::RefundContractStore;

    use super::*;

    struct InMap(MapStore);

    impl RefundContractStore for InMap {
        type Store = MapStore;

        async fn with(customers: Vec<Customer>) -> Self {
            Self(MapStore::new(customers))
        }

        fn store(&self) -> MapStore {
            self.0.clone()
        }

        async fn reopen(self) -> Option<Self> {
            None
        }
    }

    refund_store::refund_contract_tests!(InMap);
}
