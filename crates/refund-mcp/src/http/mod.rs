//! The server over HTTP: rmcp's Streamable HTTP service at `/mcp`, stateless, and what stands in front
//! of it (`docs/decisions/http-transport.md`).
//!
//! A request passes, in this order: [`origin`] (Host and Origin), [`bearer`] (whose token), [`rate`],
//! [`endpoint`] (the body, by the same [`crate::envelope`] as on standard input), [`headers`], rmcp.
//!
//! *Invariant:* nothing is kept between two requests that another instance would need.

mod answer;
mod bearer;
mod endpoint;
mod headers;
mod listen;
mod origin;
mod rate;

use std::io;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{any, get};
use refund_domain::ports::CustomerDirectory as _;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::exit::Exit;
use crate::identity::Guests;
use crate::junk::JunkLog;
use crate::metrics::{self, Metrics};
use crate::panics;
use crate::shutdown::Shutdown;
use crate::store::Store;

use answer::{Rejection, text};
pub(crate) use origin::{Allowed, AllowedHost, AllowedOrigin};
use rate::Rates;

/// Where MCP is served.
pub(crate) const PATH: &str = "/mcp";

/// How long the store may take to say that it is there.
const READY: Duration = Duration::from_secs(2);

/// On which terms clients are served.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    /// Names and pages that requests may come from.
    pub(crate) allowed: Allowed,
    /// Requests a second of each principal, in the long run and at once.
    pub(crate) a_second: NonZeroU32,
    pub(crate) burst: NonZeroU32,
    /// The most connections.
    pub(crate) connections: NonZeroU32,
    /// How long a client may take to send a request, to read an answer, or to be idle.
    pub(crate) patience: Duration,
}

/// What the requests of a process share.
#[derive(Debug)]
struct Shared {
    terms: Terms,
    guests: Guests,
    rates: Rates,
    rooms: Arc<Semaphore>,
    endpoint: endpoint::Settings,
    junk: JunkLog,
    store: Store,
    metrics: Metrics,
}

/// Serves until an end is asked for.
///
/// # Errors
/// Signals cannot be handled, or metrics were started before.
pub(crate) async fn serve(
    listener: TcpListener,
    terms: Terms,
    guests: Guests,
    store: Store,
    shutdown: Shutdown,
) -> io::Result<Exit> {
    panics::install(shutdown.clone());
    shutdown.on_signals()?;
    let metrics = Metrics::start().map_err(io::Error::other)?;
    let address = listener.local_addr()?;
    let (connections, patience) = (terms.connections.get(), terms.patience);
    let shared = Arc::new(Shared {
        rates: Rates::new(terms.a_second, terms.burst),
        rooms: Arc::new(Semaphore::new(endpoint::MOST_HELD as usize)),
        endpoint: endpoint::Settings::new(),
        junk: JunkLog::new("request turned away"),
        terms,
        guests,
        store,
        metrics,
    });
    let housekeeping = tokio::spawn(housekeeping(Arc::clone(&shared)));
    tracing::info!(%address, path = PATH, "listening");
    listen::serve(listener, router(&shared), connections, patience, &shutdown).await;
    housekeeping.abort();
    Ok(shutdown.exit())
}

/// What is to be done now and then.
async fn housekeeping(shared: Arc<Shared>) {
    const PAUSE: Duration = Duration::from_millis(500);
    loop {
        tokio::time::sleep(PAUSE).await;
        shared.guests.refresh();
        shared.metrics.sum_up();
    }
}

fn router(shared: &Arc<Shared>) -> Router {
    let for_pages = Arc::clone(shared);
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| {
            for_pages.terms.allowed.allows_origin(origin)
        }))
        .allow_methods([Method::POST])
        // Some headers of MCP have names that tools choose.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([header::WWW_AUTHENTICATE, header::RETRY_AFTER]);
    Router::new()
        .route(PATH, any(endpoint::mcp))
        .route("/metrics", get(metrics_page))
        .layer(cors)
        .layer(from_fn_with_state(Arc::clone(shared), only_known_origins))
        // Whoever watches over the process comes under any name, and learns nothing else.
        .route("/healthz", get(async || text(StatusCode::OK, "up\n")))
        .route("/readyz", get(ready))
        .fallback(async || {
            text(
                StatusCode::NOT_FOUND,
                "there is nothing here; MCP is at /mcp\n",
            )
        })
        .layer(from_fn(finish))
        .with_state(Arc::clone(shared))
}

/// Turns too long a head away, counts a response, and adds what every one carries.
async fn finish(request: Request, next: Next) -> Response {
    let mut response = if headers::fit(&request, listen::MOST_HEAD) {
        next.run(request).await
    } else {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        Rejection::new(status, "Invalid request: its head may have at most 32 KiB")
            .closing()
            .answer(None)
    };
    metrics::response(response.status());
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let no_sniff = HeaderName::from_static("x-content-type-options");
    headers.insert(no_sniff, HeaderValue::from_static("nosniff"));
    response
}

async fn only_known_origins(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    match shared.terms.allowed.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(foreign) => {
            shared.junk.record(foreign, 0);
            Rejection::new(StatusCode::FORBIDDEN, format!("Forbidden: {foreign}"))
                .closing()
                .answer(None)
        }
    }
}

async fn ready(State(shared): State<Arc<Shared>>) -> Response {
    match tokio::time::timeout(READY, shared.store.customers(1, None)).await {
        Ok(Ok(_)) => text(StatusCode::OK, "ready\n"),
        Ok(Err(_)) | Err(_) => text(
            StatusCode::SERVICE_UNAVAILABLE,
            "the store does not answer\n",
        ),
    }
}

async fn metrics_page(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let found = bearer::token(request.uri(), request.headers())
        .and_then(|token| shared.guests.find(token).ok_or_else(bearer::unknown));
    match found {
        // The numbers are about all customers.
        Ok(guest) if guest.caller.customer.is_none() => {
            metrics::store_connections(&shared.store.connections());
            let mut response = Response::new(shared.metrics.render().into());
            let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, format);
            response
        }
        Ok(_) => Rejection::new(
            StatusCode::FORBIDDEN,
            "Forbidden: this token is bound to one customer",
        )
        .answer(None),
        Err(rejection) => rejection.answer(None),
    }
}
