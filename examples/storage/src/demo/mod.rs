//! The demo of the storages: concurrent writers, server faults, a check of the result, and the
//! overhead of the retry layer.

pub(crate) mod load;
pub(crate) mod overhead;
pub(crate) mod report;
pub(crate) mod server_faults;
