//! The fields of an entity, declared once. The same declaration reads a record, writes it, and names
//! its fields, depending on the pass that goes over it.

use std::borrow::Cow;
use std::fmt::Display;

use refund_domain::{Currency, Money};

use super::amount;
use super::{Entity, Place, Report};

/// A record whose fields are known.
pub(crate) trait Fields: Sized {
    /// Its entity.
    const ENTITY: Entity;

    /// Goes over all fields in the order in which they are written, always all of them, so that every
    /// problem of a record is found at once. `None` where the pass does not read, or where a required
    /// field is wrong.
    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self>;
}

/// One kind of going over the fields of a record `R`. Each method is a kind of value.
pub(crate) trait Pass<R> {
    /// A text of some form that must be there.
    fn text<T, E: Display>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, E>,
        show: impl FnOnce(&R) -> Cow<'_, str>,
    ) -> Option<T>;

    /// A text of some form that may be absent.
    fn optional_text<T, E: Display>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, E>,
        show: impl FnOnce(&R) -> Option<Cow<'_, str>>,
    ) -> Option<T>;

    /// An amount in the currency of another field, which must have come before.
    fn money(
        &mut self,
        name: &'static str,
        currency: Option<Currency>,
        show: impl FnOnce(&R) -> Money,
    ) -> Option<Money>;

    /// The same, for an amount that may be absent.
    fn optional_money(
        &mut self,
        name: &'static str,
        currency: Option<Currency>,
        show: impl FnOnce(&R) -> Option<Money>,
    ) -> Option<Money>;

    /// A whole number that must be there.
    fn whole<T, E: Display>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(u32) -> Result<T, E>,
        show: impl FnOnce(&R) -> u32,
    ) -> Option<T>;

    /// Yes or no, or absent.
    fn optional_flag(&mut self, name: &'static str, show: impl FnOnce(&R) -> bool) -> Option<bool>;

    /// What follows from several fields together; `None` where one of them is wrong by itself. A
    /// problem is told of this field. It is no field of its own.
    fn check<T, E: Display>(
        &mut self,
        name: &'static str,
        outcome: impl FnOnce() -> Option<Result<T, E>>,
    ) -> Option<T>;
}

/// A field by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
}

/// The fields of an entity in order.
pub(crate) fn columns<R: Fields>() -> Vec<Column> {
    let mut naming = Naming(Vec::new());
    let _nothing = R::fields(&mut naming);
    naming.0
}

/// The pass that only names.
struct Naming(Vec<Column>);

impl Naming {
    fn name<T>(&mut self, name: &'static str, required: bool) -> Option<T> {
        self.0.push(Column { name, required });
        None
    }
}

impl<R> Pass<R> for Naming {
    fn text<T, E: Display>(
        &mut self,
        name: &'static str,
        _: impl FnOnce(&str) -> Result<T, E>,
        _: impl FnOnce(&R) -> Cow<'_, str>,
    ) -> Option<T> {
        self.name(name, true)
    }

    fn optional_text<T, E: Display>(
        &mut self,
        name: &'static str,
        _: impl FnOnce(&str) -> Result<T, E>,
        _: impl FnOnce(&R) -> Option<Cow<'_, str>>,
    ) -> Option<T> {
        self.name(name, false)
    }

    fn money(
        &mut self,
        name: &'static str,
        _: Option<Currency>,
        _: impl FnOnce(&R) -> Money,
    ) -> Option<Money> {
        self.name(name, true)
    }

    fn optional_money(
        &mut self,
        name: &'static str,
        _: Option<Currency>,
        _: impl FnOnce(&R) -> Option<Money>,
    ) -> Option<Money> {
        self.name(name, false)
    }

    fn whole<T, E: Display>(
        &mut self,
        name: &'static str,
        _: impl FnOnce(u32) -> Result<T, E>,
        _: impl FnOnce(&R) -> u32,
    ) -> Option<T> {
        self.name(name, true)
    }

    fn optional_flag(&mut self, name: &'static str, _: impl FnOnce(&R) -> bool) -> Option<bool> {
        self.name(name, false)
    }

    fn check<T, E: Display>(
        &mut self,
        _: &'static str,
        _: impl FnOnce() -> Option<Result<T, E>>,
    ) -> Option<T> {
        None
    }
}

