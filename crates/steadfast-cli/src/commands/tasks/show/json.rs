//! Payloads and results as indented JSON.

use std::io::{self, Write};

use serde_json::Value;

use crate::output::sanitize;

/// Writes the value, indented.
pub(super) fn write(page: &mut dyn Write, value: &Value) -> io::Result<()> {
    let text: String = format!("{value:#}").chars().map(sanitize::letter).collect();
    text.lines().try_for_each(|line| writeln!(page, "  {line}"))
}
