//! The demo of the daemon: a service with scripted failures, and a scenario with a crash, shown by the
//! view `runs`. Not needed to run the daemon.

pub mod scenario;
pub mod service;
pub mod table;
