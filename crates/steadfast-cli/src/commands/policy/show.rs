//! `steadfast policy show`: a policy with all that it means.

use std::io::{self, Write};

use clap::Args;
use serde::{Serialize, Serializer};
use steadfast::Policy;
use steadfast::file::{Explanation, Route};

use super::value;
use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::Answer;
use crate::output::colour::{DIM, HEADING};
use crate::policies::Known;
use crate::problem::Problem;

const EXAMPLES: &[Example] = &[
    ("steadfast policy show patient", "a ready-made policy"),
    ("steadfast policy show browser.state_operations.timeout", "the policy of a mapped name"),
    ("steadfast policy show patient --json", "to send or to keep"),
];

/// Show a policy with all its values.
///
/// Every value is there, whether the file, the environment or a default says it, and how the
/// name led to the policy. What is printed can be put under `policies:` in a policy file.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct Show {
    /// A policy's id, or a name such as subsystem.operation.case
    #[arg(value_name = "NAME")]
    name: String,
}

impl Show {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let known = Known::load(common.config.as_deref())?;
        let found = known.find(&self.name)?;
        let shown = Shown {
            name: &self.name,
            policy: found.policy,
            route: found.route,
            values: known.explain(&self.name)?,
        };
        common.output().answer(&shown)?;
        Ok(Exit::Good)
    }
}

struct Shown<'k> {
    name: &'k str,
    policy: &'k Policy,
    route: Route,
    values: Explanation,
}

/// Machines get the policy itself.
impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.policy.serialize(serializer)
    }
}

impl Answer for Shown<'_> {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        let id = value::scalar(&self.values.policy);
        if self.name != self.values.policy {
            writeln!(page, "{DIM}# {} leads to {id}: {}{DIM:#}", self.name, self.route)?;
        }
        writeln!(page, "{HEADING}{id}:{HEADING:#}")?;
        let mut open = Vec::new();
        for explained in &self.values.values {
            if let Some(value) = value::shown(&explained.field, &explained.value) {
                field(page, &mut open, &explained.field, &value)?;
            }
        }
        Ok(())
    }
}

/// A field under the parts that it is in. `open` are those of the line above.
fn field<'f>(
    page: &mut dyn Write,
    open: &mut Vec<&'f str>,
    path: &'f str,
    value: &str,
) -> io::Result<()> {
    let mut parts: Vec<&str> = path.split('.').collect();
    let name = parts.pop().unwrap_or_default();
    let shared = parts.iter().zip(open.iter()).take_while(|(part, open)| part == open).count();
    for (depth, part) in parts.iter().enumerate().skip(shared) {
        indented(page, depth, part, "")?;
    }
    indented(page, parts.len(), name, value)?;
    *open = parts;
    Ok(())
}

fn indented(page: &mut dyn Write, depth: usize, name: &str, value: &str) -> io::Result<()> {
    let indent = "  ".repeat(depth + 1);
    let space = if value.is_empty() { "" } else { " " };
    writeln!(page, "{indent}{name}:{space}{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_opened_once_and_closed_by_the_next() {
        let mut page = Vec::new();
        let mut open = Vec::new();
        for path in ["a", "on.x.a", "on.x.b", "on.y.a", "b"] {
            field(&mut page, &mut open, path, "1").unwrap();
        }
        let lines = "  a: 1\n  on:\n    x:\n      a: 1\n      b: 1\n    y:\n      a: 1\n  b: 1\n";
        assert_eq!(String::from_utf8(page).unwrap(), lines);
    }
}
