//! From a sound envelope to the typed request that rmcp takes.

use std::sync::Arc;

use refund_domain::IdempotencyKey;
use refund_schema::{
    IDEMPOTENCY_KEY_META, Issue, IssueCode, PathSegment, idempotency_key_from_meta,
};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientJsonRpcMessage,
    ClientRequest, CustomRequest, ErrorCode, Extensions, GetExtensions, GetMeta, Implementation,
    InitializeRequest, InitializeRequestParams, JsonRpcMessage, ProtocolVersion, RequestMetaObject,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Request;
use super::members::{self, Members};
use crate::messages::{LANGUAGE_META, Language};

/// The arguments of a tool call as the JSON text that was sent; `None` where there were none.
/// Travels in the request's extensions.
#[derive(Debug, Clone)]
pub(crate) struct Arguments(pub(crate) Option<Arc<str>>);

/// The idempotency key from the request's `_meta`, if any. Travels in the request's extensions.
#[derive(Debug, Clone)]
pub(crate) struct MetaIdempotencyKey(pub(crate) IdempotencyKey);

/// The language from the request's `_meta`, if it states one that we have. Travels in the request's
/// extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MetaLanguage(pub(crate) Language);

/// What a request's extensions held before it went to rmcp as text. Travels beside that text.
#[derive(Debug, Clone)]
pub(crate) struct Carried(pub(crate) Extensions);

/// The most text that is handed to rmcp: what it builds from it can be a hundred times as large.
const MOST_FOR_RMCP: usize = 64 * 1024;

/// The other methods that the server may serve. rmcp has types for more, and answers those itself, in
/// other words than ours.
const SERVED: [&str; 5] = [
    "ping",
    "prompts/get",
    "prompts/list",
    "server/discover",
    "tools/list",
];

/// Those of them that have pages; each of ours is one page.
const LISTS: [&str; 2] = ["prompts/list", "tools/list"];

/// Builds the request for rmcp. A tool's arguments are left out and travel beside it.
///
/// # Errors
/// The error to answer with: parameters that the method cannot take.
pub(crate) fn typed(request: &Request<'_>) -> Result<ClientRequest, ErrorData> {
    match request.method.as_ref() {
        "tools/call" => tools_call(request.params.unwrap_or("{}")),
        "initialize" => initialize(request.params.unwrap_or("{}")),
        method => other(method, request.params.unwrap_or("{}")),
    }
}

/// What a request means for the session's lifecycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    /// Begins a session by handshake.
    Handshake,
    /// Asks what the server is; begins nothing.
    Discovery,
    /// Carries its own protocol version and capabilities, complete and known to us.
    SelfContained,
    /// Carries a protocol version of its own that is not known, or not all that it must.
    Malformed,
    /// Needs a session.
    InSession,
}

/// Classifies a request, so that a transport knows what may come before a handshake.
pub(crate) fn lifecycle(request: &ClientRequest) -> Lifecycle {
    let meta = request.get_meta();
    let states_version = meta
        .get("io.modelcontextprotocol/protocolVersion")
        .is_some();
    match request {
        ClientRequest::InitializeRequest(_) => Lifecycle::Handshake,
        ClientRequest::DiscoverRequest(_) => Lifecycle::Discovery,
        _ if !states_version => Lifecycle::InSession,
        _ => {
            let complete = meta
                .missing_required_keys(&ProtocolVersion::V_2026_07_28)
                .is_empty();
            let known = meta
                .protocol_version()
                .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
            if complete && known {
                Lifecycle::SelfContained
            } else {
                Lifecycle::Malformed
            }
        }
    }
}

