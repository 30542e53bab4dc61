//! `steadfast policy schema`: the policy file for editors (F5).

use clap::Args;

use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::output;

const EXAMPLES: &[Example] =
    &[("steadfast policy schema", "to a file with > steadfast.schema.json")];

const EDITORS: Section = (
    "Editors",
    &[
        ("YAML", "begin steadfast.yaml with the line"),
        ("", "# yaml-language-server: $schema=./steadfast.schema.json"),
        ("JSON", "map steadfast.json to it in the editor's settings (json.schemas)"),
        ("TOML", "begin steadfast.toml with the line"),
        ("", "#:schema ./steadfast.schema.json"),
    ],
);

/// Print the JSON Schema of a policy file, for editors.
///
/// With it an editor completes the fields of a policy, shows what they are for and marks what
/// cannot be there. It is made of the list of fields that the reader itself goes by.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[EDITORS]))]
pub(crate) struct Schema {}

impl Schema {
    /// The same for people and machines.
    pub(crate) fn run(&self) -> Result<Exit, CliError> {
        output::print(|page| {
            serde_json::to_writer_pretty(&mut *page, &steadfast::file::schema())?;
            writeln!(page)
        })?;
        Ok(Exit::Success)
    }
}
