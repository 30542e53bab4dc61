//! The policy file: YAML, JSON or TOML, by its extension (F1).
//!
//! A file is read in two halves. The first knows the three notations and nothing of
//! policies: it makes a tree of the text in which every key and value knows where it
//! stands. The second knows policies and nothing of notations. So a rule is written
//! once, and a [problem](Problem) has its line and column in all three.
//!
//! A file may come from anybody, so its size, depth and growth have bounds.

#![allow(dead_code, reason = "the reader of policies, which uses it, comes after it")]

mod bounds;
mod format;
mod json;
mod path;
mod problem;
mod source;
mod toml;
pub(crate) mod tree;
mod yaml;

pub use format::Format;
pub(crate) use path::{Path, Step};
pub use problem::{Problem, Problems};
pub use source::{Place, Source};

#[cfg(test)]
mod tests;
