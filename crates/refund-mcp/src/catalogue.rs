//! The tools as data: what each is called, what it may do, what it takes and gives, and what runs it.
//!
//! *Invariant:* names are unique and sorted, every tool declares its access, schemas stay inside what
//! every client takes. The tests below look at the whole catalogue at once, and each tool's published
//! form is a snapshot in `toolsnaps/`.

use std::pin::Pin;
use std::sync::Arc;

use clap::ValueEnum;
use refund_domain::ports::Scoped;
use refund_domain::warranty::WarrantyDesk;
use refund_domain::{Caller, CivilDate, Clock as _, IdempotencyKey, RefundDesk, ReturnsDesk, Role};
use refund_store::system::{RandomIds, SystemClock};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};

use crate::messages::Language;
use crate::outcome::{ArgumentErrors, ErrorForm, Failure, Success};
use crate::store::{Reader, Store};
use crate::tools;

/// The desks behind the tools, one a toolset, over what of the store exists for the caller.
#[derive(Debug, Clone)]
pub(crate) struct Desks {
    /// Of the toolset `refunds`.
    pub(crate) refunds: RefundDesk<Scoped<Store>, SystemClock, RandomIds>,
    /// Of the toolset `returns`.
    pub(crate) returns: ReturnsDesk<Scoped<Store>, SystemClock, RandomIds>,
    /// Of the toolset `warranty`.
    ///
    /// *Invariant:* it cannot write. Its reader has no writing method, and its connections are ones
    /// that the database lets only read.
    pub(crate) warranty: WarrantyDesk<Scoped<Reader>>,
    /// What a customer is told about paying; a text in the language of the call where the
    /// configuration has none.
    pub(crate) payment_instructions: Option<String>,
}

impl Desks {
    /// The day it is where the business is, for answers whose call names no day.
    pub(crate) fn today(&self) -> CivilDate {
        self.returns.calendar().today(SystemClock.now())
    }
}

/// One tool.
#[derive(Debug)]
pub(crate) struct ToolSpec {
    /// `[a-z_]`, unique.
    pub(crate) name: &'static str,
    /// For people.
    pub(crate) title: &'static str,
    /// For the model: what it does, when to use it and when not, what a refusal looks like.
    pub(crate) description: &'static str,
    /// Which group it belongs to.
    pub(crate) toolset: Toolset,
    /// Whether it changes anything.
    pub(crate) access: Access,
    /// The codes with which it can refuse, each with when it does, for `docs/tools.md`.
    ///
    /// *Invariant:* it refuses with no other. Debug builds hold every call against it.
    pub(crate) refusals: &'static [(&'static str, &'static str)],
    /// The published schema of its arguments.
    pub(crate) input_schema: fn() -> Map<String, Value>,
    /// The published schema of its result.
    pub(crate) output_schema: fn() -> Map<String, Value>,
    /// Decodes the arguments, asks the desk, gives the result.
    pub(crate) run: Run,
}

/// How a tool is run.
pub(crate) type Run = for<'a> fn(&'a Desks, Call<'a>) -> ToolFuture<'a>;

/// What running a tool comes to.
pub(crate) type ToolFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Success, Failure>> + Send + 'a>>;

/// One call of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The arguments as JSON text; `None` where the call had none.
    pub(crate) arguments: Option<&'a str>,
    /// The idempotency key from the request's `_meta`.
    pub(crate) meta_key: Option<&'a IdempotencyKey>,
    /// Who calls.
    pub(crate) caller: &'a Caller,
    /// The language of the answer.
    pub(crate) language: Language,
}

/// A group of tools that is switched on and off together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Toolset {
    /// Customers and refunds.
    Refunds,
    /// Orders, returns, bills and conversations.
    Returns,
    /// Units, their warranties, and whose they are. It only reads.
    Warranty,
}

impl Toolset {
    /// The word in the configuration.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Refunds => "refunds",
            Self::Returns => "returns",
            Self::Warranty => "warranty",
        }
    }

    /// How bad arguments are answered where the configuration does not say.
    pub(crate) fn argument_errors(self) -> ArgumentErrors {
        match self {
            Self::Refunds | Self::Warranty => ArgumentErrors::Protocol,
            Self::Returns => ArgumentErrors::Tool,
        }
    }

    /// What a result with `isError` looks like.
    pub(crate) fn error_form(self) -> ErrorForm {
        match self {
            Self::Refunds | Self::Warranty => ErrorForm::Text,
            Self::Returns => ErrorForm::Structured,
        }
    }
}

