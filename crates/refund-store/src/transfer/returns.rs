//! The fields of a return.

use std::convert::Infallible;

use refund_domain::{
    EmailAddress, IdempotencyKey, Notification, NotificationWords, OrderId, OrderReturn, Principal,
    ReturnId, ReturnReason, Timestamp,
};

use super::Entity;
use super::fields::{Fields, Pass};

/// A return in a file. One that was made with a key comes with the message about it, which is what a
/// retry is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReturnRecord {
    pub(crate) made: OrderReturn,
    pub(crate) principal: Option<Principal>,
    pub(crate) idempotency_key: Option<IdempotencyKey>,
    pub(crate) message: Option<MessageRecord>,
}

/// A message to a customer in a file. It is never sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageRecord {
    pub(crate) notification: Notification,
    pub(crate) delivered_at: Option<Timestamp>,
}

impl ReturnRecord {
    /// Whether this says nothing that is otherwise there: what it does not tell is no difference.
    pub(crate) fn agrees_with(&self, there: &Self) -> bool {
        fn same<T: PartialEq>(told: Option<&T>, there: Option<&T>) -> bool {
            told.is_none() || told == there
        }
        self.made == there.made
            && same(self.principal.as_ref(), there.principal.as_ref())
            && same(
                self.idempotency_key.as_ref(),
                there.idempotency_key.as_ref(),
            )
            && match (&self.message, &there.message) {
                (None, _) => true,
                (Some(told), Some(there)) => {
                    told.notification == there.notification
                        && same(told.delivered_at.as_ref(), there.delivered_at.as_ref())
                }
                (Some(_), None) => false,
            }
    }
}

/// A text as it stands.
fn verbatim(text: &str) -> Result<String, Infallible> {
    Ok(text.to_owned())
}

/// The field that is wrong beside others, and how.
fn needs(told: bool, has: bool, what: &'static str) -> Option<Result<(), &'static str>> {
    (told && !has).then_some(Err(what))
}

impl Fields for ReturnRecord {
    const ENTITY: Entity = Entity::Returns;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let id = pass.text("return_id", ReturnId::new, |r| r.made.id.to_string().into());
        let order_id = pass.text("order_id", OrderId::new, |r| {
            r.made.order_id.as_str().into()
        });
        let reason = pass.text("reason", ReturnReason::new, |r| {
            r.made.reason.as_str().into()
        });
        let processed_at = pass.text("processed_at", Timestamp::parse, |r| {
            r.made.processed_at.to_string().into()
        });
        // Whether a field is there, be it right or wrong by itself.
        let (mut has_principal, mut has_key, mut has_to, mut has_sent_at, mut has_more) =
            (false, false, false, false, false);
        let principal = pass.optional_text(
            "principal",
            |text| {
                has_principal = true;
                Principal::new(text)
            },
            |r| Some(r.principal.as_ref()?.as_str().into()),
        );
        let idempotency_key = pass.optional_text(
            "idempotency_key",
            |text| {
                has_key = true;
                IdempotencyKey::new(text)
            },
            |r| Some(r.idempotency_key.as_ref()?.as_str().into()),
        );
        let to = pass.optional_text(
            "notification_to",
            |text| {
                has_to = true;
                EmailAddress::new(text)
            },
            |r| Some(r.message.as_ref()?.notification.to.as_str().into()),
        );
        // An empty cell of a table is no field: an absent subject or text is an empty one.
        let subject = pass.optional_text("notification_subject", verbatim, |r| {
            Some(r.message.as_ref()?.notification.subject.as_str().into())
        });
        let body = pass.optional_text("notification_body", verbatim, |r| {
            Some(r.message.as_ref()?.notification.body.as_str().into())
        });
        let sent_at = pass.optional_text(
            "notification_sent_at",
            |text| {
                has_sent_at = true;
                Timestamp::parse(text)
            },
            |r| {
                let notification = &r.message.as_ref()?.notification;
                Some(notification.sent_at.to_string().into())
            },
        );
        let delivered_at = pass.optional_text(
            "notification_delivered_at",
            |text| {
                has_more = true;
                Timestamp::parse(text)
            },
            |r| Some(r.message.as_ref()?.delivered_at?.to_string().into()),
        );
        let has_more = has_more || subject.is_some() || body.is_some();
        let _told = pass.check("idempotency_key", || {
            needs(
                has_key,
                has_principal,
                "needs the field \"principal\" beside it",
            )
        });
        let _told = pass.check("idempotency_key", || {
            let what = "needs the message that a retry is answered with: notification_to, notification_subject, notification_body and notification_sent_at";
            needs(has_key, has_to || has_sent_at, what)
        });
        let _told = pass.check("notification_to", || {
            let what = "needs the field \"notification_sent_at\" beside it";
            needs(has_to, has_sent_at, what)
        });
        let _told = pass.check("notification_to", || {
            let what = "is missing, but other fields of the message are there";
            needs(has_sent_at || has_more, has_to, what)
        });
        let message = match (to, sent_at) {
            (Some(to), Some(sent_at)) => {
                let words = NotificationWords {
                    subject: subject.unwrap_or_default(),
                    body: body.unwrap_or_default(),
                };
                Some(MessageRecord {
                    notification: Notification::new(to, words, sent_at),
                    delivered_at,
                })
            }
            _ => None,
        };
        Some(Self {
            made: OrderReturn {
                id: id?,
                order_id: order_id?,
                reason: reason?,
                processed_at: processed_at?,
            },
            principal,
            idempotency_key,
            message,
        })
    }
}