/// What stands in a field of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Cell<'a> {
    /// Nothing: the key is not there, or the cell of a table is empty.
    #[default]
    Absent,
    /// JSON's null: an optional field that is not there.
    Null,
    /// A text.
    Text(Cow<'a, str>),
    /// A number, as it is written.
    Number(&'a str),
    /// True or false.
    Flag(bool),
    /// Anything else.
    Other,
}

/// A cell and the line it is on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot<'a> {
    pub(crate) cell: Cell<'a>,
    pub(crate) line: u64,
}

/// Reads a record from its slots, which are in the order of [`columns`]; `None` if anything is wrong
/// with it, which is then in the report.
pub(crate) fn read<R: Fields>(slots: &[Slot<'_>], place: &Place, report: &mut Report) -> Option<R> {
    let before = report.len();
    let mut reading = Reading {
        slots: slots.iter(),
        place,
        before,
        report,
    };
    let record = R::fields(&mut reading);
    record.filter(|_| report.len() == before)
}

/// The pass that reads.
struct Reading<'s, 'a> {
    slots: std::slice::Iter<'s, Slot<'a>>,
    place: &'s Place,
    /// How many problems there were before this record.
    before: usize,
    report: &'s mut Report,
}

impl<'s, 'a> Reading<'s, 'a> {
    /// The next field's slot if something is in it. A required field that is absent is reported.
    fn take(&mut self, name: &'static str, required: bool) -> Option<&'s Slot<'a>> {
        let slot = self.slots.next()?;
        match slot.cell {
            Cell::Absent if required => {
                self.report
                    .record(self.place, None, Some(name), "is missing");
                None
            }
            Cell::Null if required => Some(slot),
            Cell::Absent | Cell::Null => None,
            _ => Some(slot),
        }
    }

    fn wrong(&mut self, name: &'static str, slot: &Slot<'_>, message: impl Display) {
        self.report
            .record(self.place, Some(slot.line), Some(name), message);
    }

    fn read_text<T, E: Display>(
        &mut self,
        name: &'static str,
        required: bool,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let slot = self.take(name, required)?;
        let Cell::Text(text) = &slot.cell else {
            self.wrong(name, slot, "must be a string");
            return None;
        };
        read(text)
            .map_err(|error| self.wrong(name, slot, error))
            .ok()
    }

    fn read_money(
        &mut self,
        name: &'static str,
        required: bool,
        currency: Option<Currency>,
    ) -> Option<Money> {
        let slot = self.take(name, required)?;
        let decimal = match &slot.cell {
            Cell::Text(digits) => amount::from_digits(digits),
            Cell::Number(text) => amount::from_number(text),
            _ => None,
        };
        let Some(decimal) = decimal else {
            let in_form = match &slot.cell {
                Cell::Text(digits) => amount::are_digits(digits),
                Cell::Number(_) => true,
                _ => false,
            };
            let message = if in_form {
                "is too large, too small or too long for an amount"
            } else {
                "must be a number, or a string of digits such as \"35.200\""
            };
            self.wrong(name, slot, message);
            return None;
        };
        let Some(currency) = currency else {
            // Otherwise it is known already what is wrong with the currency.
            if self.report.len() == self.before {
                self.wrong(name, slot, "needs the field \"currency\" beside it");
            }
            return None;
        };
        Money::from_decimal(decimal, currency)
            .map_err(|error| self.wrong(name, slot, error))
            .ok()
    }
}

impl<R> Pass<R> for Reading<'_, '_> {
    fn text<T, E: Display>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, E>,
        _: impl FnOnce(&R) -> Cow<'_, str>,
    ) -> Option<T> {
        self.read_text(name, true, read)
    }

    fn optional_text<T, E: Display>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, E>,
        _: impl FnOnce(&R) -> Option<Cow<'_, str>>,
    ) -> Option<T> {
        self.read_text(name, false, read)
    }

    fn money(
        &mut self,
        name: &'static str,
        currency: Option<Currency>,
        _: impl FnOnce(&R) -> Money,
    ) -> Option<Money> {
        self.read_money(name, true, currency)
    }

    fn optional_money(
        &mut self,
        name: &'static str,
        currency: Option<Currency>,
        _: impl FnOnce(&R) -> Option<Money>,
    ) -> Option<Money> {
        self.read_money(name, false, currency)
    }

    fn whole<T, E: Display>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(u32) -> Result<T, E>,
        _: impl FnOnce(&R) -> u32,
    ) -> Option<T> {
        let slot = self.take(name, true)?;
        let number = match &slot.cell {
            Cell::Text(digits) => amount::from_digits(digits),
            Cell::Number(text) => amount::from_number(text),
            _ => None,
        };
        let whole = number.and_then(|number| number.normalize().to_string().parse().ok());
        match whole.map(read) {
            Some(Ok(value)) => Some(value),
            Some(Err(error)) => {
                self.wrong(name, slot, error);
                None
            }
            None => {
                self.wrong(name, slot, "must be a whole number");
                None
            }
        }
    }

    fn optional_flag(&mut self, name: &'static str, _: impl FnOnce(&R) -> bool) -> Option<bool> {
        let slot = self.take(name, false)?;
        match &slot.cell {
            Cell::Flag(flag) => Some(*flag),
            Cell::Text(word) if word == "true" => Some(true),
            Cell::Text(word) if word == "false" => Some(false),
            _ => {
                self.wrong(name, slot, "must be true or false");
                None
            }
        }
    }

    fn check<T, E: Display>(
        &mut self,
        name: &'static str,
        outcome: impl FnOnce() -> Option<Result<T, E>>,
    ) -> Option<T> {
        outcome()?
            .map_err(|error| self.report.record(self.place, None, Some(name), error))
            .ok()
    }
}

