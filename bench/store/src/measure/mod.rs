//! The measurement of one run of one peer.
//!
//! [`process`] runs a peer's program ([`programs`]) on a new database, created by [`postgres`] or
//! [`sqlite`], and reads the resource usage of the peer and the server between `READY` and `DONE`.
//! [`rounds`] repeats the measurement.

pub mod cpu;
pub mod postgres;
pub mod process;
pub mod programs;
pub mod rounds;
pub mod sqlite;
