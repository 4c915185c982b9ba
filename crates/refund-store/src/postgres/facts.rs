//! What a batch must know: named by its commands, loaded under locks in one flight, and kept up to date
//! while the commands are decided one after another.

use std::collections::{BTreeMap, HashMap};

use refund_domain::{
    AcceptedReturn, Adjustment, CountedTurn, Customer, CustomerId, IdempotencyKey, Money,
    OrderDetails, OrderId, Principal, Refund, SessionId, ToolName, TurnCount, adjustment,
    escalation, refund, returns, settled,
};

use tokio_postgres::Row;

use super::error::{SqlError, Untrue};
use super::session::Session;
use super::{customers, escalations, idempotency_keys, orders};

/// Whose key it is, and the key.
pub(crate) type Owner = (Principal, IdempotencyKey);
/// Whose conversation it is, and its name.
pub(crate) type Conversation = (Principal, SessionId);

/// The names of what is needed. Each kind is sorted, because locks are taken in that order in every
/// process.
#[derive(Default)]
pub(crate) struct Wanted {
    customers: BTreeMap<u32, CustomerId>,
    orders: BTreeMap<String, OrderId>,
    conversations: BTreeMap<(String, String), Conversation>,
    refund_keys: BTreeMap<(String, String), Owner>,
    return_keys: BTreeMap<(String, String), Owner>,
    turn_keys: BTreeMap<(String, String), Owner>,
    adjustment_keys: BTreeMap<(String, String), Owner>,
}

fn texts((principal, key): &Owner) -> (String, String) {
    (principal.as_str().to_owned(), key.as_str().to_owned())
}

impl Wanted {
    pub(crate) fn customer(&mut self, id: CustomerId) {
        self.customers.insert(id.number(), id);
    }

    pub(crate) fn order(&mut self, id: &OrderId) {
        self.orders.insert(id.as_str().to_owned(), id.clone());
    }

    pub(crate) fn conversation(&mut self, conversation: Conversation) {
        let name = (
            conversation.0.as_str().to_owned(),
            conversation.1.as_str().to_owned(),
        );
        self.conversations.insert(name, conversation);
    }

    pub(crate) fn refund_key(&mut self, owner: Owner) {
        self.refund_keys.insert(texts(&owner), owner);
    }

    pub(crate) fn return_key(&mut self, owner: Owner) {
        self.return_keys.insert(texts(&owner), owner);
    }

    pub(crate) fn turn_key(&mut self, owner: Owner) {
        self.turn_keys.insert(texts(&owner), owner);
    }

    pub(crate) fn adjustment_key(&mut self, owner: Owner) {
        self.adjustment_keys.insert(texts(&owner), owner);
    }
}

/// What a key was used for.
#[derive(Debug, Clone)]
pub(crate) enum Used {
    Refund(Refund),
    Return(Box<AcceptedReturn>),
    Turn(CountedTurn),
    Adjustment(Adjustment),
    Other(ToolName),
}

/// A row that is there, be it one that cannot be true.
type There<T> = Result<T, Untrue>;

/// What is known.
#[derive(Default)]
pub(crate) struct Known {
    customers: HashMap<CustomerId, There<Customer>>,
    orders: HashMap<OrderId, There<OrderDetails>>,
    conversations: HashMap<Conversation, There<TurnCount>>,
    refund_keys: HashMap<Owner, There<Used>>,
    return_keys: HashMap<Owner, There<Used>>,
    turn_keys: HashMap<Owner, There<Used>>,
    adjustment_keys: HashMap<Owner, There<Used>>,
    /// Keys that commands of this batch have used.
    claimed: HashMap<Owner, Used>,
}

impl Known {
    /// Begins a transaction and loads what is wanted, in one flight: everything is sent before the
    /// first answer is read, and the server works it off in this order.
    pub(crate) async fn load(session: &Session, wanted: &Wanted) -> Result<Self, SqlError> {
        let customers: Vec<String> = wanted.customers.values().map(ToString::to_string).collect();
        let lock_customers = customers::locked(session, customers).await?;
        let lock_orders = orders::locked(session, wanted.orders.values()).await?;
        let lock_conversations =
            escalations::locked(session, wanted.conversations.values()).await?;
        let refund_keys =
            idempotency_keys::of_refunds(session, wanted.refund_keys.values()).await?;
        let return_keys =
            idempotency_keys::of_returns(session, wanted.return_keys.values()).await?;
        let turn_keys = idempotency_keys::of_turns(session, wanted.turn_keys.values()).await?;
        let adjustment_keys =
            idempotency_keys::of_adjustments(session, wanted.adjustment_keys.values()).await?;
        let (
            begun,
            customers,
            orders,
            conversations,
            refund_keys,
            return_keys,
            turn_keys,
            adjustment_keys,
        ) = tokio::join!(
            biased;
            session.batch_execute("BEGIN"),
            lock_customers.rows(session),
            lock_orders.rows(session),
            lock_conversations.rows(session),
            refund_keys.rows(session),
            return_keys.rows(session),
            turn_keys.rows(session),
            adjustment_keys.rows(session),
        );
        begun?;
        Ok(Self {
            customers: customers::read_locked(&customers?)?,
            orders: orders::read_locked(&orders?)?,
            conversations: escalations::read_locked(&conversations?)?,
            refund_keys: idempotency_keys::read_refunds(&refund_keys?)?,
            return_keys: idempotency_keys::read_returns(&return_keys?)?,
            turn_keys: idempotency_keys::read_turns(&turn_keys?)?,
            adjustment_keys: idempotency_keys::read_adjustments(&adjustment_keys?)?,
            claimed: HashMap::new(),
        })
    }

