//! `cargo xtask examples`: runs what the README shows to people who embed the crates, and holds that
//! it prints what they are told.

use crate::say;
use crate::sh::{Failure, Run};

/// The examples of `refund-store`, each with what it prints.
const EXAMPLES: [(&str, &str); 2] = [
    (
        "embed",
        "refunded 12.50 USD, 487.50 USD are left
sent again, replayed: true
found by its key: true
",
    ),
    (
        "own_store",
        "refunded 30.50 EUR, 49.50 EUR are left
refunded 30.50 EUR, 19.00 EUR are left
refused: Refund of 30.50 EUR exceeds the refundable balance of 19.00 EUR for customer CUST-00007.
",
    ),
];

/// `cargo xtask examples`.
pub(crate) fn command(_: &[String]) -> Result<(), Failure> {
    for (name, wanted) in EXAMPLES {
        let run = Run::cargo("run --quiet --package refund-store --example").arg(name);
        let printed = run.stdout()?.replace("\r\n", "\n");
        if printed != wanted {
            return Err(Failure::new(format!(
                "`{run}` printed\n{printed}instead of\n{wanted}"
            )));
        }
        say::line(format!("examples: {name} prints what it should"));
    }
    Ok(())
}
