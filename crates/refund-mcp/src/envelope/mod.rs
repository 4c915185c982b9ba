//! The one reader of JSON-RPC messages, shared by every transport. It decides what a message is,
//! whether it can be answered, and hands rmcp a typed request without the tool's arguments, which
//! stay JSON text (`docs/architecture.md`, on the wire).
//!
//! *Invariant:* a request whose id can be read is answered with that id, once; what cannot be tied
//! to a request gets no answer. `tests/wire/protocol.rs` has a case for each row.

mod id;
mod members;
mod request;

use std::borrow::Cow;
use std::collections::HashSet;

use rmcp::ErrorData;
use serde_json::value::RawValue;

pub(crate) use id::WireId;
use members::Members;
pub(crate) use request::{
    Arguments, Carried, Lifecycle, MetaIdempotencyKey, MetaLanguage, lifecycle, typed,
};

/// What one message turned out to be.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    /// A request that rmcp can be given, once [`typed`] agrees.
    Request(Request<'a>),
    /// The client takes a request back.
    Cancelled(WireId),
    /// Any other notification.
    Notification(Cow<'a, str>),
    /// A batch: nothing in it is executed, and each id is answered with this error.
    Batch(HashSet<WireId>),
    /// A request that is answered at once with an error and goes no further.
    Refused(WireId, ErrorData),
    /// Nothing that an answer could be tied to.
    Junk(Junk),
}

/// A request whose envelope is sound.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The client's id.
    pub(crate) id: WireId,
    /// The method.
    pub(crate) method: Cow<'a, str>,
    /// The parameters, an object; `None` where they were absent or null.
    pub(crate) params: Option<&'a str>,
}

/// Why a message gets no answer. The texts are for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub(crate) enum Junk {
    #[error("not UTF-8")]
    NotUtf8,
    #[error("not JSON")]
    NotJson,
    #[error("not a JSON-RPC message")]
    NotJsonRpc,
    #[error("a request whose id is no string and no whole number")]
    UnreadableId,
    #[error("a response, although nothing was asked")]
    Response,
    #[error("a notification of unknown kind, or before the handshake")]
    Notification,
    #[error("longer than the limit, and without a readable id near its start")]
    TooLong,
}

/// How much of an over-long line is kept to look for an id.
pub(crate) const ID_PREFIX: usize = 4096;

const NAMES: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
const JSONRPC: usize = 0;
const ID: usize = 1;
const METHOD: usize = 2;
const PARAMS: usize = 3;
const RESULT: usize = 4;
const ERROR: usize = 5;

/// Reads one message: a line without its end, or a request body. `None` for a blank line.
pub(crate) fn read(bytes: &[u8]) -> Option<Message<'_>> {
    let bytes = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii();
    let first = bytes.first()?;
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Some(Message::Junk(Junk::NotUtf8));
    };
    Some(match first {
        b'{' => object(text),
        b'[' => batch(text),
        _ => match serde_json::from_str::<&RawValue>(text) {
            Ok(_) => Message::Junk(Junk::NotJsonRpc),
            Err(_) => Message::Junk(Junk::NotJson),
        },
    })
}

/// The id in the first bytes of a message that is too long to be read.
pub(crate) fn id_of_prefix(prefix: &[u8]) -> Option<WireId> {
    let prefix = prefix.strip_prefix(b"\xef\xbb\xbf").unwrap_or(prefix);
    let text = match std::str::from_utf8(prefix) {
        Ok(text) => text,
        // The cut may have split a character; what stands before it is sound.
        Err(error) => std::str::from_utf8(prefix.get(..error.valid_up_to())?).ok()?,
    };
    let mut members = Members::new(NAMES);
    // Always an error, because the end is missing; the members read before it are there.
    let _ = members.read(text);
    if members.duplicate().is_some() || members.get(RESULT).or(members.get(ERROR)).is_some() {
        return None;
    }
    let id = members.get(ID)?.get();
    // A number at the very end may have been cut.
    let complete = id.as_bytes().as_ptr_range().end < text.as_bytes().as_ptr_range().end;
    if complete { WireId::read(id) } else { None }
}

