//! Limits on the size of a file, so that no file can take a service down.
//!
//! A limit of bytes is not enough: a kilobyte of aliases can expand to terabytes, and brackets
//! exhaust the stack. A file within these limits costs milliseconds and megabytes.

use super::problem::Problem;
use super::tree::Span;
use super::{Path, Source};

/// The largest file. A policy takes some hundred bytes.
pub(super) const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The deepest nesting of lists and maps. A policy needs six levels; the recursive TOML parser
/// takes 5 KiB of stack for each in a debug build.
pub(super) const MAX_DEPTH: usize = 32;

/// The most values after alias expansion.
pub(super) const MAX_NODES: usize = 100_000;

pub(super) fn too_long(name: &str) -> Problem {
    let message = format!("the file is larger than {} MiB", MAX_BYTES / 1024 / 1024);
    Problem::of_file(name, message).suggest("check that it is the right file, or split it")
}

pub(super) fn too_deep(source: &Source, at: Span, path: &Path) -> Problem {
    Problem::at(source, at, format!("nesting is deeper than {MAX_DEPTH} levels"))
        .path(path)
        .suggest("check the brackets and the indentation above")
}

pub(super) fn too_many(source: &Source, at: Span, path: &Path) -> Problem {
    Problem::at(source, at, format!("the file has more than {MAX_NODES} values"))
        .path(path)
        .suggest("split the file")
}

pub(super) fn expands_too_far(source: &Source, alias: Span, path: &Path) -> Problem {
    let message = format!(
        "this alias expands beyond the limit of {MAX_NODES} values and {} MiB of text",
        MAX_BYTES / 1024 / 1024
    );
    Problem::at(source, alias, message).path(path).suggest("write out its value")
}
