//! Steadfast and its peers, measured in one run.
//!
//! A [`Case`] is one library performing one operation. A [`Row`] groups the cases of the same
//! operation, with the goal of this library. [`cases`] lists the rows. Each file in [`peers`] holds
//! the cases of one peer, used as its documentation recommends; [`steadfast_cases`] holds those of
//! this library.
//!
//! Rows are measured in [`instructions`] and in [`wall`]-clock time, and sleeping sessions
//! ([`Sleeper`]) in memory. The program `core` measures all of them and prints the [`report`].

pub mod case;
pub mod cases;
pub mod generated;
pub mod instructions;
pub mod machine;
pub mod operation;
pub mod peers;
pub mod programs;
pub mod report;
pub mod results;
pub mod sleeper;
pub mod steadfast_cases;
pub mod wall;

pub use case::{Case, Row};
pub use sleeper::Sleeper;
