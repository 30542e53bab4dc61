//! Reports to the store: events, the worker's registration, breakers and budgets.

pub(crate) mod breaker_sync;
mod budgets;
mod events;
mod last_reports;
pub(crate) mod registration;

pub(crate) use events::{EventQueue, EventWriter};
use last_reports::LastReports;
