//! The HTTP layer: connections, request parsing and responses.

pub(crate) mod body;
pub(crate) mod client_network;
pub(crate) mod headers;
pub(crate) mod idempotency_key;
pub(crate) mod listener;
pub(crate) mod media;
pub(crate) mod path_parameters;
pub(crate) mod problem;
pub(crate) mod proxy;
pub(crate) mod query;
pub(crate) mod request;
pub(crate) mod tls;
pub(crate) mod traceparent;
mod write_timeout;
