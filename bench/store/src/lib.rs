//! The store benchmark: durable tasks of this project and its peers, measured in one run.
//!
//! An [`Entry`](entry::Entry) describes a peer and its measured configurations; each file in [`peers`]
//! has one. The program `peer` runs one peer in its own process, and [`measure`] reads its resource
//! usage from outside. The program `store` measures all peers and prints the [`report`].

pub mod entry;
pub mod measure;
pub mod peers;
pub mod report;
