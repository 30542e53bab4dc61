//! A ClickHouse client over HTTP that neither loses a row nor stores one twice, and a fault scenario
//! for it.
//!
//! The hard part of inserting is an answer that does not come. The rows may be stored or not,
//! and ClickHouse stores them again if they are sent again. So each batch has a `query_id`
//! from its first attempt on, and whoever is in doubt asks the server what became of it.
//!
//! - [`client`] is the client: what a program would use.
//! - [`trouble`] is what it is tried in: a proxy with faults and a limited capacity before the
//!   server, a storm of batches through it, and a count of the rows afterwards.
//!
//! Counting attempts, waiting, judging errors, the breaker and the budget are the library's.

pub mod client;
pub mod faults;
