//! Steadfast and its peers, measured in one run.
//!
//! A [`Case`] is one library doing one thing; a [`Row`] sets the cases that do
//! the same thing side by side, with the number that ours must reach. The rows
//! are in [`cases`], the peers one to a file in [`peers`], each driven the way
//! its own documentation says, and our own cases in [`steadfast_cases`].
//!
//! The rows are measured by [`instructions`] and by [`wall`] clock, and
//! sessions that sleep ([`Sleeper`]) by their memory. The program `core` does
//! all of it and prints the [`report`].

pub mod case;
pub mod cases;
pub mod figures;
pub mod generated;
pub mod instructions;
pub mod machine;
pub mod operation;
pub mod peers;
pub mod programs;
pub mod report;
pub mod sleeper;
pub mod steadfast_cases;
pub mod wall;

pub use case::{Case, Row};
pub use sleeper::Sleeper;
