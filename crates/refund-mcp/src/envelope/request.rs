//! From a sound envelope to the typed request that rmcp takes.

use std::sync::Arc;

use refund_domain::IdempotencyKey;
use refund_schema::{IDEMPOTENCY_KEY_META, idempotency_key_from_meta};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientJsonRpcMessage,
    ClientRequest, CustomRequest, Extensions, GetExtensions, GetMeta, Implementation,
    InitializeRequest, InitializeRequestParams, JsonRpcMessage, ProtocolVersion, RequestMetaObject,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Request;
use super::members::{self, Members};
use crate::messages::{LANGUAGE_META, Language};
use crate::prompts;

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

/// Builds the request for rmcp. A tool's arguments are left out and travel beside it.
///
/// # Errors
/// The error to answer with: parameters that the method cannot take.
pub(crate) fn typed(request: &Request<'_>) -> Result<ClientRequest, ErrorData> {
    match request.method.as_ref() {
        "tools/call" => tools_call(request.params.unwrap_or("{}")),
        "initialize" => Ok(initialize(request.params.unwrap_or("{}"))),
        "prompts/get" => {
            let params = request.params.unwrap_or("{}");
            given_once(params)?;
            other("prompts/get", params)
        }
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
            "params",
            "they must be an object of Unicode text",
        ));
    }
    if let Some(twice) = fields.duplicate() {
        return Err(call_error(fields.name(twice), "it stands twice"));
    }
    let Some(name) = fields.get(0).and_then(members::text) else {
        return Err(call_error(
            "name",
            "it must be a string, the name of a tool",
        ));
    };
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

/// That no parameter of `prompts/get`, and none of the prompt's arguments, came twice: rmcp would take
/// the last. What cannot be read is refused later.
fn given_once(params: &str) -> Result<(), ErrorData> {
    let twice = |name: &str| {
        let text = format!("Invalid params for prompts/get: {name} stands twice");
        Err(ErrorData::invalid_params(text, None))
    };
    let mut fields = Members::new(["name", "arguments", "_meta"]);
    let _unreadable = fields.read(params);
    if let Some(index) = fields.duplicate() {
        return twice(fields.name(index));
    }
    let mut arguments = Members::new([prompts::LANGUAGE]);
    if let Some(given) = fields.get(1) {
        let _unreadable = arguments.read(given.get());
    }
    match arguments.duplicate() {
        Some(index) => twice(arguments.name(index)),
        None => Ok(()),
    }
}

fn call_error(member: &str, rule: &str) -> ErrorData {
    let issue =
        json!({ "path": [member], "code": "invalid_type", "message": format!("{member}: {rule}") });
    ErrorData::invalid_params(
        format!("Invalid params for tools/call: {member}: {rule}"),
        Some(json!({ "issues": [issue] })),
    )
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
        return Err(call_error("_meta", "it must be shorter than 64 KiB"));
    }
    let mut fields = Members::new([IDEMPOTENCY_KEY_META, LANGUAGE_META]);
    let Ok(object) = fields.read(text).and_then(|()| serde_json::from_str(text)) else {
        return Err(call_error("_meta", "it must be an object"));
    };
    if let Some(twice) = fields.duplicate() {
        let rule = format!("{} stands twice", fields.name(twice));
        return Err(call_error("_meta", &rule));
    }
    let key = match fields.get(0) {
        None => None,
        Some(key) => Some(idempotency_key_from_meta(key.get()).map_err(|issue| {
            ErrorData::invalid_params(
                format!("Invalid params for tools/call: {}", issue.message),
                Some(json!({ "issues": [issue] })),
            )
        })?),
    };
    let language = match fields.get(1) {
        None => None,
        Some(tag) => {
            let wrong = || {
                call_error(
                    "_meta",
                    "refund-mcp/locale must be a language tag, a string",
                )
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

/// A handshake never fails on its parameters: what is missing or malformed is taken as not said, and
/// a version that is no text asks for our newest.
fn initialize(params: &str) -> ClientRequest {
    let known = (params.len() <= MOST_FOR_RMCP)
        .then(|| serde_json::from_str::<Value>(params).ok())
        .flatten()
        .unwrap_or_default();
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
    ClientRequest::InitializeRequest(InitializeRequest::new(params))
}

/// A request that the server does not serve, so that it says so and not rmcp.
fn unserved(method: &str, mut request: ClientRequest) -> ClientRequest {
    let mut custom = ClientRequest::CustomRequest(CustomRequest::new(method, None));
    *custom.get_meta_mut() = std::mem::take(request.get_meta_mut());
    custom
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
    if let Some(request) = read(params) {
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
