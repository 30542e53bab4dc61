//! YAML becomes a tree in two steps.
//!
//! The [reader] takes down what is [written], each value once, and finds every key that is
//! there twice: that is why it reads events and not a ready value, which would end at the
//! first. [Expanding](expand) then puts values in the place of aliases and merge keys, and
//! counts what that makes of the file.

mod expand;
mod reader;
mod scalar;
mod syntax;
mod written;

use super::Source;
use super::problem::{Findings, Problem};
use super::tree::Node;

pub(super) fn parse(source: &Source, findings: &mut Findings) -> Option<Node> {
    let tree = try_parse(source, findings);
    tree.unwrap_or_else(|problem| {
        findings.add(|| problem);
        None
    })
}

/// The error is a problem after which nothing can be made of the text.
fn try_parse(source: &Source, findings: &mut Findings) -> Result<Option<Node>, Problem> {
    let written = reader::read(source, findings)?;
    expand::expand(source, &written, findings)
}
