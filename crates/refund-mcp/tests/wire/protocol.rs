//! Every row of the table in `docs/architecture.md`, on the wire.
