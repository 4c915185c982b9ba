//! The values of columns, from one store into the other.

use chrono::NaiveDate;
use refund_domain::CivilDate;
use rusqlite::types::Value;
use tokio_postgres::Row;
use uuid::Uuid;

use super::error::SqlError;
use super::flight::Param;
use super::tables::Kind;
use super::text;

impl Kind {
    /// The type here.
    pub(crate) fn here(self) -> &'static str {
        match self {
            Self::Int => "int8",
            Self::Bool => "bool",
            Self::Text | Self::Free | Self::Customer => "text",
            Self::Uuid => "uuid",
            Self::Date => "date",
            Self::Bytes => "bytea",
        }
    }

    /// A value as it is there.
    pub(crate) fn value_there(self, row: &Row, column: usize) -> Result<Value, SqlError> {
        let value = match self {
            Self::Int => row.try_get::<_, Option<i64>>(column)?.map(Value::Integer),
            Self::Bool => row
                .try_get::<_, Option<bool>>(column)?
                .map(|yes| Value::Integer(yes.into())),
            Self::Text | Self::Customer => {
                row.try_get::<_, Option<String>>(column)?.map(Value::Text)
            }
            Self::Free => match row.try_get::<_, Option<&str>>(column)? {
                Some(written) => {
                    let text = text::decode(written)
                        .map_err(|cause| super::error::untrue("any", "of a copy", cause))?;
                    Some(Value::Text(text.into_owned()))
                }
                None => None,
            },
            Self::Uuid => row
                .try_get::<_, Option<Uuid>>(column)?
                .map(|id| Value::Text(id.to_string())),
            Self::Date => match row.try_get::<_, Option<NaiveDate>>(column)? {
                Some(date) => {
                    let date = CivilDate::new(date)
                        .map_err(|cause| super::error::untrue("any", "of a copy", cause))?;
                    Some(Value::Text(date.to_string()))
                }
                None => None,
            },
            Self::Bytes => row.try_get::<_, Option<Vec<u8>>>(column)?.map(Value::Blob),
        };
        Ok(value.unwrap_or(Value::Null))
    }

    /// A column of values as it is here.
    pub(crate) fn array_here(
        self,
        values: impl Iterator<Item = Value>,
    ) -> Result<Param, rusqlite::Error> {
        fn all<T>(
            values: impl Iterator<Item = Value>,
            one: impl Fn(Value) -> Option<T>,
        ) -> Result<Vec<Option<T>>, rusqlite::Error> {
            values
                .map(|value| match value {
                    Value::Null => Ok(None),
                    value => one(value).map(Some).ok_or(rusqlite::Error::InvalidQuery),
                })
                .collect()
        }
        fn text_of(value: Value) -> Option<String> {
            match value {
                Value::Text(text) => Some(text),
                _ => None,
            }
        }
        fn number_of(value: Value) -> Option<i64> {
            match value {
                Value::Integer(number) => Some(number),
                _ => None,
            }
        }
        Ok(match self {
            Self::Int => Box::new(all(values, number_of)?),
            Self::Bool => Box::new(all(values, |value| Some(number_of(value)? != 0))?),
            Self::Text | Self::Customer => Box::new(all(values, text_of)?),
            Self::Free => Box::new(all(values, |value| {
                Some(text::encode(&text_of(value)?).into_owned())
            })?),
            Self::Uuid => Box::new(all(values, |value| Uuid::try_parse(&text_of(value)?).ok())?),
            Self::Date => Box::new(all(values, |value| {
                Some(CivilDate::parse(&text_of(value)?).ok()?.naive())
            })?),
            Self::Bytes => Box::new(all(values, |value| match value {
                Value::Blob(bytes) => Some(bytes),
                _ => None,
            })?),
        })
    }
}