/// Whether a tool changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Looks only.
    Read,
    /// Adds to what is there, and alters none of it.
    Add,
    /// Moves money, or alters what is there.
    Write,
}

/// The tools that reach people outside: a customer gets a message.
const REACH_OUT: [&str; 1] = [refund_domain::returns::TOOL];

/// Whether a role may use a tool; one that it may not use does not exist for it.
fn may_use(role: Role, spec: &ToolSpec) -> bool {
    match role {
        Role::Viewer => spec.access == Access::Read,
        Role::Agent | Role::Admin => true,
        // Who decides on refunds has no part in asking for them.
        Role::Approver => spec.access == Access::Read && spec.toolset != Toolset::Refunds,
    }
}

/// Every tool, sorted by name.
pub(crate) const ALL: [&ToolSpec; 17] = [
    &tools::check_return_eligibility::SPEC,
    &tools::check_warranty_coverage::SPEC,
    &tools::escalate_to_human::SPEC,
    &tools::find_customer::SPEC,
    &tools::find_device::SPEC,
    &tools::get_billing_status::SPEC,
    &tools::get_customer_record::SPEC,
    &tools::get_fee_quote::SPEC,
    &tools::get_open_returns_for_device::SPEC,
    &tools::get_refund::SPEC,
    &tools::list_refunds::SPEC,
    &tools::lookup_order::SPEC,
    &tools::preview_refund::SPEC,
    &tools::process_return::SPEC,
    &tools::resolve_shipping_address::SPEC,
    &tools::search_devices::SPEC,
    &tools::trigger_refund::SPEC,
];

/// Which tools a server offers.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    /// Only these groups.
    pub(crate) toolsets: Vec<Toolset>,
    /// Exactly these tools, if any are named.
    pub(crate) tools: Vec<&'static str>,
    /// No tool that writes, whatever else is said.
    pub(crate) read_only: bool,
    /// What the caller may do.
    pub(crate) role: Role,
}

/// The tools that are offered: neither listed nor callable otherwise.
#[derive(Debug, Clone, Default)]
pub(crate) struct Catalogue {
    specs: Arc<[&'static ToolSpec]>,
    published: Arc<[Tool]>,
}

impl Catalogue {
    /// The catalogue of a selection.
    pub(crate) fn new(selection: &Selection) -> Self {
        let named = |spec: &ToolSpec| {
            if selection.tools.is_empty() {
                selection.toolsets.contains(&spec.toolset)
            } else {
                selection.tools.contains(&spec.name)
            }
        };
        let allowed = |spec: &ToolSpec| {
            may_use(selection.role, spec) && (spec.access == Access::Read || !selection.read_only)
        };
        let specs: Arc<[_]> = ALL
            .into_iter()
            .filter(|spec| named(spec) && allowed(spec))
            .collect();
        let published = specs.iter().map(|spec| spec.publish()).collect();
        Self { specs, published }
    }

    /// The tool with this name.
    pub(crate) fn find(&self, name: &str) -> Option<&'static ToolSpec> {
        self.specs.iter().find(|spec| spec.name == name).copied()
    }

    /// Whether no tool is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.specs.is_empty()
    }

    /// Whether a tool of this group is offered.
    pub(crate) fn has(&self, toolset: Toolset) -> bool {
        self.specs.iter().any(|spec| spec.toolset == toolset)
    }

    /// What clients are told, sorted by name.
    pub(crate) fn published(&self) -> &[Tool] {
        &self.published
    }
}

impl ToolSpec {
    /// Whether the outcome is no refusal, or one of those that the tool names.
    pub(crate) fn declares(&self, outcome: &Result<Success, Failure>) -> bool {
        let refused = match outcome {
            Err(Failure::Refused(refusal)) => refusal.code(),
            Err(Failure::ReturnRefused(refusal)) => refusal.code(),
            Err(Failure::WarrantyRefused(refusal)) => refusal.code(),
            _ => return true,
        };
        let mut codes = self.refusals.iter().map(|(code, _)| *code);
        codes.any(|code| code == refused)
    }

