//! What goes back over HTTP: a JSON-RPC answer with its status, also where no request could be read.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use serde::Serialize;

use crate::envelope::WireId;

/// JSON-RPC's code for what is no JSON.
const PARSE_ERROR: ErrorCode = ErrorCode(-32700);

/// A request that is turned away before anybody looks at what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rejection {
    status: StatusCode,
    message: String,
    header: Option<(HeaderName, HeaderValue)>,
    close: bool,
}

impl Rejection {
    /// With a sentence that says what to do.
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            header: None,
            close: false,
        }
    }

    /// With a header.
    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some((name, value));
        self
    }

    /// The rest of the request is not read, so that nothing more can come on its connection.
    pub(super) fn closing(mut self) -> Self {
        self.close = true;
        self
    }

    /// What it is turned away for, for the log.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// The answer; with an id where one could be read all the same.
    pub(super) fn answer(self, id: Option<&WireId>) -> Response {
        let error = ErrorData::invalid_request(self.message, None);
        let mut response = json(self.status, error_body(id, &error));
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        if self.close {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        response
    }
}

/// The answer to what is no JSON-RPC request.
pub(super) fn no_request(is_json: bool, message: &str) -> Response {
    let code = if is_json {
        ErrorCode::INVALID_REQUEST
    } else {
        PARSE_ERROR
    };
    let error = ErrorData::new(code, message.to_owned(), None);
    json(StatusCode::BAD_REQUEST, error_body(None, &error))
}

/// An error that answers a request.
pub(super) fn refused(id: &WireId, error: &ErrorData) -> Response {
    let status = match error.code {
        ErrorCode::INVALID_REQUEST | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        // Only of the stateless revision, which asks for this status.
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        // Official clients read an error's code and data under this status only.
        _ => StatusCode::OK,
    };
    json(status, error_body(Some(id), error))
}

/// A body with an error.
pub(super) fn error_body(id: Option<&WireId>, error: &ErrorData) -> Vec<u8> {
    body(id.map_or("null", WireId::raw), "error", error)
}

/// A body with a result or an error; `id` is JSON text.
pub(super) fn body(id: &str, member: &str, content: &(impl Serialize + ?Sized)) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    bytes.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    bytes.extend_from_slice(id.as_bytes());
    bytes.extend_from_slice(b",\"");
    bytes.extend_from_slice(member.as_bytes());
    bytes.extend_from_slice(b"\":");
    let start = bytes.len();
    if let Err(error) = serde_json::to_writer(&mut bytes, content) {
        // Nothing we send has keys that are no strings; should it ever happen, it is still an answer.
        tracing::error!(%error, "an answer could not be written as JSON");
        bytes.truncate(start);
        bytes.extend_from_slice(b"null");
    }
    bytes.push(b'}');
    bytes
}

/// A response with a JSON body.
pub(super) fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// A response with a line of text.
pub(super) fn text(status: StatusCode, line: &'static str) -> Response {
    let mut response = Response::new(Body::from(line));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    response
}
