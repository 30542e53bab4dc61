//! Conversion of clap's errors to [`CliError`].
//!
//! Clap words usage errors well, but formats them differently from [`CliError`]. Help and version
//! output also arrive as clap errors.

use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output;

/// Prints help or version, or converts the error.
pub(crate) fn print_or_convert(error: &clap::Error) -> Result<Exit, CliError> {
    let text = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output::print(|page| write!(page, "{}", text.ansi()))?;
            Ok(Exit::Success)
        }
        // A bare command prints help and fails, because nothing was done.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = write!(anstream::stderr(), "{}", text.ansi());
            Ok(Exit::Usage)
        }
        _ => Err(to_cli_error(error)),
    }
}

/// Clap's first paragraph is the error; the others are help.
fn to_cli_error(error: &clap::Error) -> CliError {
    let text = error.to_string();
    let mut paragraphs = text.trim().split("\n\n");
    let what = paragraphs.next().unwrap_or_default();
    let what = what.strip_prefix("error: ").unwrap_or(what);
    let mut next: Vec<String> = paragraphs.map(without_tips).collect();
    if lacks_dashes(error) {
        next.insert(0, "put -- before the command to run".to_owned());
    }
    CliError::usage(what).maybe_help((!next.is_empty()).then(|| next.join("\n")))
}

/// Whether an argument looks like a command without the `--` before it.
fn lacks_dashes(error: &clap::Error) -> bool {
    let (Some(ContextValue::String(word)), Some(ContextValue::StyledStr(usage))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::Usage))
    else {
        return false;
    };
    let takes_command = usage.to_string().contains(" -- <");
    error.kind() == ErrorKind::UnknownArgument && takes_command && !word.starts_with('-')
}

/// Removes clap's "tip:" prefix, and tips about passing a mistyped flag as a value.
fn without_tips(paragraph: &str) -> String {
    let useful = |line: &&str| !line.trim_start().starts_with("tip: to pass ");
    let bare = |line| str::strip_prefix(str::trim_start(line), "tip: ").unwrap_or(line);
    paragraph.trim().lines().filter(useful).map(bare).collect::<Vec<_>>().join("\n")
}
