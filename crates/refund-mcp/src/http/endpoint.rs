//! `POST /mcp`: from the bytes of a request to rmcp, and back.
//!
//! rmcp gets what `envelope` made of the body, under an id of ours and without the tool's arguments,
//! which travel beside it ([`Carried`]); its answer goes out under the client's own id.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt as _;
use rmcp::ErrorData;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetExtensions as _, InitializeResultMethod,
    ProtocolVersion, RequestId,
};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::answer::{self, Rejection};
use super::{Shared, bearer, headers};
use crate::envelope::{self, Carried, Junk, Lifecycle, Message, Request as Sound, WireId};
use crate::identity::Guest;
use crate::stdio::MOST_BYTES;

/// The most bytes of bodies that are held at once; more requests wait.
pub(super) const MOST_HELD: u32 = 64 * 1024 * 1024;

/// What is held for a request however small its body is.
const ROOM_AT_LEAST: u64 = 8 * 1024;

const SESSION_ID: &str = "mcp-session-id";

/// What rmcp's service is made of, for each request anew.
#[derive(Debug)]
pub(super) struct Settings {
    sessions: Arc<NeverSessionManager>,
    config: StreamableHttpServerConfig,
}

impl Settings {
    pub(super) fn new() -> Self {
        Self {
            sessions: Arc::default(),
            config: StreamableHttpServerConfig::default()
                .with_legacy_session_mode(false)
                .with_json_response(true)
                // Checked before, for every path, with the port and the letters that rmcp lets pass.
                .disable_allowed_hosts(),
        }
    }
}

/// Everything that comes to `/mcp`.
pub(super) async fn mcp(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    if request.method() != axum::http::Method::POST {
        return Rejection::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "Method not allowed: send requests with POST; there are no streams and no sessions here",
        )
        .with(header::ALLOW, HeaderValue::from_static("POST"))
        .answer(None);
    }
    match admitted(&shared, &request) {
        Ok(guest) => post(&shared, &guest, request).await,
        Err(rejection) => {
            shared.junk.record(rejection.message(), 0);
            rejection.answer(None)
        }
    }
}

/// Whose request it is, if their token is known and they have not made too many.
fn admitted(shared: &Shared, request: &Request) -> Result<Guest, Rejection> {
    let token = bearer::token(request.uri(), request.headers())?;
    let guest = shared.guests.find(token).ok_or_else(bearer::unknown)?;
    shared.rates.take(&guest.caller.principal)?;
    Ok(guest)
}

async fn post(shared: &Shared, guest: &Guest, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let patience = shared.terms.patience;
    let declared = body.size_hint().upper().unwrap_or(u64::MAX);
    let room = declared.clamp(ROOM_AT_LEAST, MOST_BYTES as u64);
    let room = u32::try_from(room).unwrap_or(MOST_HELD);
    let held = Arc::clone(&shared.rooms).acquire_many_owned(room);
    let Ok(Ok(_room)) = tokio::time::timeout(patience, held).await else {
        return Rejection::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Busy: nothing was executed; try again",
        )
        .with(header::RETRY_AFTER, HeaderValue::from_static("1"))
        .closing()
        .answer(None);
    };
    let bytes = match read(body, patience).await {
        Ok(bytes) => bytes,
        Err(Unread { rejection, id }) => {
            shared.junk.record(rejection.message(), MOST_BYTES);
            return rejection.closing().answer(id.as_ref());
        }
    };
    let Some(message) = envelope::read(&bytes) else {
        return answer::no_request(false, "Parse error: the body is empty");
    };
    match message {
        Message::Junk(junk) => {
            shared.junk.record(junk, bytes.len());
            let is_json = !matches!(junk, Junk::NotUtf8 | Junk::NotJson);
            answer::no_request(
                is_json,
                &format!("Invalid request: {junk}; nothing was executed"),
            )
        }
        Message::Batch(_) => answer::no_request(
            true,
            "Invalid request: batches are not supported; nothing in it was executed",
        ),
        Message::Refused(id, error) => answer::refused(&id, &error),
        Message::Cancelled(_) => notify(shared, guest, parts, "notifications/cancelled").await,
        Message::Notification(method) if method.starts_with("notifications/") => {
            notify(shared, guest, parts, &method).await
        }
        Message::Notification(_) => answer::no_request(
            true,
            "Invalid request: it has no id, so that nobody could learn what came of it; nothing was executed",
        ),
        Message::Request(request) => match envelope::typed(&request) {
            Ok(typed) => ask(shared, guest, parts, &request, typed).await,
            Err(error) => answer::refused(&request.id, &error),
        },
    }
}

/// A body that could not be read, and the id at its beginning.
struct Unread {
    rejection: Rejection,
    id: Option<WireId>,
}

impl From<Rejection> for Unread {
    fn from(rejection: Rejection) -> Self {
        Self {
            rejection,
            id: None,
        }
    }
}

