//! Durable tasks: this project and its peers, measured in one run.
//!
//! An [`Entry`](entry::Entry) is a peer and how it is to be measured; they are in
//! [`peers`], one to a file. The program `peer` drives one of them, in a process of its
//! own that [`measure`] watches from outside. The program `store` does that for all and
//! prints the [`report`].

pub mod entry;
pub mod measure;
pub mod peers;
pub mod report;
