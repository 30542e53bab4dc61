//! What is said when it ends before the end: what is wrong, how far it is, how to go on.

use std::path::Path;

use steadfast::observe::Redactor;
use steadfast_api::ApiError;

use super::items::{LONGEST, Unreadable};
use super::journal::Kept;
use super::reader::Ended;
use super::send::Stopped;
use crate::input;
use crate::output::counted;
use crate::problem::Problem;

impl Stopped {
    /// The same for people. Only what is written down can be gone on with.
    pub(super) fn problem(self, file: &Path, kept: Kept, is_written_down: bool) -> Problem {
        let (problem, first) = match self {
            Self::Own(problem) => return problem,
            Self::Reading(Ended::Bad(line, error)) => (bad(file, line, *error), "mend the line"),
            Self::Reading(Ended::Unreadable(why)) => (unreadable(file, &why), "mend the file"),
            Self::Store(error) => (Problem::from(error), "see that the store answers"),
            Self::Interrupted => (Problem::failed("it was interrupted"), ""),
        };
        let submitted = counted((kept.tasks - kept.rejected) as usize, "task is", "tasks are");
        let so_far = format!("{submitted} submitted, up to line {}", kept.line);
        let so_far = if kept.tasks == 0 { "nothing is submitted".to_owned() } else { so_far };
        let next = match (is_written_down, first) {
            (true, "") => format!("{so_far}; to go on: {}", command_line()),
            (true, first) => format!("{so_far}; {first}, then go on: {}", command_line()),
            (false, "") => so_far,
            (false, first) => format!("{so_far}; {first}, and submit what is behind it"),
        };
        problem.and_next(&next)
    }
}

/// A task that no store would take.
pub(super) fn bad(file: &Path, line: u64, error: ApiError) -> Problem {
    let field = error.field.map_or_else(String::new, |field| format!("{field}: "));
    let name = input::name_of(file);
    Problem::usage(format!("{name}, line {line}: {field}{}", error.detail)).with_next(error.next)
}

/// An input that cannot be read on.
pub(super) fn unreadable(file: &Path, why: &Unreadable) -> Problem {
    let name = input::name_of(file);
    match why {
        Unreadable::Io(why) => Problem::failed(format!("{name} cannot be read on: {why}")),
        Unreadable::TooLong(line) => Problem::usage(format!(
            "{name}, line {line}: this is longer than {LONGEST} bytes, and no task is"
        )),
        Unreadable::NotClosed(line) => Problem::usage(format!(
            "{name}, line {line}: the array has no end; a `]` is missing, or a quote"
        )),
        Unreadable::More(line) => {
            Problem::usage(format!("{name}, line {line}: there is something behind the array"))
        }
    }
}

/// What was asked for, to go on with it.
fn command_line() -> String {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    words.retain(|word| word != "--restart");
    if !words.iter().any(|word| word == "--resume") {
        words.push("--resume".to_owned());
    }
    let quoted = words.iter().map(|word| {
        let shown = Redactor::installed().text(word);
        shlex::try_quote(&shown).map(std::borrow::Cow::into_owned).unwrap_or_default()
    });
    std::iter::once("steadfast".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}
