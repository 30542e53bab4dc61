//! Confirmation prompts before bulk changes.

use std::io::{self, IsTerminal, Write};

use crate::error::CliError;

/// Asks the user to confirm an action. Without a terminal the answer must come from `--yes`.
pub(crate) fn ask(action: &str, yes: bool) -> Result<bool, CliError> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(CliError::usage("cannot ask for confirmation: stdin is not a terminal")
            .with_help(format!("pass --yes to {action}, or preview the change with --dry-run")));
    }
    // A closed stderr shows no question and gets no confirmation.
    let _ = write!(anstream::stderr(), "{action}? [y/N] ");
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    Ok(read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
