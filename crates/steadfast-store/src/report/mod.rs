//! Reports of instances about their workers, breakers and budgets.

pub(crate) mod breaker;
pub(crate) mod worker;