    /// The customer with this id, if there is one.
    pub(crate) fn customer(&self, id: CustomerId) -> Result<Option<&Customer>, SqlError> {
        there(self.customers.get(&id))
    }

    /// The order with this id, if there is one.
    pub(crate) fn order(&self, id: &OrderId) -> Result<Option<&OrderDetails>, SqlError> {
        there(self.orders.get(id))
    }

    /// How many turns a conversation has had, if it is there.
    pub(crate) fn turns(&self, conversation: &Conversation) -> Result<Option<TurnCount>, SqlError> {
        Ok(there(self.conversations.get(conversation))?.copied())
    }

    /// Notes a customer's balance as a command leaves it.
    pub(crate) fn set_balance(&mut self, id: CustomerId, balance: Money) {
        if let Some(Ok(customer)) = self.customers.get_mut(&id) {
            customer.refundable_balance = balance;
        }
    }

    /// Notes that an order has been returned.
    pub(crate) fn set_returned(&mut self, id: &OrderId) {
        if let Some(Ok(details)) = self.orders.get_mut(id) {
            details.order.returned = true;
        }
    }

    /// Notes how many turns a conversation has had.
    pub(crate) fn set_turns(&mut self, conversation: Conversation, turns: TurnCount) {
        self.conversations.insert(conversation, Ok(turns));
    }

    /// Notes that a key was used.
    pub(crate) fn claim(&mut self, owner: Owner, used: Used) {
        self.claimed.insert(owner, used);
    }

    /// What a refund's key was used for.
    pub(crate) fn refund_key(&self, owner: &Owner) -> Result<Option<refund::KeyUse>, SqlError> {
        let used = self.used(owner, &self.refund_keys)?;
        Ok(match used {
            None => None,
            Some(Used::Refund(refund)) => Some(refund::KeyUse::Refund(refund.clone())),
            Some(other) => Some(refund::KeyUse::OtherTool(tool(other)?)),
        })
    }

    /// What a return's key was used for.
    pub(crate) fn return_key(
        &self,
        owner: &Owner,
    ) -> Result<Option<settled::KeyUse<AcceptedReturn>>, SqlError> {
        let used = self.used(owner, &self.return_keys)?;
        Ok(match used {
            None => None,
            Some(Used::Return(made)) => Some(settled::KeyUse::ThisTool((**made).clone())),
            Some(other) => Some(settled::KeyUse::OtherTool(tool(other)?)),
        })
    }

    /// What a turn's key was used for.
    pub(crate) fn turn_key(
        &self,
        owner: &Owner,
    ) -> Result<Option<settled::KeyUse<CountedTurn>>, SqlError> {
        let used = self.used(owner, &self.turn_keys)?;
        Ok(match used {
            None => None,
            Some(Used::Turn(turn)) => Some(settled::KeyUse::ThisTool(turn.clone())),
            Some(other) => Some(settled::KeyUse::OtherTool(tool(other)?)),
        })
    }

    /// What an adjustment's key was used for.
    pub(crate) fn adjustment_key(
        &self,
        owner: &Owner,
    ) -> Result<Option<settled::KeyUse<Adjustment>>, SqlError> {
        let used = self.used(owner, &self.adjustment_keys)?;
        Ok(match used {
            None => None,
            Some(Used::Adjustment(made)) => Some(settled::KeyUse::ThisTool(made.clone())),
            Some(other) => Some(settled::KeyUse::OtherTool(tool(other)?)),
        })
    }

    fn used<'k>(
        &'k self,
        owner: &Owner,
        loaded: &'k HashMap<Owner, There<Used>>,
    ) -> Result<Option<&'k Used>, SqlError> {
        match self.claimed.get(owner) {
            Some(used) => Ok(Some(used)),
            None => there(loaded.get(owner)),
        }
    }
}

/// What a refund's key was used for, by the rows of `idempotency_keys::of_refunds`.
pub(crate) fn refund_key_of(
    rows: &[Row],
    owner: &Owner,
) -> Result<Option<refund::KeyUse>, SqlError> {
    let known = Known {
        refund_keys: idempotency_keys::read_refunds(rows)?,
        ..Known::default()
    };
    known.refund_key(owner)
}

fn there<T>(found: Option<&There<T>>) -> Result<Option<&T>, SqlError> {
    match found {
        None => Ok(None),
        Some(Ok(found)) => Ok(Some(found)),
        Some(Err(untrue)) => Err(untrue.clone().into()),
    }
}

/// The tool that a key was used by.
fn tool(used: &Used) -> Result<ToolName, SqlError> {
    let name = match used {
        Used::Refund(_) => refund::TOOL,
        Used::Return(_) => returns::TOOL,
        Used::Turn(_) => escalation::TOOL,
        Used::Adjustment(_) => adjustment::TOOL,
        Used::Other(name) => return Ok(name.clone()),
    };
    ToolName::new(name).map_err(|cause| Untrue::new("idempotency_keys", name, cause).into())
}
