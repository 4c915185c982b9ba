//! That a request's head is no longer than it may be, and that the headers which gateways read say what the body says: what they have let pass must be what is
//! executed (case R-127).

use axum::extract::Request;
use axum::http::HeaderMap;
use rmcp::ErrorData;
use rmcp::model::{ClientRequest, GetMeta as _, ProtocolVersion};

pub(super) const PROTOCOL_VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// Whether the first line and the headers have no more bytes than this.
pub(super) fn fit(request: &Request, most: usize) -> bool {
    const SIGNS: usize = ": \r\n".len();
    let target = request.uri().path_and_query();
    let line = request.method().as_str().len() + target.map_or(0, |target| target.as_str().len());
    let headers = request.headers().iter();
    let bytes = headers.map(|(name, value)| name.as_str().len() + value.len() + SIGNS);
    line + " HTTP/1.1\r\n\r\n ".len() + bytes.sum::<usize>() <= most
}

/// Whether the header of the protocol version names this one, and no other.
pub(super) fn state(headers: &HeaderMap, version: &ProtocolVersion) -> bool {
    let mut stated = headers.get_all(PROTOCOL_VERSION).iter();
    let is_it = stated
        .next()
        .is_some_and(|stated| stated.as_bytes() == version.as_str().as_bytes());
    is_it && stated.next().is_none()
}

/// Holds the headers against a message with this method; `request` is what became of it. A header that
/// is not there says nothing: where one must be, rmcp asks for it.
///
/// # Errors
/// A header stands twice, or says something else than the body.
pub(super) fn agree(
    headers: &HeaderMap,
    method: &str,
    request: Option<&ClientRequest>,
) -> Result<(), ErrorData> {
    let version = request.and_then(version);
    check(headers, PROTOCOL_VERSION, version)?;
    if state(headers, &ProtocolVersion::V_2026_07_28) {
        // rmcp checks the others itself, and knows how a name may be encoded in that revision.
        return Ok(());
    }
    check(headers, METHOD, Some(method))?;
    check(headers, NAME, request.and_then(name))
}

fn check(headers: &HeaderMap, header: &str, said: Option<&str>) -> Result<(), ErrorData> {
    let mut values = headers.get_all(header).iter();
    let Some(value) = values.next() else {
        return Ok(());
    };
    let problem = if values.next().is_some() {
        "stands twice"
    } else if said.is_some_and(|said| said.as_bytes() != value.as_bytes()) {
        "says something else than the body"
    } else {
        return Ok(());
    };
    let text = format!("Header mismatch: {header} {problem}; nothing was executed");
    Err(ErrorData::header_mismatch(text, None))
}

fn name(request: &ClientRequest) -> Option<&str> {
    match request {
        ClientRequest::CallToolRequest(call) => Some(&call.params.name),
        ClientRequest::GetPromptRequest(get) => Some(&get.params.name),
        _ => None,
    }
}

fn version(request: &ClientRequest) -> Option<&str> {
    if let ClientRequest::InitializeRequest(initialize) = request {
        return Some(initialize.params.protocol_version.as_str());
    }
    let version = request
        .get_meta()
        .get("io.modelcontextprotocol/protocolVersion")?;
    version.as_str()
}
