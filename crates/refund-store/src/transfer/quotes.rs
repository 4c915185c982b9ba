//! The quotes of a table, watched while it is read: the table's reader takes a cell whose quote is
//! never closed, with all the rows behind it, for one long cell, and text behind a closing quote for
//! a part of the cell. Rows must not vanish like that.

use std::fmt;

/// Follows the quotes of a table, byte by byte.
#[derive(Debug)]
pub(crate) struct Quotes {
    at: At,
    offset: u64,
    line: u64,
    /// Where the quote stands that opened the present cell.
    opened: (u64, u64),
    fault: Option<Fault>,
}

#[derive(Debug, Clone, Copy)]
enum At {
    /// A cell begins.
    Begin,
    /// In a cell without quotes; one in its midst is a letter like others.
    Plain,
    Quoted,
    /// Behind a quote in a quoted cell: the cell's end, or the first of two that stand for one.
    Closed,
}

/// The first thing that is wrong with the quotes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where the cell's opening quote stands.
    offset: u64,
    /// The line of it.
    pub(crate) line: u64,
    /// The line on which something stands behind the closing quote; `None` if there is no such quote.
    behind: Option<u64>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.behind {
            None => f.write_str("the quote of a cell that begins here is never closed"),
            Some(line) => write!(
                f,
                "a quoted cell begins here, and text stands behind its closing quote on line \
                 {line}; a quote inside of such a cell is written twice"
            ),
        }
    }
}

impl Quotes {
    pub(crate) fn new() -> Self {
        Self {
            at: At::Begin,
            offset: 0,
            line: 1,
            opened: (0, 1),
            fault: None,
        }
    }

    /// The next bytes of the table.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.at = match (self.at, byte) {
                (At::Quoted, b'"') => At::Closed,
                (At::Quoted, _) | (At::Closed, b'"') => At::Quoted,
                (_, b',' | b'\r' | b'\n') => At::Begin,
                (At::Begin, b'"') => {
                    self.opened = (self.offset, self.line);
                    At::Quoted
                }
                // A byte order mark is not part of the first cell.
                (At::Begin, 0xef | 0xbb | 0xbf) if self.offset < 3 => At::Begin,
                (At::Begin | At::Plain, _) => At::Plain,
                (At::Closed, _) => {
                    self.blame(Some(self.line));
                    At::Plain
                }
            };
            self.offset += 1;
            self.line += u64::from(*byte == b'\n');
        }
    }

    /// The table has no more bytes.
    pub(crate) fn end(&mut self) {
        if matches!(self.at, At::Quoted) {
            self.blame(None);
        }
    }

    fn blame(&mut self, behind: Option<u64>) {
        let (offset, line) = self.opened;
        self.fault.get_or_insert(Fault {
            offset,
            line,
            behind,
        });
    }

    /// What is wrong in the rows that end before `offset`.
    pub(crate) fn fault_before(&self, offset: u64) -> Option<Fault> {
        self.fault.filter(|fault| fault.offset < offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offset and line of the first fault, and the line of what stands behind a closing quote.
    fn fault(table: &str) -> Option<(u64, u64, Option<u64>)> {
        let whole = {
            let mut quotes = Quotes::new();
            quotes.take(table.as_bytes());
            quotes.end();
            quotes.fault_before(u64::MAX)
        };
        let mut quotes = Quotes::new();
        for byte in table.bytes() {
            quotes.take(&[byte]);
        }
        quotes.end();
        assert_eq!(quotes.fault_before(u64::MAX), whole, "{table:?}");
        whole.map(|fault| (fault.offset, fault.line, fault.behind))
    }

    #[test]
    fn quotes_that_are_closed_and_quotes_inside_of_a_plain_cell() {
        for table in [
            "",
            "a,b\n1,2",
            "\"a\",\"b\"\r\n\"1\",\"\"\r\n",
            "\"say \"\"so\"\"\",\"two\nlines, and more\"",
            "5\" pipe,a\"b\"\n",
            "\u{feff}\"a\",b\n",
            "\"a\"\r\"b\"",
            "\"\"\"\"",
        ] {
            assert_eq!(fault(table), None, "{table:?}");
        }
    }

    #[test]
    fn a_quote_that_swallows_rows_and_text_behind_one() {
        for (table, expected) in [
            ("\"", (0, 1, None)),
            ("a,b\n1,\"2\n3,4\n", (6, 2, None)),
            ("a,\"b\"\"\n", (2, 1, None)),
            ("\u{feff}\"a", (3, 1, None)),
            ("\"a\"b", (0, 1, Some(1))),
            ("\"a\" ,b", (0, 1, Some(1))),
            ("a\n\"b,c\nd,\"e\",\"f", (2, 2, Some(3))),
        ] {
            assert_eq!(fault(table), Some(expected), "{table:?}");
        }
        let mut quotes = Quotes::new();
        quotes.take(b"a\n\"b\"c");
        assert_eq!(quotes.fault_before(2), None, "the row before is as it is");
        assert!(quotes.fault_before(3).is_some());
    }
}
