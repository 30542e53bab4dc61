//! What is said when it ends before the end: what is wrong, how far it is, how to go on.

use std::path::Path;

use steadfast::observe::Redactor;
use steadfast_api::ApiError;

use super::items::{InputError, MAX_TASK_BYTES};
use super::journal::Checkpoint;
use super::reader::ReadError;
use super::send::StopError;
use crate::error::CliError;
use crate::input;
use crate::output::counted;

impl StopError {
    /// The same for people. Only what is written down can be gone on with.
    pub(super) fn problem(self, file: &Path, kept: Checkpoint, is_written_down: bool) -> CliError {
        let (problem, first) = match self {
            Self::Own(problem) => return problem,
            Self::Reading(ReadError::Bad(line, error)) => {
                (bad(file, line, *error), "mend the line")
            }
            Self::Reading(ReadError::Unreadable(why)) => (unreadable(file, &why), "mend the file"),
            Self::Store(error) => (CliError::from(error), "see that the store answers"),
            Self::Interrupted => (CliError::failed("it was interrupted"), ""),
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
        problem.and_help(&next)
    }
}

/// A task that no store would take.
pub(super) fn bad(file: &Path, line: u64, error: ApiError) -> CliError {
    let field = error.field.map_or_else(String::new, |field| format!("{field}: "));
    let name = input::name_of(file);
    CliError::usage(format!("{name}, line {line}: {field}{}", error.detail)).with_help(error.next)
}

/// An input that cannot be read on.
pub(super) fn unreadable(file: &Path, why: &InputError) -> CliError {
    let name = input::name_of(file);
    match why {
        InputError::Io(why) => CliError::failed(format!("{name} cannot be read on: {why}")),
        InputError::TooLong(line) => CliError::usage(format!(
            "{name}, line {line}: this is longer than {MAX_TASK_BYTES} bytes, and no task is"
        )),
        InputError::NotClosed(line) => CliError::usage(format!(
            "{name}, line {line}: the array has no end; a `]` is missing, or a quote"
        )),
        InputError::More(line) => {
            CliError::usage(format!("{name}, line {line}: there is something behind the array"))
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
