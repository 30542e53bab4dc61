//! What clap has to say, in the manner of everything else that is said here.
//!
//! Clap knows best what is wrong with a flag and which one was meant; only its way of showing
//! that differs from [`Problem`]'s. Help and version come to us in the same way: to clap they
//! are reasons to stop parsing.

use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

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
    let mut next: Vec<String> = paragraphs.map(without_tips).collect();
    if lacks_dashes(refusal) {
        next.insert(0, "put -- before the command that is to be run".to_owned());
    }
    Problem::usage(what).with_next((!next.is_empty()).then(|| next.join("\n")))
}

/// Whether a word stands where a command would, had it been set apart from the flags.
fn lacks_dashes(refusal: &clap::Error) -> bool {
    let (Some(ContextValue::String(word)), Some(ContextValue::StyledStr(usage))) =
        (refusal.get(ContextKind::InvalidArg), refusal.get(ContextKind::Usage))
    else {
        return false;
    };
    let takes_command = usage.to_string().contains(" -- <");
    refusal.kind() == ErrorKind::UnknownArgument && takes_command && !word.starts_with('-')
}

/// The help has a mark of its own. That a flag can also be a value helps nobody who has mistyped
/// it.
fn without_tips(paragraph: &str) -> String {
    let useful = |line: &&str| !line.trim_start().starts_with("tip: to pass ");
    let bare = |line| str::strip_prefix(str::trim_start(line), "tip: ").unwrap_or(line);
    paragraph.trim().lines().filter(useful).map(bare).collect::<Vec<_>>().join("\n")
}