    /// What clients are told about the tool.
    fn publish(&self) -> Tool {
        let read = self.access == Access::Read;
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(read)
            .destructive(self.access == Access::Write)
            // Without a key, what was done is done again when it is called again.
            .idempotent(read)
            .open_world(REACH_OUT.contains(&self.name));
        Tool::new(self.name, self.description, Arc::new((self.input_schema)()))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new((self.output_schema)()))
            .with_annotations(annotations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everything() -> Catalogue {
        Catalogue::new(&Selection {
            toolsets: Toolset::value_variants().to_vec(),
            tools: Vec::new(),
            read_only: false,
            role: Role::Agent,
        })
    }

    // Cases.
    #[test]
    fn the_catalogue_is_sound() {
        let names: Vec<_> = ALL.iter().map(|spec| spec.name).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted, "unique and sorted");
        for spec in ALL {
            let name = spec.name;
            assert!((1..=64).contains(&name.len()), "{name}");
            assert!(
                name.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
                "{name}"
            );
            assert!(
                spec.description.len() > 100 && !spec.title.is_empty(),
                "{name}"
            );
            let mut codes: Vec<_> = spec.refusals.iter().map(|(code, _)| code).collect();
            codes.sort_unstable();
            codes.dedup();
            assert_eq!(codes.len(), spec.refusals.len(), "{name}: a code, a row");
            let (input, output) = ((spec.input_schema)(), (spec.output_schema)());
            for (what, schema) in [("input", &input), ("output", &output)] {
                assert_eq!(
                    schema.get("type"),
                    Some(&Value::from("object")),
                    "{name} {what}"
                );
                assert_eq!(
                    schema.get("additionalProperties"),
                    Some(&Value::from(false)),
                    "{name} {what}"
                );
                for forbidden in [
                    "$schema", "$ref", "$defs", "anyOf", "oneOf", "allOf", "const",
                ] {
                    assert!(!schema.contains_key(forbidden), "{name} {what} {forbidden}");
                }
                let properties = schema.get("properties").and_then(Value::as_object);
                assert!(
                    properties.is_some_and(|found| !found.is_empty()),
                    "{name} {what}"
                );
                for (key, property) in properties.into_iter().flatten() {
                    assert!(property["type"].is_string(), "{name} {what} {key}");
                    assert!(
                        property["description"]
                            .as_str()
                            .is_some_and(|text| text.len() > 8),
                        "{name} {what} {key} has a description"
                    );
                }
            }
            if spec.access != Access::Read {
                assert!(
                    input["properties"].get("idempotency_key").is_some(),
                    "{name} takes a key"
                );
            }
        }
    }

    // Each tool as clients see it. A change here is a change of the contract: review it, then accept it
    // with `INSTA_UPDATE=always cargo test -p refund-mcp catalogue`.
    #[test]
    fn published_tools_are_as_reviewed() {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../toolsnaps");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| {
            for tool in everything().published() {
                let text = serde_json::to_string_pretty(tool).unwrap();
                insta::assert_snapshot!(tool.name.to_string(), text);
            }
        });
        let snapshots =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/toolsnaps")).unwrap();
        assert_eq!(
            snapshots.count(),
            ALL.len(),
            "a snapshot a tool, and no other"
        );
    }

    #[test]
    fn read_only_beats_everything() {
        let selection = Selection {
            toolsets: Toolset::value_variants().to_vec(),
            tools: ALL.map(|spec| spec.name).to_vec(),
            read_only: true,
            role: Role::Admin,
        };
        let catalogue = Catalogue::new(&selection);
        for spec in ALL {
            assert_eq!(
                catalogue.find(spec.name).is_some(),
                spec.access == Access::Read
            );
        }
        assert_eq!(catalogue.published().len(), catalogue.specs.len());
    }

    // Read-only and naming a tool give no role more than it has.
    #[test]
    fn a_role_has_only_its_own_tools() {
        for role in Role::ALL {
            for tools in [Vec::new(), ALL.map(|spec| spec.name).to_vec()] {
                let catalogue = Catalogue::new(&Selection {
                    toolsets: Toolset::value_variants().to_vec(),
                    tools,
                    read_only: false,
                    role,
                });
                for spec in ALL {
                    let reads = spec.access == Access::Read;
                    let expected = match role {
                        Role::Viewer => reads,
                        Role::Agent | Role::Admin => true,
                        Role::Approver => reads && spec.toolset != Toolset::Refunds,
                    };
                    assert_eq!(catalogue.find(spec.name).is_some(), expected, "{role:?}");
                    let mut published = catalogue.published().iter();
                    assert_eq!(published.any(|tool| tool.name == spec.name), expected);
                }
            }
        }
    }
}
