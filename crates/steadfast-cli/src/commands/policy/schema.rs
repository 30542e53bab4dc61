//! `steadfast policy schema`: the JSON Schema of policy files (F5).

use crate::commands::prelude::*;

const EXAMPLES: &[Example] =
    &[("steadfast policy schema", "redirect it to steadfast.schema.json to save it")];

const EDITORS: Section = (
    "Editors",
    &[
        ("YAML", "put this first in steadfast.yaml:"),
        ("", "# yaml-language-server: $schema=./steadfast.schema.json"),
        ("JSON", "map steadfast.json to it in the editor settings (json.schemas)"),
        ("TOML", "put this first in steadfast.toml:"),
        ("", "#:schema ./steadfast.schema.json"),
    ],
);

/// Print the JSON Schema of policy files.
///
/// Editors use it to complete fields, show their documentation and mark errors. It is generated
/// from the same field list as the parser.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[EDITORS]))]
pub(crate) struct Schema {}

impl Schema {
    /// Prints the schema; `--json` has no effect.
    pub(crate) fn run(&self, _: &Common) -> Result<Exit, CliError> {
        output::print(|page| {
            serde_json::to_writer_pretty(&mut *page, &steadfast::file::schema())?;
            writeln!(page)
        })?;
        Ok(Exit::Success)
    }
}
