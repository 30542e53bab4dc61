//! A YAML parser in two steps.
//!
//! The [reader] turns parser events into a [raw document](raw), which lets it report every
//! duplicate key instead of stopping at the first. The [expansion](expand) then resolves aliases
//! and merge keys within the limits.

mod expand;
mod raw;
mod reader;
mod scalar;
mod syntax;

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

/// The error is a problem that leaves no tree.
fn try_parse(source: &Source, findings: &mut Findings) -> Result<Option<Node>, Problem> {
    let document = reader::read(source, findings)?;
    expand::expand(source, &document, findings)
}