/// What an answer holds: `result` or `error`, and the text of it. `None` for anything else.
pub(crate) fn content_of(answer: &[u8]) -> Option<(&'static str, &RawValue)> {
    let mut members = Members::new(["result", "error"]);
    members.read(std::str::from_utf8(answer).ok()?).ok()?;
    match (members.get(0), members.get(1)) {
        (Some(result), None) => Some(("result", result)),
        (None, Some(error)) => Some(("error", error)),
        _ => None,
    }
}

fn object(text: &str) -> Message<'_> {
    let mut members = Members::new(NAMES);
    if members.read(text).is_err() {
        return Message::Junk(Junk::NotJson);
    }
    // Two different ids are no id. Anything else that stands twice can still be answered.
    let id = match members.get(ID) {
        Some(_) if members.duplicate() == Some(ID) => return Message::Junk(Junk::UnreadableId),
        Some(id) => id,
        None => return without_id(&members),
    };
    if members.get(METHOD).is_none() && members.get(RESULT).or(members.get(ERROR)).is_some() {
        return Message::Junk(Junk::Response);
    }
    let Some(id) = WireId::read(id.get()) else {
        return Message::Junk(Junk::UnreadableId);
    };
    match request(&members) {
        Ok((method, params)) => Message::Request(Request { id, method, params }),
        Err(error) => Message::Refused(id, error),
    }
}

fn request<'a>(members: &Members<'a, 6>) -> Result<(Cow<'a, str>, Option<&'a str>), ErrorData> {
    let invalid = |text: String| Err(ErrorData::invalid_request(text, None));
    if let Some(twice) = members.duplicate() {
        return invalid(format!(
            "Invalid request: {:?} stands twice",
            members.name(twice)
        ));
    }
    if members.get(JSONRPC).map(RawValue::get) != Some("\"2.0\"") {
        return invalid("Invalid request: \"jsonrpc\" must be \"2.0\"".to_owned());
    }
    let Some(method) = members.get(METHOD).and_then(members::text) else {
        return invalid("Invalid request: \"method\" must be a string".to_owned());
    };
    if members.get(RESULT).or(members.get(ERROR)).is_some() {
        return invalid("Invalid request: a request has no \"result\" and no \"error\"".to_owned());
    }
    match members.get(PARAMS).map(RawValue::get) {
        None | Some("null") => Ok((method, None)),
        Some(params) if params.starts_with('{') => Ok((method, Some(params))),
        Some(_) => Err(ErrorData::invalid_params(
            "Invalid params: they must be an object",
            None,
        )),
    }
}

fn without_id<'a>(members: &Members<'a, 6>) -> Message<'a> {
    let Some(method) = members.get(METHOD).and_then(members::text) else {
        return Message::Junk(Junk::NotJsonRpc);
    };
    if method == "notifications/cancelled" {
        let id = members.get(PARAMS).and_then(|params| {
            let mut fields = Members::new(["requestId"]);
            fields.read(params.get()).ok()?;
            if fields.duplicate().is_some() {
                return None;
            }
            WireId::read(fields.get(0)?.get())
        });
        return id.map_or(Message::Junk(Junk::UnreadableId), Message::Cancelled);
    }
    Message::Notification(method)
}