fn tools_call(params: &str) -> Result<ClientRequest, ErrorData> {
    let mut fields = Members::new(["name", "arguments", "_meta"]);
    if fields.read(params).is_err() {
        return Err(call_error(
            &[],
            IssueCode::InvalidType,
            "they must be an object of Unicode text",
        ));
    }
    if let Some(twice) = fields.duplicate() {
        let path = vec![PathSegment::Key(fields.name(twice).to_owned())];
        return Err(invalid("tools/call", &Issue::repeated(path)));
    }
    let name = fields.get(0).ok_or_else(|| {
        let message = "name is required: expected a string, the name of a tool";
        call_error(&["name"], IssueCode::Required, message)
    })?;
    let name = members::text(name).ok_or_else(|| {
        let message = "name: expected a string, the name of a tool";
        call_error(&["name"], IssueCode::InvalidType, message)
    })?;
    let meta = match fields.get(2) {
        None => Meta::default(),
        Some(meta) => meta_object(meta)?,
    };
    let arguments = fields.get(1).map(|arguments| Arc::from(arguments.get()));
    let call = CallToolRequest::new(CallToolRequestParams::new(name.into_owned()));
    let mut request = ClientRequest::CallToolRequest(call);
    *request.get_meta_mut() = meta.object;
    let extensions = request.extensions_mut();
    extensions.insert(Arguments(arguments));
    if let Some(key) = meta.key {
        extensions.insert(MetaIdempotencyKey(key));
    }
    if let Some(language) = meta.language {
        extensions.insert(MetaLanguage(language));
    }
    Ok(request)
}

/// That no key came twice in its object, at any depth: whoever reads the last of them does something
/// else than who reads the first.
fn given_once(method: &str, path: &[&str], text: &str) -> Result<(), ErrorData> {
    match members::twice(text) {
        Ok(Some(below)) => {
            let keys = path.iter().map(|key| PathSegment::Key((*key).to_owned()));
            let path = keys.chain(below).collect();
            Err(invalid(method, &Issue::repeated(path)))
        }
        // What cannot be read is refused where it is read.
        Ok(None) | Err(_) => Ok(()),
    }
}

fn invalid(method: &str, issue: &Issue) -> ErrorData {
    ErrorData::invalid_params(
        format!("Invalid params for {method}: {}", issue.message),
        Some(json!({ "issues": [issue] })),
    )
}

/// Another problem of a call's parameters.
fn call_error(path: &[&str], code: IssueCode, message: &str) -> ErrorData {
    let keys = path.iter().map(|key| PathSegment::Key((*key).to_owned()));
    let problem = message.to_owned().into();
    invalid("tools/call", &Issue::at(keys.collect(), code, problem))
}

/// A request's `_meta`, and what we read from it.
#[derive(Debug, Default)]
struct Meta {
    object: RequestMetaObject,
    key: Option<IdempotencyKey>,
    language: Option<Language>,
}

fn meta_object(meta: &RawValue) -> Result<Meta, ErrorData> {
    let text = meta.get();
    if text == "null" {
        return Ok(Meta::default());
    }
    if text.len() > MOST_FOR_RMCP {
        let message = "_meta: it must be shorter than 64 KiB";
        return Err(call_error(&["_meta"], IssueCode::TooLong, message));
    }
    given_once("tools/call", &["_meta"], text)?;
    let mut fields = Members::new([IDEMPOTENCY_KEY_META, LANGUAGE_META]);
    let Ok(object) = fields.read(text).and_then(|()| serde_json::from_str(text)) else {
        let message = "_meta: expected an object";
        return Err(call_error(&["_meta"], IssueCode::InvalidType, message));
    };
    let key = match fields.get(0) {
        None => None,
        Some(key) => Some(
            idempotency_key_from_meta(key.get()).map_err(|issue| invalid("tools/call", &issue))?,
        ),
    };
    let language = match fields.get(1) {
        None => None,
        Some(tag) => {
            let wrong = || {
                let message = format!("{LANGUAGE_META}: expected a string, a language tag");
                call_error(&["_meta", LANGUAGE_META], IssueCode::InvalidType, &message)
            };
            // A language that we do not have is not the client's mistake.
            Language::of_tag(&members::text(tag).ok_or_else(wrong)?)
        }
    };
    Ok(Meta {
        object,
        key,
        language,
    })
}

