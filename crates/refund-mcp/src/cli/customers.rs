//! `refund-mcp customers`: look at customers, and correct a balance.

use clap::Subcommand;
use refund_domain::ports::{CustomerDirectory as _, CustomerReader as _, CustomerWriter as _};
use refund_domain::{
    AdjustBalance, AdjustmentAmount, Clock as _, Customer, CustomerId, EmailAddress,
    IdempotencyKey, Reason,
};
use refund_schema::{AdjustBalanceOutput, GetCustomerRecordOutput};
use refund_store::system::SystemClock;

use super::table::{self, Column};
use super::{CliError, may_write, no_memory, open, print_json, runtime, shows_tables};
use crate::config::Config;
use crate::exit::Exit;
use crate::identity;

#[derive(Debug, Subcommand)]
pub(super) enum CustomersCommand {
    /// Show one customer
    Show {
        /// The customer's id, or e-mail address
        #[arg(value_name = "ID|EMAIL")]
        name: String,
        /// As JSON also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// List customers by id
    List {
        /// How many at most
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Begin after this id
        #[arg(long, value_name = "ID", value_parser = parse_id)]
        after: Option<CustomerId>,
        /// As JSON also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Correct a refundable balance, up or down: audited, and never below zero
    Adjust {
        /// The customer's id
        #[arg(value_name = "ID", value_parser = parse_id)]
        id: CustomerId,
        /// By how much, in the customer's currency: 25.00, or -25.00 for less
        #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true, value_parser = parse_amount)]
        by: AdjustmentAmount,
        /// Why: 10 to 500 characters, for those who read the books later
        #[arg(long, value_name = "TEXT", value_parser = parse_reason)]
        reason: Reason,
        /// Your own name for this correction: the same command with the same key again corrects nothing
        /// twice
        #[arg(long, value_name = "KEY", value_parser = parse_key)]
        key: Option<IdempotencyKey>,
        /// As JSON also on a terminal
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(config: &Config, command: &CustomersCommand) -> Result<Exit, CliError> {
    match command {
        CustomersCommand::Show { name, json } => show(config, name, *json),
        CustomersCommand::List { limit, after, json } => list(config, *limit, *after, *json),
        CustomersCommand::Adjust {
            id,
            by,
            reason,
            key,
            json,
        } => adjust(config, (*id, *by), reason, key.as_ref(), *json),
    }
}

fn show(config: &Config, name: &str, json: bool) -> Result<Exit, CliError> {
    let customer = if name.contains('@') {
        let email = EmailAddress::new(name).map_err(|error| CliError::Usage(error.to_string()))?;
        let store = open(config)?;
        runtime()?.block_on(store.customer_by_email(&email))
    } else {
        let id = parse_id(name).map_err(CliError::Usage)?;
        let store = open(config)?;
        runtime()?.block_on(store.customer(id))
    };
    let Some(customer) = customer.map_err(CliError::Store)? else {
        return Err(CliError::Refused(format!("Customer {name} was not found.")));
    };
    if shows_tables(json) {
        table::pairs(&[
            ("id", customer.id.to_string()),
            ("name", customer.name.as_str().to_owned()),
            ("e-mail", customer.email.as_str().to_owned()),
            ("status", customer.status.to_string()),
            ("balance", customer.refundable_balance.to_string()),
            ("since", customer.created_at.to_string()),
            (
                "external id",
                optional(customer.external_id.as_ref().map(|id| id.as_str())),
            ),
            (
                "phone",
                optional(customer.phone_number.as_ref().map(|number| number.as_str())),
            ),
            (
                "company",
                optional(customer.company.as_ref().map(|name| name.as_str())),
            ),
            (
                "language",
                optional(customer.language.as_ref().map(|tag| tag.as_str())),
            ),
        ])?;
    } else {
        print_json(&GetCustomerRecordOutput::from(&customer))?;
    }
    Ok(Exit::Ok)
}

fn optional(text: Option<&str>) -> String {
    text.unwrap_or_default().to_owned()
}

fn list(
    config: &Config,
    limit: u32,
    after: Option<CustomerId>,
    json: bool,
) -> Result<Exit, CliError> {
    let store = open(config)?;
    // One more tells whether there are more.
    let mut customers = runtime()?
        .block_on(store.customers(limit + 1, after))
        .map_err(CliError::Store)?;
    let more = customers.len() > limit as usize;
    customers.truncate(limit as usize);
    if !shows_tables(json) {
        let records: Vec<_> = customers
            .iter()
            .map(GetCustomerRecordOutput::from)
            .collect();
        print_json(&serde_json::json!({ "customers": records, "more": more }))?;
        return Ok(Exit::Ok);
    }
    let rows: Vec<_> = customers.iter().map(row).collect();
    let columns = [
        Column::left("ID"),
        Column::left("NAME"),
        Column::left("E-MAIL"),
        Column::left("STATUS"),
        Column::right("BALANCE"),
    ];
    table::rows(columns, &rows)?;
    if let Some(last) = customers.last().filter(|_| more) {
        table::note(&format!("more: --after {}", last.id))?;
    }
    Ok(Exit::Ok)
}

fn row(customer: &Customer) -> [String; 5] {
    [
        customer.id.to_string(),
        customer.name.as_str().to_owned(),
        customer.email.as_str().to_owned(),
        customer.status.to_string(),
        customer.refundable_balance.to_string(),
    ]
}

fn adjust(
    config: &Config,
    (customer_id, by): (CustomerId, AdjustmentAmount),
    reason: &Reason,
    key: Option<&IdempotencyKey>,
    json: bool,
) -> Result<Exit, CliError> {
    may_write(config)?;
    no_memory(config)?;
    let store = open(config)?;
    let command = AdjustBalance {
        customer_id,
        by,
        reason: reason.clone(),
        idempotency_key: key.cloned(),
        caller: identity::local(config),
        at: SystemClock.now(),
    };
    let settled = runtime()?
        .block_on(store.adjust_balance(command))
        .map_err(CliError::Store)?;
    let replayed = settled.replayed;
    let adjustment = settled
        .outcome
        .map_err(|refusal| CliError::Refused(refusal.to_string()))?;
    if shows_tables(json) {
        table::pairs(&[
            ("customer", customer_id.to_string()),
            ("before", adjustment.before.to_string()),
            ("adjusted by", adjustment.by().to_string()),
            ("balance", adjustment.after.to_string()),
            (
                "replayed",
                if replayed {
                    "yes, nothing happened now"
                } else {
                    ""
                }
                .to_owned(),
            ),
        ])?;
    } else {
        print_json(&AdjustBalanceOutput::new(&adjustment, replayed))?;
    }
    Ok(Exit::Ok)
}

fn parse_id(text: &str) -> Result<CustomerId, String> {
    CustomerId::new(text).map_err(|error| error.to_string())
}

fn parse_amount(text: &str) -> Result<AdjustmentAmount, String> {
    AdjustmentAmount::parse(text).map_err(|error| error.to_string())
}

fn parse_key(text: &str) -> Result<IdempotencyKey, String> {
    IdempotencyKey::new(text).map_err(|error| error.to_string())
}

fn parse_reason(text: &str) -> Result<Reason, String> {
    Reason::new(text).map_err(|error| error.to_string())
}
