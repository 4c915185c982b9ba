//! Who calls: the one place where a principal, its role and its customer come from.

use refund_domain::Caller;

use crate::config::Config;

/// Whoever started this process, on its standard input or command line.
pub(crate) fn local(config: &Config) -> Caller {
    Caller::new(config.principal.value.clone(), config.role.value)
}
