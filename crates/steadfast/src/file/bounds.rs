//! How much a file may be, so that no file is a way to bring a service down.
//!
//! Bytes alone are no bound: a kilobyte of aliases can mean terabytes, and brackets
//! exhaust a stack. A file within these bounds costs milliseconds and megabytes.

use super::problem::Problem;
use super::tree::Span;
use super::{Path, Source};

/// A policy takes some hundred bytes.
pub(super) const MAX_BYTES: usize = 8 * 1024 * 1024;

/// How deep lists and maps may be in each other. A policy needs six; the parser of TOML
/// goes down the stack and, unoptimised, takes 5 KiB for each.
pub(super) const MAX_DEPTH: usize = 32;

/// How many values there may be, after aliases are expanded.
pub(super) const MAX_NODES: usize = 100_000;

/// A file that is too long.
pub(super) fn too_long(name: &str) -> Problem {
    let message = format!("it has more than {} MiB", MAX_BYTES / 1024 / 1024);
    Problem::of_file(name, message).suggest("is this the right file? If so, split it")
}

/// A list or map that is one level too deep.
pub(super) fn too_deep(source: &Source, at: Span, path: &Path) -> Problem {
    Problem::at(source, at, format!("lists and maps are in each other more than {MAX_DEPTH} deep"))
        .path(path)
        .suggest("check the brackets and the indentation above")
}

/// A value that is one too many.
pub(super) fn too_many(source: &Source, at: Span, path: &Path) -> Problem {
    Problem::at(source, at, format!("there are more than {MAX_NODES} values up to here"))
        .path(path)
        .suggest("split the file")
}

/// An alias that makes too much of a file.
pub(super) fn expands_too_far(source: &Source, alias: Span, path: &Path) -> Problem {
    let message = format!(
        "this alias expands to more than the file may have: {MAX_NODES} values, {} MiB of text",
        MAX_BYTES / 1024 / 1024
    );
    Problem::at(source, alias, message).path(path).suggest("write out what it stands for")
}