fn batch(text: &str) -> Message<'_> {
    let mut ids = HashSet::new();
    let read = members::each(text, |item| {
        let mut members = Members::new(NAMES);
        let sound = members.read(item).is_ok() && members.get(METHOD).is_some();
        let id = members.get(ID).filter(|_| sound);
        // One answer an id, however often it stands in the batch.
        ids.extend(id.and_then(|id| WireId::read(id.get())));
    });
    match read {
        Err(_) => Message::Junk(Junk::NotJson),
        Ok(()) if ids.is_empty() => Message::Junk(Junk::NotJsonRpc),
        Ok(()) => Message::Batch(ids),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> String {
        match read(line.as_bytes()) {
            None => "blank".to_owned(),
            Some(Message::Request(request)) => {
                format!(
                    "{} {} {:?}",
                    request.id.raw(),
                    request.method,
                    request.params
                )
            }
            Some(Message::Cancelled(id)) => format!("cancelled {}", id.raw()),
            Some(Message::Notification(method)) => format!("notification {method}"),
            Some(Message::Batch(ids)) => {
                let mut ids: Vec<_> = ids.iter().map(WireId::raw).collect();
                ids.sort_unstable();
                format!("batch {ids:?}")
            }
            Some(Message::Refused(id, error)) => format!("{} refused {}", id.raw(), error.code.0),
            Some(Message::Junk(junk)) => format!("{junk:?}"),
        }
    }

    #[test]
    fn kinds_of_messages() {
        for (line, expected) in [
            ("", "blank"),
            (" \t\r", "blank"),
            ("\u{feff}", "blank"),
            ("hello", "NotJson"),
            (r#"{"jsonrpc":"2.0","id":1"#, "NotJson"),
            (r#"{"id":1}{"id":2}"#, "NotJson"),
            ("42", "NotJsonRpc"),
            ("null", "NotJsonRpc"),
            ("[]", "NotJsonRpc"),
            (r#"{"foo":1}"#, "NotJsonRpc"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "1 ping None"),
            (
                "\u{feff} {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r",
                "1 ping None",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.0,"method":"ping","params":null}"#,
                "1.0 ping None",
            ),
            (
                r#"{"jsonrpc":"2.0","\u0069d":"a","method":"x","params":{}}"#,
                "\"a\" x Some(\"{}\")",
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                "UnreadableId",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
                "UnreadableId",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}"#,
                "UnreadableId",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#,
                "1 refused -32600",
            ),
            (
                r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#,
                "1 refused -32600",
            ),
            (r#"{"id":1,"method":"a"}"#, "1 refused -32600"),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, "1 refused -32600"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
                "1 refused -32600",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#,
                "1 refused -32600",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}"#,
                "1 refused -32602",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","params":"x"}"#,
                "1 refused -32602",
            ),
            (r#"{"jsonrpc":"2.0","id":1}"#, "1 refused -32600"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "Response"),
            (r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, "Response"),
            (
                r#"{"jsonrpc":"2.0","method":"tools/call"}"#,
                "notification tools/call",
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}"#,
                "cancelled \"7\"",
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"requestId":8}}"#,
                "UnreadableId",
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
                "UnreadableId",
            ),
            (
                r#"[{"id":1,"method":"a"},{"id":1,"method":"a"},{"id":"b","method":"c"},{"method":"d"},5]"#,
                r#"batch ["\"b\"", "1"]"#,
            ),
            (r#"[{"jsonrpc":"2.0","method":"a"}]"#, "NotJsonRpc"),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
        assert!(matches!(
            read(b"{\"a\":\"\xff\"}"),
            Some(Message::Junk(Junk::NotUtf8))
        ));
    }

    #[test]
    fn the_id_of_a_message_that_is_too_long() {
        let of = |prefix: &str| id_of_prefix(prefix.as_bytes()).map(|id| id.raw().to_owned());
        assert_eq!(
            of(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"#),
            Some("7".to_owned())
        );
        assert_eq!(
            of(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":[1,1,"é"#),
            Some("7".to_owned())
        );
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":12"#), None, "may go on");
        assert_eq!(
            of(r#"{"params":{"id":5,"x":["#),
            None,
            "not the message's own"
        );
        assert_eq!(of("[[[[["), None);
        let mut cut = br#"{"id":"a","method":""#.to_vec();
        cut.push(0xe3);
        assert_eq!(
            id_of_prefix(&cut).map(|id| id.raw().to_owned()),
            Some("\"a\"".to_owned())
        );
    }
}
