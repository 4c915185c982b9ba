//! The texts about orders, returns and conversations, each from the domain's facts.

use fluent_bundle::FluentArgs;
use refund_domain::returns::Verdict;
use refund_domain::{
    EarlierCall, Eligibility, Guidance, Ineligible, NotificationWords, NotificationWriter, OrderId,
    ReturnNews, ReturnsRefusal, TimeZone, TurnCount,
};

use super::{Key, Language, args};

impl Language {
    /// What was judged about an order, as a sentence for the customer.
    pub(crate) fn eligibility(
        self,
        order_id: &OrderId,
        judged: &Eligibility,
        zone: TimeZone,
    ) -> String {
        let key = match judged.verdict {
            Verdict::Ok => Key::EligibilityOk,
            Verdict::Ineligible(Ineligible::Expired) => Key::EligibilityExpired,
            Verdict::Ineligible(Ineligible::AlreadyReturned) => Key::EligibilityAlreadyReturned,
        };
        let args = args([
            ("order_id", order_id.as_str().into()),
            ("order_date", judged.order_date.to_string().into()),
            ("deadline_date", judged.deadline_date.to_string().into()),
            ("zone", zone.name().into()),
        ]);
        self.say(key, &args)
    }

    /// Why something is refused, and what to do. Days are those of `zone`.
    pub(crate) fn refusal(self, refusal: &ReturnsRefusal, zone: TimeZone) -> String {
        let (key, args) = match refusal {
            ReturnsRefusal::UserNotFound { user_id } => {
                let plain = user_id.as_str().is_ascii();
                let key = if plain {
                    Key::UserNotFound
                } else {
                    Key::UserNotFoundLookAlike
                };
                (key, args([("user_id", user_id.as_str().into())]))
            }
            ReturnsRefusal::OrderNotFound { order_id } => (
                Key::OrderNotFound,
                args([("order_id", order_id.as_str().into())]),
            ),
            ReturnsRefusal::NotEligible {
                order_id,
                reason,
                deadline_date,
            } => {
                let key = match reason {
                    Ineligible::Expired => Key::ReturnExpired,
                    Ineligible::AlreadyReturned => Key::ReturnAlreadyReturned,
                };
                let args = args([
                    ("order_id", order_id.as_str().into()),
                    ("deadline_date", deadline_date.to_string().into()),
                    ("zone", zone.name().into()),
                ]);
                (key, args)
            }
            ReturnsRefusal::SessionClosed { session_id } => (
                Key::SessionClosed,
                args([("session_id", session_id.as_str().into())]),
            ),
            ReturnsRefusal::IdempotencyConflict { key, earlier } => {
                let (text, mut args) = earlier_call(earlier);
                args.set("key", key.as_str());
                (text, args)
            }
        };
        self.say(key, &args)
    }

    /// That the arguments of a tool are invalid; the issues stand beside it.
    pub(crate) fn invalid_input(self, tool: &str) -> String {
        self.say(Key::InvalidInput, &args([("tool", tool.into())]))
    }

    /// What the calling agent is to do at a turn.
    pub(crate) fn guidance(self, turn: TurnCount) -> String {
        let key = match turn.guidance() {
            Guidance::Answer => Key::GuidanceAnswer,
            Guidance::ConfirmClose => Key::GuidanceConfirmClose,
            Guidance::GoOn => Key::GuidanceGoOn,
            Guidance::OneTurnLeft => Key::GuidanceOneTurnLeft,
            Guidance::Closed => Key::GuidanceClosed,
        };
        let args = args([("turn", turn.number().into()), ("left", turn.left().into())]);
        self.say(key, &args)
    }
}

fn earlier_call(earlier: &EarlierCall) -> (Key, FluentArgs<'_>) {
    match earlier {
        EarlierCall::Return {
            return_id,
            order_id,
        } => (
            Key::UsedByReturn,
            args([
                ("return_id", return_id.to_string().into()),
                ("order_id", order_id.as_str().into()),
            ]),
        ),
        EarlierCall::Turn {
            session_id,
            turn_count,
        } => (
            Key::UsedByTurn,
            args([
                ("session_id", session_id.as_str().into()),
                ("turn", turn_count.number().into()),
            ]),
        ),
        EarlierCall::OtherTool(tool) => (Key::UsedByTool, args([("tool", tool.as_str().into())])),
    }
}

/// Writes the messages about returns in one language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReturnMail(pub(crate) Language);

impl NotificationWriter for ReturnMail {
    fn return_accepted(&self, news: &ReturnNews<'_>) -> NotificationWords {
        let order = &news.details.order;
        let args = args([
            ("customer_name", news.customer().name.as_str().into()),
            ("return_id", news.return_id.to_string().into()),
            ("order_id", order.id.as_str().into()),
            ("product_name", news.details.product.name.as_str().into()),
            ("quantity", order.price.quantity().units().into()),
            ("today", news.today.to_string().into()),
        ]);
        NotificationWords {
            subject: self.0.say(Key::ReturnMailSubject, &args),
            body: self.0.say(Key::ReturnMailBody, &args),
        }
    }
}
