//! Errors of an incomplete submission: the cause, the progress and how to continue.

use std::path::Path;

use steadfast::observe::Redactor;
use steadfast_api::ApiError;

use super::items::{InputError, MAX_TASK_BYTES};
use super::journal::Checkpoint;
use super::parser::InvalidLine;
use crate::error::CliError;
use crate::input;
use crate::output::counted;

#[derive(Debug)]
pub(super) enum StopError {
    Invalid(Box<InvalidLine>),
    Unreadable(InputError),
    /// The store was unreachable for too long.
    Store(ApiError),
    Interrupted,
    Own(CliError),
}

impl From<CliError> for StopError {
    fn from(problem: CliError) -> Self {
        Self::Own(problem)
    }
}

impl StopError {
    /// Converts to an error. `can_resume`: whether a journal was written.
    pub(super) fn into_cli_error(
        self,
        file: &Path,
        kept: Checkpoint,
        can_resume: bool,
    ) -> CliError {
        let (problem, first) = match self {
            Self::Own(problem) => return problem,
            Self::Invalid(line) => (invalid(file, *line), "fix the line"),
            Self::Unreadable(why) => (unreadable(file, &why), "fix the file"),
            Self::Store(error) => (CliError::from(error), "make sure the store is reachable"),
            Self::Interrupted => (CliError::failed("interrupted"), ""),
        };
        let submitted = counted((kept.tasks - kept.rejected) as usize, "task", "tasks");
        let so_far = format!("{submitted} submitted, up to line {}", kept.line);
        let so_far = if kept.tasks == 0 { "nothing submitted".to_owned() } else { so_far };
        let next = match (can_resume, first) {
            (true, "") => format!("{so_far}; to continue: {}", command_line()),
            (true, first) => format!("{so_far}; {first}, then continue: {}", command_line()),
            (false, "") => so_far,
            (false, first) => format!("{so_far}; {first}, and submit the rest"),
        };
        problem.and_help(&next)
    }
}

pub(super) fn invalid(file: &Path, InvalidLine { line, error, .. }: InvalidLine) -> CliError {
    let field = error.field.map_or_else(String::new, |field| format!("{field}: "));
    let name = input::name_of(file);
    CliError::usage(format!("{name}, line {line}: {field}{}", error.detail)).maybe_help(error.next)
}

pub(super) fn unreadable(file: &Path, why: &InputError) -> CliError {
    let name = input::name_of(file);
    match why {
        InputError::Io(why) => CliError::failed(format!("cannot read {name}: {why}")),
        InputError::TooLong(line) => CliError::usage(format!(
            "{name}, line {line}: task larger than the limit of {MAX_TASK_BYTES} bytes"
        )),
        InputError::NotClosed(line) => CliError::usage(format!(
            "{name}, line {line}: the array is not closed: missing `]` or quote"
        )),
        InputError::More(line) => {
            CliError::usage(format!("{name}, line {line}: unexpected data after the array"))
        }
    }
}

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
