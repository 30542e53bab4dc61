//! What clap has to say, in the manner of everything else that is said here.
//!
//! Clap knows best what is wrong with a flag and which one was meant; only its way of showing
//! that differs from [`Problem`]'s. Help and version come to us in the same way: to clap they
//! are reasons to stop parsing.

use std::io::Write;

use clap::error::ErrorKind;

use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Prints what was asked for, or says what is wrong.
pub(crate) fn answer(stopped: &clap::Error) -> Result<Exit, Problem> {
    let text = stopped.render();
    match stopped.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output::print(|page| write!(page, "{}", text.ansi()))?;
            Ok(Exit::Good)
        }
        // Nothing was asked, so nothing is wrong with it; but nothing was done, either.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = write!(anstream::stderr(), "{}", text.ansi());
            Ok(Exit::Usage)
        }
        _ => Err(problem(stopped)),
    }
}

/// Clap's first paragraph is what is wrong; the others say what next.
fn problem(refusal: &clap::Error) -> Problem {
    let text = refusal.to_string();
    let mut paragraphs = text.trim().split("\n\n");
    let what = paragraphs.next().unwrap_or_default();
    let what = what.strip_prefix("error: ").unwrap_or(what);
    let next: Vec<&str> = paragraphs.map(without_tip).collect();
    Problem::usage(what).with_next((!next.is_empty()).then(|| next.join("\n")))
}

/// The help has a mark of its own.
fn without_tip(paragraph: &str) -> &str {
    let paragraph = paragraph.trim();
    paragraph.strip_prefix("tip: ").unwrap_or(paragraph)
}
