//! The tests of the store, in one binary.

mod demo;
