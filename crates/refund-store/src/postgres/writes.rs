//! What a batch saves: gathered while its commands are decided, written in one flight.

use std::collections::HashMap;

use refund_domain::{CustomerId, Money, Refund};

use super::adjustments::{self, NewAdjustment};
use super::audit::{self, AuditRow};
use super::customers::{self, BalanceChange};
use super::error::{SqlError, untrue};
use super::escalations::{self, NewTurn, TurnChange};
use super::facts::Conversation;
use super::flight::all_changed;
use super::idempotency_keys::{self, Claim};
use super::outbox::{self, NewMessage};
use super::returns::{self, NewReturn};
use super::session::Session;
use super::{orders, refunds, text};

/// What is to be saved.
#[derive(Default)]
pub(crate) struct Writes {
    balances: HashMap<CustomerId, BalanceChange>,
    refunds: Vec<Refund>,
    returns: Vec<NewReturn>,
    messages: Vec<NewMessage>,
    conversations: HashMap<Conversation, TurnChange>,
    turns: Vec<NewTurn>,
    claims: Vec<Claim>,
    /// Each with the index of its audit row.
    adjustments: Vec<(NewAdjustment, usize)>,
    audit: Vec<AuditRow>,
}

impl Writes {
    /// Whether there is nothing. Whatever is written has its audit row.
    pub(crate) fn is_empty(&self) -> bool {
        self.audit.is_empty()
    }

    /// A call that changes nothing.
    pub(crate) fn call(&mut self, row: AuditRow) {
        self.audit.push(row);
    }

    /// A refund from a customer who had this balance.
    pub(crate) fn refund(&mut self, refund: Refund, before: Money, row: AuditRow) {
        let change = self.balance(refund.customer_id, before);
        change.after = refund.remaining_refundable_balance;
        change.refunds += 1;
        self.refunds.push(refund);
        self.audit.push(row);
    }

    /// An adjustment.
    pub(crate) fn adjustment(&mut self, new: NewAdjustment, row: AuditRow) {
        let change = self.balance(new.made.customer_id, new.made.before);
        change.after = new.made.after;
        self.adjustments.push((new, self.audit.len()));
        self.audit.push(row);
    }

    fn balance(&mut self, id: CustomerId, before: Money) -> &mut BalanceChange {
        self.balances.entry(id).or_insert(BalanceChange {
            before,
            after: before,
            refunds: 0,
        })
    }

    /// A return with the message about it.
    pub(crate) fn order_return(&mut self, new: NewReturn, message: NewMessage, row: AuditRow) {
        self.returns.push(new);
        self.messages.push(message);
        self.audit.push(row);
    }

    /// A turn of a conversation that had had so many before.
    pub(crate) fn turn(
        &mut self,
        conversation: Conversation,
        before: u32,
        after: u32,
        row: AuditRow,
    ) {
        let change = TurnChange { before, after };
        self.conversations
            .entry(conversation)
            .or_insert(change)
            .after = after;
        self.audit.push(row);
    }

    /// What a turn that came with a key came to.
    pub(crate) fn keyed_turn(&mut self, turn: NewTurn) {
        self.turns.push(turn);
    }

    /// A key that one of these calls used.
    pub(crate) fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// Writes everything; what points at something comes after it. Gives the first audit row and its
    /// place.
    pub(crate) async fn save(
        mut self,
        session: &Session,
    ) -> Result<Option<(i64, AuditRow)>, SqlError> {
        let (new, longer): (Vec<_>, Vec<_>) = self
            .conversations
            .iter()
            .map(|(conversation, change)| (conversation, *change))
            .partition(|(_, change)| change.before == 0);
        let returned = self.returns.iter();
        let returned: Vec<String> = returned
            .map(|new| text::encode(new.made.order_id.as_str()).into_owned())
            .collect();
        let balances = customers::change_balances(session, &self.balances).await?;
        let refunds = refunds::insert(session, &self.refunds).await?;
        let orders = orders::mark_returned(session, returned).await?;
        let returns = returns::insert(session, &self.returns).await?;
        let messages = outbox::insert(session, &self.messages).await?;
        let new_conversations = escalations::insert(session, &new).await?;
        let longer_conversations = escalations::update(session, &longer).await?;
        let turns = escalations::insert_turns(session, &self.turns).await?;
        let claims = idempotency_keys::claim(session, &mut self.claims).await?;
        let audit = audit::insert(session, &self.audit).await?;
        let changed = tokio::join!(
            biased;
            balances.changes(session),
            refunds.changes(session),
            orders.changes(session),
            returns.changes(session),
            messages.changes(session),
            new_conversations.changes(session),
            longer_conversations.changes(session),
            turns.changes(session),
            claims.changes(session),
            audit.rows(session),
        );
        let read = "it is not what was read";
        let lost = "it was not inserted";
        all_changed("customers", changed.0?, self.balances.len(), read)?;
        all_changed("refunds", changed.1?, self.refunds.len(), lost)?;
        all_changed(
            "orders",
            changed.2?,
            self.returns.len(),
            "it has been returned before",
        )?;
        all_changed("returns", changed.3?, self.returns.len(), lost)?;
        all_changed("outbox", changed.4?, self.messages.len(), lost)?;
        all_changed("escalation_sessions", changed.5?, new.len(), lost)?;
        all_changed("escalation_sessions", changed.6?, longer.len(), read)?;
        all_changed("escalation_turns", changed.7?, self.turns.len(), lost)?;
        all_changed("idempotency_keys", changed.8?, self.claims.len(), lost)?;
        let places = audit::places(&changed.9?)?;
        all_changed("audit", places.len() as u64, self.audit.len(), lost)?;

        let adjustments: Vec<(NewAdjustment, i64)> = self
            .adjustments
            .into_iter()
            .map(|(adjustment, index)| match places.get(index) {
                Some(place) => Ok((adjustment, *place)),
                None => Err(untrue("audit", index, lost)),
            })
            .collect::<Result<_, _>>()?;
        let saved = adjustments::insert(session, &adjustments).await?;
        all_changed(
            "adjustments",
            saved.changes(session).await?,
            adjustments.len(),
            lost,
        )?;
        Ok(places.first().copied().zip(self.audit.into_iter().next()))
    }
}
