//! A store that is asked, and what it answers.

use std::sync::Arc;

use refund_domain::ports::{
    CustomerDirectory, CustomerReader, CustomerWriter, EscalationWriter, OrderReader, Outbox,
    RefundReader, RefundWriter, ReturnWriter, Scoped,
};
use refund_domain::refund::Verdict;
use refund_domain::settled::Answer as Returned;
use refund_domain::{
    AcceptedReturn, AdjustBalance, AdjustmentSettled, Calendar, Caller, ClaimedMessage, Clock,
    CountedTurn, Customer, CustomerId, CustomerOrders, DeskError, Eligibility, EmailAddress,
    IdSource, NotificationWords, NotificationWriter, Preview, Receipt, Refund, RefundDesk,
    RefundId, RefundPage, RefundPosition, Refusal, ReturnId, ReturnNews, ReturnsDesk,
    ReturnsDeskError, ReturnsRefusal, Role, StoreError, Timestamp,
};

use super::call::{Call, Correction, Step, refund_id, return_id};

/// What is answered, without what only one store's rows have: the numbers in cursors.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Customer(Customer),
    Receipt(Receipt),
    Preview(Preview),
    Refund(Refund),
    Page {
        total: u64,
        refunds: Vec<Refund>,
        goes_on: bool,
    },
    NoList,
    Adjustment(AdjustmentSettled),
    Found(Option<Customer>),
    Customers(Vec<Customer>),
    Orders(CustomerOrders),
    Eligibility(Eligibility),
    Return(Returned<AcceptedReturn>),
    Turn(Returned<CountedTurn>),
    IsDue(bool),
    Claimed(Option<ClaimedMessage>),
    Noted,
    Refused(Refusal),
    ReturnRefused(ReturnsRefusal),
}

impl Answer {
    /// What kind of answer it is, to see that all kinds were there.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Customer(_) => "a customer",
            Self::Receipt(receipt) if receipt.replayed => "a refund again",
            Self::Receipt(_) => "a refund",
            Self::Preview(preview) => match &preview.verdict {
                Verdict::Grant { .. } => "preview: granted",
                Verdict::Replay(_) => "preview: made before",
                Verdict::Refuse(_) => "preview: refused",
            },
            Self::Refund(_) => "a refund that is there",
            Self::Page { goes_on: true, .. } => "a list that goes on",
            Self::Page { refunds, .. } if refunds.is_empty() => "an empty list",
            Self::Page { .. } => "a list",
            Self::NoList => "no list before",
            Self::Adjustment(settled) => settled.as_str(),
            Self::Found(Some(_)) => "an address",
            Self::Found(None) => "an unknown address",
            Self::Customers(customers) if customers.is_empty() => "no customers",
            Self::Customers(_) => "customers",
            Self::Orders(_) => "orders",
            Self::Eligibility(eligibility) => match eligibility.verdict {
                refund_domain::returns::Verdict::Ok => "can be returned",
                refund_domain::returns::Verdict::Ineligible(reason) => reason.as_str(),
            },
            Self::Return(answer) if answer.replayed => "a return again",
            Self::Return(_) => "a return",
            Self::Turn(answer) if answer.replayed => "a turn again",
            Self::Turn(_) => "a turn",
            Self::IsDue(true) => "due",
            Self::IsDue(false) => "not due",
            Self::Claimed(Some(_)) => "a message",
            Self::Claimed(None) => "no message",
            Self::Noted => "noted",
            Self::Refused(refusal) => refusal.code(),
            Self::ReturnRefused(refusal) => refusal.code(),
        }
    }
}

/// The time and the ids of one call.
#[derive(Debug, Clone, Copy)]
struct Fixed {
    at: Timestamp,
    number: u64,
}

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        self.at
    }
}

impl IdSource for Fixed {
    fn refund_id(&self) -> RefundId {
        refund_id(self.number)
    }

    fn return_id(&self) -> ReturnId {
        return_id(self.number)
    }
}

#[derive(Debug)]
struct Words;

impl NotificationWriter for Words {
    fn return_accepted(&self, news: &ReturnNews<'_>) -> NotificationWords {
        NotificationWords {
            subject: format!("返品: {}\r\n\0", news.details.order.id),
            body: format!("{}, {}\0", news.details.product.name, news.today),
        }
    }
}

/// A store, and what was had from it that only means something to itself.
pub(super) struct Side<S> {
    store: S,
    /// The same, which sends mail.
    mailing: S,
    list: Option<(CustomerId, Option<CustomerId>, RefundPosition)>,
    claimed: Vec<ClaimedMessage>,
}