/// What is written into a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Out<'r> {
    /// Nothing.
    Absent,
    /// A text.
    Text(Cow<'r, str>),
    /// Digits, `true` or `false`.
    Number(String),
}

/// What is written of a record, in the order of [`columns`].
pub(crate) fn write<R: Fields>(record: &R) -> Vec<(&'static str, Out<'_>)> {
    let mut writing = Writing {
        record,
        out: Vec::with_capacity(16),
    };
    let _nothing = R::fields(&mut writing);
    writing.out
}

/// The pass that writes.
struct Writing<'r, R> {
    record: &'r R,
    out: Vec<(&'static str, Out<'r>)>,
}

impl<'r, R> Writing<'r, R> {
    fn put<T>(&mut self, name: &'static str, out: Option<Out<'r>>) -> Option<T> {
        self.out.push((name, out.unwrap_or(Out::Absent)));
        None
    }
}

/// With all the currency's decimals: a person who reads the file sees the currency's form.
fn number(money: Money) -> Out<'static> {
    Out::Number(money.decimal().to_string())
}

impl<R> Pass<R> for Writing<'_, R> {
    fn text<T, E: Display>(
        &mut self,
        name: &'static str,
        _: impl FnOnce(&str) -> Result<T, E>,
        show: impl FnOnce(&R) -> Cow<'_, str>,
    ) -> Option<T> {
        let out = Out::Text(show(self.record));
        self.put(name, Some(out))
    }

    fn optional_text<T, E: Display>(
        &mut self,
        name: &'static str,
        _: impl FnOnce(&str) -> Result<T, E>,
        show: impl FnOnce(&R) -> Option<Cow<'_, str>>,
    ) -> Option<T> {
        let out = show(self.record).map(Out::Text);
        self.put(name, out)
    }

    fn money(
        &mut self,
        name: &'static str,
        _: Option<Currency>,
        show: impl FnOnce(&R) -> Money,
    ) -> Option<Money> {
        let out = number(show(self.record));
        self.put(name, Some(out))
    }

    fn optional_money(
        &mut self,
        name: &'static str,
        _: Option<Currency>,
        show: impl FnOnce(&R) -> Option<Money>,
    ) -> Option<Money> {
        let out = show(self.record).map(number);
        self.put(name, out)
    }

    fn whole<T, E: Display>(
        &mut self,
        name: &'static str,
        _: impl FnOnce(u32) -> Result<T, E>,
        show: impl FnOnce(&R) -> u32,
    ) -> Option<T> {
        let out = Out::Number(show(self.record).to_string());
        self.put(name, Some(out))
    }

    fn optional_flag(&mut self, name: &'static str, show: impl FnOnce(&R) -> bool) -> Option<bool> {
        let out = Out::Number(show(self.record).to_string());
        self.put(name, Some(out))
    }

    fn check<T, E: Display>(
        &mut self,
        _: &'static str,
        _: impl FnOnce() -> Option<Result<T, E>>,
    ) -> Option<T> {
        None
    }
}
