//! The fields of a turn that was counted with an idempotency key.

use std::fmt::Write as _;

use refund_domain::{
    CountedTurn, IdempotencyKey, MessageDigest, Principal, SessionId, Timestamp, TurnCount,
};

use super::Entity;
use super::fields::{Fields, Pass};

/// A turn in a file. Of what the user wrote there is only the digest, as in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TurnRecord {
    pub(crate) turn: CountedTurn,
    pub(crate) idempotency_key: IdempotencyKey,
    pub(crate) counted_at: Timestamp,
    /// Whose it is; whoever imports it, where that is not told.
    pub(crate) principal: Option<Principal>,
}

impl Fields for TurnRecord {
    const ENTITY: Entity = Entity::EscalationTurns;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let session_id = pass.text("session_id", SessionId::new, |t| {
            t.turn.session_id.as_str().into()
        });
        let turn_count = pass.whole("turn_count", TurnCount::new, |t| t.turn.turn_count.number());
        let idempotency_key = pass.text("idempotency_key", IdempotencyKey::new, |t| {
            t.idempotency_key.as_str().into()
        });
        let message = pass.text(
            "message_sha256",
            |text| {
                from_hex(text)
                    .map(MessageDigest::from_bytes)
                    .ok_or("must be 64 hexadecimal digits in lower case")
            },
            |t| hex(t.turn.message.as_bytes()).into(),
        );
        let counted_at = pass.text("counted_at", Timestamp::parse, |t| {
            t.counted_at.to_string().into()
        });
        let principal = pass.optional_text("principal", Principal::new, |t| {
            Some(t.principal.as_ref()?.as_str().into())
        });
        Some(Self {
            turn: CountedTurn {
                session_id: session_id?,
                turn_count: turn_count?,
                message: message?,
            },
            idempotency_key: idempotency_key?,
            counted_at: counted_at?,
            principal,
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A string takes whatever is written into it.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let lower = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 64 || !text.bytes().all(lower) {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_sixty_four_digits() {
        let bytes: Vec<u8> = (0..=255).step_by(8).collect();
        let text = hex(&bytes);
        assert_eq!(text.get(..8), Some("00081018"));
        assert_eq!(from_hex(&text).map(Vec::from), Some(bytes));
        for wrong in [
            "",
            "00",
            &text[1..],
            &text.to_uppercase(),
            &format!("{text}0"),
            &"é".repeat(32),
            &"+1".repeat(32),
        ] {
            assert_eq!(from_hex(wrong), None, "{wrong}");
        }
    }
}
