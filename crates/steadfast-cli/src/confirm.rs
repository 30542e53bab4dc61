//! Asking before much is changed at once.

use std::io::{self, IsTerminal, Write};

use crate::problem::Problem;

/// Whether whoever runs this wants it. Without a terminal nobody can be asked, so a script has
/// to have said so.
pub(crate) fn wanted(question: &str, said_yes: bool) -> Result<bool, Problem> {
    if said_yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Problem::usage(format!("nobody is there to be asked: {question}"))
            .with_next("say --yes, or see what would happen with --dry-run".to_owned()));
    }
    // Who has closed stderr is not asked, and has not said yes.
    let _ = write!(anstream::stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    Ok(read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
