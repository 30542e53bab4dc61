//! Fault injection for the client, and the counts afterwards. Not needed to use the client.

pub mod fault_proxy;
pub mod scenario;