/// A handshake fails on its parameters only if one of them came twice: what is missing or malformed is
/// taken as not said, and a version that is no text asks for our newest.
fn initialize(params: &str) -> Result<ClientRequest, ErrorData> {
    let known = if params.len() <= MOST_FOR_RMCP {
        given_once("initialize", &[], params)?;
        serde_json::from_str::<Value>(params).unwrap_or_default()
    } else {
        Value::Null
    };
    let member = |name: &str| known.get(name).cloned();
    let capabilities = member("capabilities")
        .and_then(|value| serde_json::from_value::<ClientCapabilities>(value).ok())
        .unwrap_or_default();
    let client = member("clientInfo")
        .and_then(|value| serde_json::from_value::<Implementation>(value).ok())
        .unwrap_or_else(|| Implementation::new("unknown", "unknown"));
    let version = member("protocolVersion")
        .and_then(|value| serde_json::from_value::<ProtocolVersion>(value).ok())
        .unwrap_or(ProtocolVersion::LATEST_WITH_INITIALIZE);
    let params = InitializeRequestParams::new(capabilities, client).with_protocol_version(version);
    Ok(ClientRequest::InitializeRequest(InitializeRequest::new(
        params,
    )))
}

/// A request that the server does not serve, so that it says so and not rmcp.
fn unserved(method: &str, mut request: ClientRequest) -> ClientRequest {
    let mut custom = ClientRequest::CustomRequest(CustomRequest::new(method, None));
    *custom.get_meta_mut() = std::mem::take(request.get_meta_mut());
    custom
}

/// No list is longer than its first page, so that no cursor was ever given out.
fn no_cursor(method: &str, params: &str) -> Result<(), ErrorData> {
    let mut fields = Members::new(["cursor"]);
    let _unreadable = fields.read(params);
    let (code, message) = match fields.get(0) {
        None => return Ok(()),
        Some(cursor) if cursor.get() == "null" => return Ok(()),
        Some(cursor) if members::text(cursor).is_some() => (
            IssueCode::Custom,
            "cursor: there is no such page; the list has one, which comes without a cursor",
        ),
        Some(_) => (IssueCode::InvalidType, "cursor: expected a string"),
    };
    let path = vec![PathSegment::Key("cursor".to_owned())];
    let problem = message.to_owned().into();
    Err(invalid(method, &Issue::at(path, code, problem)))
}

fn other(method: &str, params: &str) -> Result<ClientRequest, ErrorData> {
    let too_large = || {
        ErrorData::invalid_params(
            "Invalid params: they must be shorter than 64 KiB for this method",
            None,
        )
    };
    let unreadable = || ErrorData::invalid_params("Invalid params: they cannot be read", None);
    if method.len() + params.len() > MOST_FOR_RMCP {
        return Err(too_large());
    }
    let name = method;
    let method = serde_json::to_string(method).map_err(|_| unreadable())?;
    // rmcp's own types decide what a method's parameters are; a method it does not know, or
    // parameters it cannot read, come out as a custom request, which the server answers.
    let read = |params: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":0,"method":{method},"params":{params}}}"#);
        match serde_json::from_str::<ClientJsonRpcMessage>(&text) {
            Ok(JsonRpcMessage::Request(request)) => Some(request.request),
            _ => None,
        }
    };
    if SERVED.contains(&name) {
        given_once(name, &[], params)?;
    }
    if LISTS.contains(&name) {
        no_cursor(name, params)?;
    }
    if let Some(request) = read(params) {
        let is_ping = matches!(request, ClientRequest::PingRequest(_));
        if is_ping && lifecycle(&request) == Lifecycle::SelfContained {
            // The revision that has such requests has no ping.
            let text = "Method not found: ping";
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None));
        }
        return Ok(if SERVED.contains(&name) {
            request
        } else {
            unserved(name, request)
        });
    }
    // A method that nobody knows is unknown whatever its parameters are.
    match read("{}") {
        Some(unknown @ ClientRequest::CustomRequest(_)) => Ok(unknown),
        _ => Err(unreadable()),
    }
}
