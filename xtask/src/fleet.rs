//! Two servers on one PostgreSQL database behind a load balancer, official clients, and accidents. The
//! script `fleet.mjs` plays it; the database that is lost and comes back is ours.

use crate::cluster::Cluster;
use crate::conformance::{Outcome, Setting, obeyed};
use crate::node;
use crate::sh::Failure;

/// The line with which the script asks for the accident.
const RESTART: &str = "restart the database";

pub(crate) fn run(setting: &Setting<'_>) -> Result<Outcome, Failure> {
    if Cluster::programs().is_none() {
        return Ok(missing("PostgreSQL 15 or newer on this machine"));
    }
    let Some(run) = node::command(setting, "fleet.mjs")? else {
        return Ok(missing(node::NEEDED));
    };
    let failed = |error| Failure::new(format!("failed to run PostgreSQL: {error}"));
    let cluster = Cluster::start().map_err(failed)?;
    let run = run.arg(format!("{}/postgres", cluster.url()));
    obeyed(&run, |line| {
        let asked = line == RESTART;
        if asked {
            cluster.stop("immediate").map_err(failed)?;
            cluster.begin().map_err(failed)?;
        }
        Ok(asked)
    })
    .map(Outcome::Ran)
}

fn missing(what: &str) -> Outcome {
    Outcome::Missing(format!("the fleet: it needs {what}"))
}
