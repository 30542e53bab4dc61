//! A payload or a result, for people.

use std::io::{self, Write};

use serde_json::Value;

use crate::output::sanitize;

/// Writes it with its structure, a little to the right.
pub(super) fn write(page: &mut dyn Write, document: &Value) -> io::Result<()> {
    let text: String = format!("{document:#}").chars().map(sanitize::letter).collect();
    text.lines().try_for_each(|line| writeln!(page, "  {line}"))
}
