//! The MCP server: rmcp's handler, written by hand because its macros turn bad arguments into tool
//! results (`docs/decisions/hand-written-handler.md`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use refund_domain::{Caller, IdempotencyKey};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::catalogue::{Call, Catalogue, Desk, ToolSpec};
use crate::envelope::{Arguments, MetaIdempotencyKey, WireId};
use crate::logging::Untrusted;
use crate::outcome::{self, ArgumentErrors, Failure, Success};
use crate::panics::CatchPanic;

/// The longest a call may take before its client gets an answer.
const DEADLINE: Duration = Duration::from_secs(30);

const INSTRUCTIONS: &str = "A refund desk. Look the customer up with get_customer_record before you refund. trigger_refund moves money: give every refund one idempotency_key and send the same key again if you retry it, so that it is paid once. preview_refund tells what a refund would do without moving anything. A result with isError is a refusal: nothing was moved, and its text says why and what to do. Error -32602 means that the call itself was wrong: nothing was executed, and data.issues lists every problem at once.";

/// Serves the tools of a catalogue. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Server(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    desk: Desk,
    catalogue: Catalogue,
    caller: Caller,
    argument_errors: ArgumentErrors,
}

impl Server {
    /// A server for one caller.
    pub(crate) fn new(
        desk: Desk,
        catalogue: Catalogue,
        caller: Caller,
        argument_errors: ArgumentErrors,
    ) -> Self {
        Self(Arc::new(Parts {
            desk,
            catalogue,
            caller,
            argument_errors,
        }))
    }

    /// The tool with this name, if this server offers it.
    pub(crate) fn find(&self, name: &str) -> Option<&'static ToolSpec> {
        self.0.catalogue.find(name)
    }

    /// Runs a tool: decode, desk, result. Logs the call with its outcome. Never panics.
    pub(crate) async fn run(
        &self,
        tool: &'static ToolSpec,
        arguments: Option<&str>,
        meta_key: Option<&IdempotencyKey>,
        request_id: &str,
    ) -> Result<Success, Failure> {
        let started = Instant::now();
        let call = Call {
            arguments,
            meta_key,
            caller: &self.0.caller,
        };
        let running = CatchPanic::new(async {
            refund_store::fault::point("call.begun");
            let outcome = (tool.run)(&self.0.desk, call).await;
            debug_assert!(tool.declares(&outcome), "{outcome:?} of {}", tool.name);
            outcome
        });
        let outcome = match tokio::time::timeout(DEADLINE, running).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(Failure::Panicked),
            Err(_) => Err(Failure::Deadline),
        };
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let word = outcome::word(&outcome);
        let principal = self.0.caller.principal.as_str();
        tracing::info!(tool = tool.name, principal, outcome = word, micros, request = %Untrusted(request_id), "call");
        if let Err(failure @ (Failure::Store(_) | Failure::Unwritable(_) | Failure::Deadline)) =
            &outcome
        {
            tracing::error!(tool = tool.name, error = %Causes(failure), "call failed");
        }
        outcome
    }

    fn unknown_tool(name: &str) -> ErrorData {
        let shown: String = name.chars().take(64).collect();
        ErrorData::invalid_params(format!("Unknown tool: {shown}"), None)
    }
}

/// An error with its causes, for the log.
struct Causes<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let name =
            Implementation::new("refund-mcp", env!("CARGO_PKG_VERSION")).with_title("Refund desk");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(name)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            self.0.catalogue.published().to_vec(),
        ))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0
            .catalogue
            .published()
            .iter()
            .find(|tool| tool.name == name)
            .cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.find(&request.name) else {
            tracing::info!(tool = %Untrusted(&request.name), outcome = "unknown_tool", "call");
            return Err(Self::unknown_tool(&request.name));
        };
        // Only our transports make requests, and they always put the arguments here.
        let arguments = context
            .extensions
            .get::<Arguments>()
            .and_then(|found| found.0.clone());
        let key = context
            .extensions
            .get::<MetaIdempotencyKey>()
            .map(|found| &found.0);
        let id = context.extensions.get::<WireId>().map_or("", WireId::raw);
        let run = self.run(tool, arguments.as_deref(), key, id);
        let outcome = tokio::select! {
            biased;
            outcome = run => outcome,
            // Dropping the call means that a refund whose transaction has not begun never begins; one
            // that has begun finishes. Either way rmcp sends no answer any more.
            () = context.ct.cancelled() => {
                tracing::info!(tool = tool.name, outcome = "cancelled", request = %Untrusted(id), "call");
                return Err(ErrorData::internal_error("Cancelled", None));
            }
        };
        Ok(outcome::to_wire(tool.name, outcome, self.0.argument_errors)?.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp sends here what it has no type for, and also methods whose parameters it cannot read.
        const READ_BY_RMCP: [&str; 4] = ["tools/list", "tools/call", "ping", "server/discover"];
        let method = request.method.as_str();
        if READ_BY_RMCP.contains(&method) {
            return Err(ErrorData::invalid_params(
                format!("Invalid params for {method}"),
                None,
            ));
        }
        let shown: String = method.chars().take(64).collect();
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("Method not found: {shown}"),
            None,
        ))
    }
}
