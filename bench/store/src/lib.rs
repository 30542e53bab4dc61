//! Durable tasks: this project's peers, driven to be measured in one run.
//!
//! An [`Entry`](entry::Entry) is a peer and how it is to be measured; they are in
//! [`peers`], one to a file. The program `peer` drives one of them.

pub mod entry;
pub mod peers;
