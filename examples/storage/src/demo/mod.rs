//! What the storages are put through: tasks that write, a server that has a bad day, the books
//! afterwards, and what the retry layer costs on a good one.

pub(crate) mod load;
pub(crate) mod overhead;
pub(crate) mod report;
pub(crate) mod storm;
