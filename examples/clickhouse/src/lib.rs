//! A ClickHouse client over HTTP that neither loses a row nor stores one twice, and a fault scenario
//! for it.
//!
//! The hard part of an insert is a missing response. The rows may be stored or not, and ClickHouse
//! stores them again if they are sent again. So each batch has a `query_id` from its first attempt on,
//! by which the client looks up its outcome in the server's query log.
//!
//! - [`client`] is the client.
//! - [`faults`] is the fault scenario: a proxy with injected faults and a limited capacity in front of
//!   the server, batches at a steady rate, and a count of the rows afterwards.
//!
//! The library counts attempts, waits, classifies errors, and has the breaker and the budget.

pub mod client;
pub mod faults;
