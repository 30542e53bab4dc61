//! What is told of a command: its result, or the facts of its failure.

use std::io;

use serde::Serialize;
use steadfast::extract::ExitError;
use steadfast::{Failure, Fault, Kind, duration};
use steadfast_store::MAX_PAYLOAD;

use super::super::secrets::Secrets;
use super::super::{HandlerFault, text};
use super::output::Tail;
use super::run::{Ended, How};

/// How much of what a program said goes into a fault, in characters.
const IN_A_FAULT: usize = 500;
/// How much JSON one output may become, so that both fit into a task's result.
const IN_A_RESULT: usize = MAX_PAYLOAD / 2 - 1024;

/// What came of a command that succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CommandAnswer {
    /// Always 0.
    pub exit_code: i32,
    /// What it wrote, the end of it if it was long.
    pub stdout: String,
    /// What it wrote about itself, the end of it if it was long.
    pub stderr: String,
    /// Whether something is missing from the two.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl CommandAnswer {
    fn of(stdout: Tail, stderr: Tail) -> Self {
        let (stdout, all_out) = kept(stdout);
        let (stderr, all_err) = kept(stderr);
        Self { exit_code: 0, stdout, stderr, truncated: !(all_out && all_err) }
    }
}

fn kept(output: Tail) -> (String, bool) {
    let (bytes, whole) = output.into_parts();
    let (text, fits) = text::of_bytes(&bytes, IN_A_RESULT);
    (text, whole && fits)
}

impl Ended {
    pub(super) fn answer(
        self,
        program: &str,
        secrets: &Secrets,
    ) -> Result<CommandAnswer, HandlerFault> {
        let Some((fault, what)) = self.how.failure() else {
            return Ok(CommandAnswer::of(self.stdout, self.stderr));
        };
        let (stderr, _) = self.stderr.into_parts();
        // Hidden before it is cut: half a secret would not be found.
        let said = last_words(&secrets.hidden(&String::from_utf8_lossy(&stderr)), IN_A_FAULT);
        let colon = if said.is_empty() { "" } else { ": " };
        Err(HandlerFault::new(fault, format!("`{program}` {what}{colon}{said}")))
    }
}

/// The end of a text, at most so many characters.
fn last_words(text: &str, most: usize) -> String {
    let line = text::one_line(text);
    let excess = line.chars().count().saturating_sub(most);
    match line.char_indices().nth(excess) {
        Some((start, _)) if excess > 0 => format!("…{}", line.get(start..).unwrap_or_default()),
        _ => line,
    }
}

impl How {
    /// The facts and their words, unless it succeeded.
    fn failure(&self) -> Option<(Fault, String)> {
        let (fault, what) = match self {
            Self::ByItself(Ok(status)) => {
                let error = ExitError::check(*status).err()?;
                (error.fault(), format!("ended with {status}"))
            }
            Self::ByItself(Err(error)) => {
                (error.fault().with_unknown_outcome(), format!("was lost: {error}"))
            }
            Self::TooSlow(limit) => (
                Fault::of(Kind::Timeout).with_unknown_outcome(),
                format!("took longer than {} and was ended", duration::format(*limit)),
            ),
            Self::Unwanted => {
                (Fault::of(Kind::Cancelled).with_unknown_outcome(), "was cancelled".to_owned())
            }
        };
        Some((fault, what))
    }
}

/// The facts of a program that could not be started.
pub(super) fn unstarted(program: &str, error: &io::Error) -> HandlerFault {
    let (kind, what) = match error.kind() {
        io::ErrorKind::NotFound if program.contains('/') => (
            Kind::NotFound,
            "is not there, or the interpreter in its first line is not; check both on the \
             worker's machine",
        ),
        io::ErrorKind::NotFound => (
            Kind::NotFound,
            "is not on the worker's PATH; install it, or allow it by its full path",
        ),
        io::ErrorKind::PermissionDenied => (
            Kind::PermissionDenied,
            "cannot be executed by the worker's user; give it the right to, with chmod +x say",
        ),
        io::ErrorKind::InvalidInput | io::ErrorKind::ArgumentListTooLong => {
            (Kind::Argument, "cannot be started with these arguments; give it less, or by `stdin`")
        }
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            (Kind::PermissionDenied, "is nothing that the worker's machine can execute")
        }
        // Too many processes, too many files: the machine's trouble, and it passes.
        _ => (Kind::Busy, "cannot be started just now"),
    };
    HandlerFault::new(Fault::of(kind), format!("`{program}` {what} ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_whole_characters() {
        assert_eq!(last_words("ää\nöö", 2), "…öö");
        assert_eq!(last_words("öö\n", 2), "öö");
        assert_eq!(last_words("", 2), "");
    }
}
