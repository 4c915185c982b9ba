//! A statement that is prepared and has its parameters, so that several can be sent before the first
//! answer is read: a query sends everything when it is first polled.

use deadpool_postgres::ClientWrapper;
use futures::future::join_all;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};

use super::error::SqlError;

/// A parameter of any type.
pub(crate) type Param = Box<dyn ToSql + Sync + Send>;

/// A statement to be sent, or none.
pub(crate) struct Flight {
    statement: Option<Statement>,
    params: Vec<Param>,
}

impl Flight {
    /// Nothing to send.
    pub(crate) fn none() -> Self {
        Self {
            statement: None,
            params: Vec::new(),
        }
    }

    /// A statement that stays prepared on its connection.
    pub(crate) async fn new(
        client: &ClientWrapper,
        sql: &str,
        params: Vec<Param>,
    ) -> Result<Self, SqlError> {
        Ok(Self {
            statement: Some(client.prepare_cached(sql).await?),
            params,
        })
    }

    /// The rows that it gives.
    pub(crate) async fn rows(&self, client: &ClientWrapper) -> Result<Vec<Row>, SqlError> {
        match &self.statement {
            None => Ok(Vec::new()),
            Some(statement) => Ok(client.query(statement, &self.references()).await?),
        }
    }

    /// How many rows it changed.
    pub(crate) async fn changes(&self, client: &ClientWrapper) -> Result<u64, SqlError> {
        match &self.statement {
            None => Ok(0),
            Some(statement) => Ok(client.execute(statement, &self.references()).await?),
        }
    }

    fn references(&self) -> Vec<&(dyn ToSql + Sync)> {
        let references = self.params.iter();
        references
            .map(|param| {
                let param: &(dyn ToSql + Sync) = param.as_ref();
                param
            })
            .collect()
    }
}

/// What begins a transaction that is one snapshot and writes nothing, whatever the connection is set to.
pub(crate) const BEGIN_TO_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// What several statements give at one moment, all of them sent before the first answer is read.
pub(crate) async fn at_once<const N: usize>(
    client: &ClientWrapper,
    flights: [Flight; N],
) -> Result<[Vec<Row>; N], SqlError> {
    let rows = join_all(flights.iter().map(|flight| flight.rows(client)));
    let (begun, rows, ended) = tokio::join!(
        biased;
        client.batch_execute(BEGIN_TO_READ),
        rows,
        client.batch_execute("COMMIT"),
    );
    begun?;
    let mut rows = rows.into_iter();
    let mut found = [const { Vec::new() }; N];
    for (found, rows) in found.iter_mut().zip(&mut rows) {
        *found = rows?;
    }
    ended?;
    Ok(found)
}

/// Parameters of different types.
macro_rules! params {
    ($($param:expr),* $(,)?) => {
        vec![$(Box::new($param) as $crate::postgres::flight::Param),*]
    };
}
pub(crate) use params;

/// Gives an error unless as many rows changed as were to.
pub(crate) fn all_changed(
    table: &'static str,
    changed: u64,
    wanted: usize,
    cause: &'static str,
) -> Result<(), SqlError> {
    if usize::try_from(changed) == Ok(wanted) {
        Ok(())
    } else {
        Err(super::error::untrue(table, "of a batch", cause))
    }
}