/// Reads a body, in bounded memory and time.
async fn read(mut body: Body, patience: Duration) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    let reading = async {
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else {
                return Err(Rejection::new(
                    StatusCode::BAD_REQUEST,
                    "Invalid request: its body broke off; nothing was executed",
                ));
            };
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if data.len() > MOST_BYTES.saturating_sub(bytes.len()) {
                let rest = envelope::ID_PREFIX.saturating_sub(bytes.len());
                bytes.extend_from_slice(data.get(..rest).unwrap_or(&data));
                return Err(Rejection::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    format!("Invalid request: a message may have at most {MOST_BYTES} bytes"),
                ));
            }
            bytes.extend_from_slice(&data);
        }
        Ok(())
    };
    match tokio::time::timeout(patience, reading).await {
        Ok(Ok(())) => Ok(bytes),
        Ok(Err(rejection)) => {
            let prefix = bytes.get(..envelope::ID_PREFIX).unwrap_or(&bytes);
            let id = envelope::id_of_prefix(prefix);
            Err(Unread { rejection, id })
        }
        Err(_) => Err(Rejection::new(
            StatusCode::REQUEST_TIMEOUT,
            "Invalid request: its body did not come in time; nothing was executed",
        )
        .into()),
    }
}

/// A session that nobody has: there are none here, so it is from another server, or from before.
fn unknown_session() -> Rejection {
    Rejection::new(
        StatusCode::NOT_FOUND,
        "Not found: there are no sessions here; send initialize again, without Mcp-Session-Id",
    )
}

async fn ask(
    shared: &Shared,
    guest: &Guest,
    parts: Parts,
    Sound { id, method, .. }: &Sound<'_>,
    mut request: ClientRequest,
) -> Response {
    let lifecycle = envelope::lifecycle(&request);
    if lifecycle == Lifecycle::InSession && parts.headers.contains_key(SESSION_ID) {
        return unknown_session().answer(Some(id));
    }
    if lifecycle == Lifecycle::Handshake
        && headers::state(&parts.headers, &ProtocolVersion::V_2026_07_28)
    {
        // That revision has no handshake.
        return answer::refused(id, &ErrorData::method_not_found::<InitializeResultMethod>());
    }
    if let Err(error) = headers::agree(&parts.headers, method, Some(&request)) {
        return answer::json(
            StatusCode::BAD_REQUEST,
            answer::error_body(Some(id), &error),
        );
    }
    request.extensions_mut().insert(id.clone());
    let carried = Carried(request.extensions().clone());
    let message = ClientJsonRpcMessage::request(request, RequestId::Number(0));
    let response = pass_on(shared, guest, parts, &message, Some(carried)).await;
    let (status, content) = (response.status(), response.is_json());
    match content
        .then(|| envelope::content_of(&response.body))
        .flatten()
    {
        Some((member, content)) => answer::json(status, answer::body(id.raw(), member, content)),
        None => rejected(&response, Some(id)),
    }
}

async fn notify(shared: &Shared, guest: &Guest, parts: Parts, method: &str) -> Response {
    if parts.headers.contains_key(SESSION_ID) {
        return unknown_session().answer(None);
    }
    if let Err(error) = headers::agree(&parts.headers, method, None) {
        return answer::json(StatusCode::BAD_REQUEST, answer::error_body(None, &error));
    }
    let message = serde_json::json!({ "jsonrpc": "2.0", "method": method });
    let response = pass_on(shared, guest, parts, &message, None).await;
    if response.status() == StatusCode::ACCEPTED {
        let mut accepted = Response::new(Body::empty());
        *accepted.status_mut() = StatusCode::ACCEPTED;
        return accepted;
    }
    match response
        .is_json()
        .then(|| envelope::content_of(&response.body))
        .flatten()
    {
        Some((member, content)) => {
            answer::json(response.status(), answer::body("null", member, content))
        }
        None => rejected(&response, None),
    }
}

/// What rmcp said, whole.
struct Said {
    head: axum::http::response::Parts,
    body: Bytes,
}

impl Said {
    fn status(&self) -> StatusCode {
        self.head.status
    }

    fn is_json(&self) -> bool {
        let kind = self.head.headers.get(header::CONTENT_TYPE);
        kind.is_some_and(|kind| kind.as_bytes() == b"application/json")
    }
}

/// Hands a message to rmcp. When the client goes away, this is dropped, and rmcp cancels the call.
async fn pass_on(
    shared: &Shared,
    guest: &Guest,
    mut parts: Parts,
    message: &impl serde::Serialize,
    carried: Option<Carried>,
) -> Said {
    let body = serde_json::to_vec(message).unwrap_or_default();
    let headers = &mut parts.headers;
    // Nobody behind this needs the token, and the body is another one.
    for name in [
        header::AUTHORIZATION,
        header::CONTENT_LENGTH,
        header::TRANSFER_ENCODING,
    ] {
        headers.remove(name);
    }
    // What a client accepts is not held against it: the answer is JSON.
    let both = HeaderValue::from_static("application/json, text/event-stream");
    headers.insert(header::ACCEPT, both);
    parts.extensions.clear();
    if let Some(carried) = carried {
        parts.extensions.insert(carried);
    }
    let server = guest.server.clone();
    let Settings { sessions, config } = &shared.endpoint;
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::clone(sessions),
        config.clone(),
    );
    let request = Request::from_parts(parts, Body::from(body));
    let (head, body) = service.handle(request).await.into_parts();
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(never) => match never {},
    };
    Said { head, body }
}

/// What rmcp says in plain text, as JSON-RPC.
fn rejected(said: &Said, id: Option<&WireId>) -> Response {
    let status = said.status();
    if status.is_client_error() {
        let text = String::from_utf8_lossy(&said.body);
        let text: String = text.chars().take(256).collect();
        return Rejection::new(status, text).answer(id);
    }
    tracing::error!(%status, "no answer came of a request");
    let error = ErrorData::internal_error("Internal error", None);
    let body = answer::error_body(id, &error);
    answer::json(StatusCode::INTERNAL_SERVER_ERROR, body)
}
