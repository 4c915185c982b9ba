//! `refund-mcp refunds`: look at refunds.

use clap::{ArgGroup, Subcommand};
use refund_domain::ports::RefundReader as _;
use refund_domain::{CustomerId, IdempotencyKey, RefundId, RefundName, RefundPosition, Refusal};
use refund_schema::{GetRefundOutput, ListRefundsOutput};

use super::table::{self, Column};
use super::{CliError, open, print_json, runtime, shows_tables};
use crate::config::Config;
use crate::exit::Exit;

#[derive(Debug, Subcommand)]
pub(super) enum RefundsCommand {
    /// Show one refund
    #[command(group(ArgGroup::new("name").required(true).args(["id", "key"])))]
    Show {
        /// The refund's id
        #[arg(value_name = "ID", value_parser = parse_id)]
        id: Option<RefundId>,
        /// The idempotency key that it was made with, by the principal of the configuration
        #[arg(long, value_name = "KEY", value_parser = parse_key)]
        key: Option<IdempotencyKey>,
        /// As JSON also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// List a customer's refunds, the newest first
    List {
        /// The customer's id
        #[arg(value_name = "CUSTOMER", value_parser = parse_customer)]
        customer: CustomerId,
        /// How many at most
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Where the page before ended
        #[arg(long, value_name = "CURSOR", value_parser = parse_cursor)]
        cursor: Option<RefundPosition>,
        /// As JSON also on a terminal
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(config: &Config, command: &RefundsCommand) -> Result<Exit, CliError> {
    match command {
        RefundsCommand::Show { id, key, json } => {
            let name = match (id, key) {
                (Some(id), _) => RefundName::Id(*id),
                (None, Some(key)) => RefundName::Key(key.clone()),
                (None, None) => return Err(CliError::Usage("give an id or --key".to_owned())),
            };
            show(config, name, *json)
        }
        RefundsCommand::List {
            customer,
            limit,
            cursor,
            json,
        } => list(config, *customer, *limit, *cursor, *json),
    }
}

fn show(config: &Config, name: RefundName, json: bool) -> Result<Exit, CliError> {
    let store = open(config)?;
    let runtime = runtime()?;
    let found = match &name {
        RefundName::Id(id) => runtime.block_on(store.refund(*id)),
        RefundName::Key(key) => runtime.block_on(store.refund_by_key(&config.principal.value, key)),
    };
    let Some(refund) = found.map_err(CliError::Store)? else {
        return Err(refused(&Refusal::RefundNotFound(name)));
    };
    if shows_tables(json) {
        table::pairs(&[
            ("id", refund.id.to_string()),
            ("customer", refund.customer_id.to_string()),
            ("amount", refund.amount.to_string()),
            ("reason", refund.reason.as_str().to_owned()),
            ("status", refund.status.as_str().to_owned()),
            ("processed at", refund.processed_at.to_string()),
            (
                "balance then",
                refund.remaining_refundable_balance.to_string(),
            ),
            ("principal", refund.principal.to_string()),
            (
                "key",
                refund
                    .idempotency_key
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            ),
        ])?;
    } else {
        print_json(&GetRefundOutput::from(&refund))?;
    }
    Ok(Exit::Ok)
}

fn list(
    config: &Config,
    customer_id: CustomerId,
    limit: u32,
    cursor: Option<RefundPosition>,
    json: bool,
) -> Result<Exit, CliError> {
    let store = open(config)?;
    let page = runtime()?
        .block_on(store.refunds_of(customer_id, limit, cursor))
        .map_err(CliError::Store)?;
    let Some(page) = page else {
        return Err(refused(&Refusal::CustomerNotFound { customer_id }));
    };
    if !shows_tables(json) {
        print_json(&ListRefundsOutput::new(customer_id, &page))?;
        return Ok(Exit::Ok);
    }
    let rows: Vec<_> = page
        .refunds
        .iter()
        .map(|refund| {
            [
                refund.id.to_string(),
                refund.amount.to_string(),
                refund.status.as_str().to_owned(),
                refund.processed_at.to_string(),
                refund.reason.as_str().to_owned(),
            ]
        })
        .collect();
    let columns = [
        Column::left("ID"),
        Column::right("AMOUNT"),
        Column::left("STATUS"),
        Column::left("PROCESSED AT"),
        Column::left("REASON"),
    ];
    table::rows(columns, &rows)?;
    let more = page.next.map(|cursor| format!("; more: --cursor {cursor}"));
    table::note(&format!(
        "{} in all{}",
        page.total,
        more.unwrap_or_default()
    ))?;
    Ok(Exit::Ok)
}

fn refused(refusal: &Refusal) -> CliError {
    CliError::Refused(refusal.to_string())
}

fn parse_id(text: &str) -> Result<RefundId, String> {
    RefundId::new(text).map_err(|error| error.to_string())
}

fn parse_key(text: &str) -> Result<IdempotencyKey, String> {
    IdempotencyKey::new(text).map_err(|error| error.to_string())
}

fn parse_customer(text: &str) -> Result<CustomerId, String> {
    CustomerId::new(text).map_err(|error| error.to_string())
}

fn parse_cursor(text: &str) -> Result<RefundPosition, String> {
    RefundPosition::parse(text)
        .ok_or_else(|| "not a cursor; pass one that a list ended with, unchanged".to_owned())
}
