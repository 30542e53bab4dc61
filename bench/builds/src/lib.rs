//! The cost of building with this library and with its peers.
//!
//! A [`Library`](library::Library) is what a user writes to depend on it and to call it. A
//! [`Project`](project::Project) is a generated package that does so. [`cold`] builds the
//! libraries from nothing; [`call_sites`] compares programs with few and with many calls.

pub mod call_sites;
pub mod cold;
pub mod library;
pub mod process;
pub mod program;
pub mod project;
pub mod table;
