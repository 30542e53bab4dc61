//! Measuring one run of one peer.
//!
//! A peer's program ([`programs`]) is started as a [`process`], on a database of its own
//! that [`postgres`] or [`sqlite`] makes, and what it and the server spend between
//! `READY` and `DONE` is read from outside. [`rounds`] repeats it.

pub mod cpu;
pub mod postgres;
pub mod process;
pub mod programs;
pub mod rounds;
pub mod sqlite;
