//! The MCP server: rmcp's handler, written by hand because its macros turn bad arguments into tool
//! results (`docs/decisions/hand-written-handler.md`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use refund_domain::{Caller, IdempotencyKey};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, Extensions,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::catalogue::{Call, Catalogue, Desks, ToolSpec};
use crate::envelope::{Arguments, Carried, MetaIdempotencyKey, MetaLanguage, WireId};
use crate::instructions;
use crate::logging::{Causes, RequestLabel};
use crate::messages::Language;
use crate::metrics;
use crate::outcome::{self, ArgumentErrors, Failure, Speech, Success};
use crate::panics::CatchPanic;
use crate::prompts;

/// The longest a call may take before its client gets an answer.
const DEADLINE: Duration = Duration::from_secs(30);

/// Serves the tools of a catalogue. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Server(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    desks: Desks,
    catalogue: Catalogue,
    caller: Caller,
    manners: Manners,
}

/// How the server answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manners {
    /// How bad arguments are answered; each toolset's own way where this is not said.
    pub(crate) argument_errors: Option<ArgumentErrors>,
    /// The language of those who state none.
    pub(crate) language: Language,
}

/// What a call brings along.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    /// The arguments as JSON text; `None` where the call had none.
    pub(crate) arguments: Option<&'a str>,
    /// The idempotency key from the request's `_meta`.
    pub(crate) meta_key: Option<&'a IdempotencyKey>,
    /// The language from the request's `_meta`.
    pub(crate) language: Option<Language>,
    /// The request's id, for the log.
    pub(crate) request_id: &'a str,
}

impl Server {
    /// A server for one caller.
    pub(crate) fn new(
        desks: Desks,
        catalogue: Catalogue,
        caller: Caller,
        manners: Manners,
    ) -> Self {
        Self(Arc::new(Parts {
            desks,
            catalogue,
            caller,
            manners,
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
        asked: Asked<'_>,
    ) -> Result<Success, Failure> {
        let started = Instant::now();
        let call = Call {
            arguments: asked.arguments,
            meta_key: asked.meta_key,
            caller: &self.0.caller,
            language: self.language(asked.language),
        };
        let request_id = asked.request_id;
        let running = CatchPanic::new(async {
            refund_store::fault::point("call.begun");
            let outcome = (tool.run)(&self.0.desks, call).await;
            debug_assert!(tool.declares(&outcome), "{outcome:?} of {}", tool.name);
            outcome
        });
        let outcome = match tokio::time::timeout(DEADLINE, running).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(Failure::Panicked),
            Err(_) => Err(Failure::Deadline),
        };
        let took = started.elapsed();
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let word = outcome::word(&outcome);
        metrics::call(tool.name, word, took);
        let principal = self.0.caller.principal.as_str();
        tracing::info!(tool = tool.name, principal, outcome = word, micros, request = %RequestLabel(request_id), "call");
        if let Err(
            failure @ (Failure::Store(_)
            | Failure::Unwritable(_)
            | Failure::Deadline
            | Failure::Misconfigured(_)),
        ) = &outcome
        {
            tracing::error!(tool = tool.name, error = %Causes(failure), "call failed");
        }
        outcome
    }

    /// The language of an answer.
    fn language(&self, stated: Option<Language>) -> Language {
        stated.unwrap_or(self.0.manners.language)
    }

    /// Whether there are prompts: only where every tool that they are about is offered.
    fn has_prompts(&self) -> bool {
        let offers = |name: &&str| self.0.catalogue.find(name).is_some();
        prompts::TOOLS.iter().all(offers)
    }

    fn unknown_method(method: &str) -> ErrorData {
        let shown: String = method.chars().take(256).collect();
        let text = format!("Method not found: {shown}");
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None)
    }

    fn unknown_tool(name: &str) -> ErrorData {
        let shown: String = name.chars().take(256).collect();
        ErrorData::invalid_params(format!("Unknown tool: {shown}"), None)
    }
}

/// What a transport sent along with a request: beside it, or over HTTP beside its text.
fn carried<T: Clone + Send + Sync + 'static>(extensions: &Extensions) -> Option<&T> {
    extensions.get::<T>().or_else(|| {
        let parts = extensions.get::<axum::http::request::Parts>()?;
        parts.extensions.get::<Carried>()?.0.get::<T>()
    })
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let name =
            Implementation::new("refund-mcp", env!("CARGO_PKG_VERSION")).with_title("Refund desk");
        let tools = ServerCapabilities::builder().enable_tools();
        let capabilities = if self.has_prompts() {
            tools.enable_prompts().build()
        } else {
            tools.build()
        };
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(instructions::of(&self.0.catalogue))
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
            tracing::info!(outcome = "unknown_tool", "call");
            return Err(Self::unknown_tool(&request.name));
        };
        // Only our transports make requests, and they always put the arguments here.
        let arguments = carried::<Arguments>(&context.extensions).and_then(|found| found.0.clone());
        let key = carried::<MetaIdempotencyKey>(&context.extensions).map(|found| &found.0);
        let language = carried::<MetaLanguage>(&context.extensions).map(|found| found.0);
        let id = carried::<WireId>(&context.extensions).map_or("", WireId::raw);
        let asked = Asked {
            arguments: arguments.as_deref(),
            meta_key: key,
            language,
            request_id: id,
        };
        let run = self.run(tool, asked);
        let outcome = tokio::select! {
            biased;
            // Dropping the call means that a refund whose transaction has not begun never begins; one
            // that has begun finishes. Either way rmcp sends no answer any more. Asked first, so that
            // a call that was cancelled before it began is not begun.
            () = context.ct.cancelled() => {
                tracing::info!(tool = tool.name, outcome = "cancelled", request = %RequestLabel(id), "call");
                return Err(ErrorData::internal_error("Cancelled", None));
            }
            outcome = run => outcome,
        };
        let language = self.language(language);
        let speech = Speech {
            argument_errors: self.0.manners.argument_errors,
            language,
            zone: self.0.desks.returns.calendar().zone,
        };
        Ok(outcome::to_wire(tool, outcome, speech)?.into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        if !self.has_prompts() {
            return Err(Self::unknown_method("prompts/list"));
        }
        let language = self.language(prompts::stated(&context.meta));
        Ok(ListPromptsResult::with_all_items(vec![
            prompts::support_desk(language),
        ]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if !self.has_prompts() {
            return Err(Self::unknown_method("prompts/get"));
        }
        let language = self.language(prompts::stated(&context.meta));
        Ok(prompts::get(&request, language)?.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp sends here what it has no type for, and also methods whose parameters it cannot read.
        const READ_BY_RMCP: [&str; 4] = ["tools/list", "tools/call", "ping", "server/discover"];
        const OF_PROMPTS: [&str; 2] = ["prompts/list", "prompts/get"];
        let method = request.method.as_str();
        let is_offered = self.has_prompts() && OF_PROMPTS.contains(&method);
        if READ_BY_RMCP.contains(&method) || is_offered {
            return Err(ErrorData::invalid_params(
                format!("Invalid params for {method}"),
                None,
            ));
        }
        Err(Self::unknown_method(method))
    }
}
