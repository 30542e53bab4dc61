//! `steadfast serve` as a process, and commands that use it (section 10).

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod durable;
mod followers;
mod full_disk;
mod process;
mod remote;
mod secrets;
mod serve;
#[path = "../store/mod.rs"]
mod store;