impl<S> Side<S>
where
    S: CustomerReader
        + CustomerDirectory
        + CustomerWriter
        + RefundReader
        + RefundWriter
        + OrderReader
        + ReturnWriter
        + EscalationWriter
        + Outbox
        + Clone,
{
    pub(super) fn new(store: S, mailing: S) -> Self {
        Self {
            store,
            mailing,
            list: None,
            claimed: Vec::new(),
        }
    }

    /// Makes a call. Only a fault is an error.
    pub(super) async fn ask(&mut self, call: &Call) -> Result<Answer, StoreError> {
        let answer = self.answer(call).await;
        answer.or_else(|error| match error {
            Failed::Refund(DeskError::Refused(refusal)) => Ok(Answer::Refused(refusal)),
            Failed::Return(ReturnsDeskError::Refused(refusal)) => {
                Ok(Answer::ReturnRefused(refusal))
            }
            Failed::Refund(DeskError::Fault(fault))
            | Failed::Return(ReturnsDeskError::Fault(fault))
            | Failed::Store(fault) => Err(fault),
        })
    }

    async fn answer(&mut self, call: &Call) -> Result<Answer, Failed> {
        let store = match call.sends_mail {
            true => self.mailing.clone(),
            false => self.store.clone(),
        };
        let fixed = Fixed {
            at: call.at,
            number: call.number,
        };
        let calendar = Calendar {
            zone: call.zone,
            pinned: None,
        };
        let scoped = Scoped::new(store.clone(), call.only);
        let desk = RefundDesk::new(scoped.clone(), fixed, fixed);
        let returns = ReturnsDesk::new(scoped, fixed, fixed, calendar);
        let caller = Caller {
            customer: call.only,
            ..Caller::new(call.principal.clone(), Role::Agent)
        };
        Ok(match call.step.clone() {
            Step::Refund(request) => Answer::Receipt(desk.trigger_refund(caller, request).await?),
            Step::Preview(request) => {
                Answer::Preview(desk.preview_refund(&caller, &request).await?)
            }
            Step::Customer(id) => Answer::Customer(desk.customer_record(id).await?),
            Step::RefundById(id) => Answer::Refund(desk.refund(id).await?),
            Step::RefundByKey(key) => {
                Answer::Refund(desk.refund_by_key(&call.principal, &key).await?)
            }
            Step::List(id, take) => {
                let page = desk.list_refunds(id, take, None).await?;
                self.page(id, call.only, page)
            }
            Step::ListOn(take) => match self.list.take() {
                None => Answer::NoList,
                Some((id, only, before)) => {
                    let desk = RefundDesk::new(Scoped::new(store, only), fixed, fixed);
                    let page = desk.list_refunds(id, take, Some(before)).await?;
                    self.page(id, only, page)
                }
            },
            Step::Adjust(correction) => {
                let command = adjust(correction, caller, call.at);
                Answer::Adjustment(store.adjust_balance(command).await?)
            }
            Step::ByEmail(text) => {
                let email = EmailAddress::new(&text).unwrap();
                Answer::Found(store.customer_by_email(&email).await?)
            }
            Step::Customers(take, after) => Answer::Customers(store.customers(take, after).await?),
            Step::Orders(user) => Answer::Orders(returns.orders(user).await?),
            Step::Billing(user) => Answer::Orders(returns.billing(user).await?),
            Step::Eligibility(order) => Answer::Eligibility(returns.eligibility(order).await?),
            Step::Return(request) => {
                let answer = returns.process_return(caller, request, Arc::new(Words));
                Answer::Return(answer.await?)
            }
            Step::Turn(request) => Answer::Turn(returns.count_turn(caller, request).await?),
            Step::IsDue => Answer::IsDue(store.message_is_due(call.at).await?),
            Step::Claim => {
                let claimed = store.claim_message(call.at).await?;
                self.claimed.extend(claimed.clone());
                Answer::Claimed(claimed)
            }
            Step::Delivered(back) => {
                if let Some(claimed) = self.claimed.iter().rev().nth(back) {
                    store.message_delivered(claimed.clone(), call.at).await?;
                }
                Answer::Noted
            }
            Step::Failed(back, failure) => {
                if let Some(claimed) = self.claimed.iter().rev().nth(back) {
                    let failed = store.message_failed(claimed.clone(), failure, call.at);
                    failed.await?;
                }
                Answer::Noted
            }
        })
    }

    fn page(&mut self, id: CustomerId, only: Option<CustomerId>, page: RefundPage) -> Answer {
        self.list = page.next.map(|next| (id, only, next));
        Answer::Page {
            total: page.total,
            refunds: page.refunds,
            goes_on: page.next.is_some(),
        }
    }
}

/// People alone correct balances, and every customer exists for them.
fn adjust(correction: Correction, caller: Caller, at: Timestamp) -> AdjustBalance {
    let Correction {
        customer_id,
        by,
        reason,
        idempotency_key,
    } = correction;
    AdjustBalance {
        customer_id,
        by,
        reason,
        idempotency_key,
        caller: Caller {
            customer: None,
            ..caller
        },
        at,
    }
}

#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Refund(#[from] DeskError),
    #[error(transparent)]
    Return(#[from] ReturnsDeskError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
