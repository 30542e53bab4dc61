//! The outcome of a command: its output, or its error.
//!
//! A program may write more than fits into memory, and must not block on a full pipe. So everything is
//! read, and only the end of each stream is stored, where a program usually reports its result.

use std::collections::VecDeque;
use std::io;

use serde::Serialize;
use steadfast::extract::ExitError;
use steadfast::{Failure, Fault, Kind, duration};
use steadfast_store::MAX_PAYLOAD;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::super::secrets::Secrets;
use super::super::{HandlerError, text};
use super::run::{EndedProgram, ProgramEnd};

/// How much of a program's stderr goes into an error message.
const MAX_EXCERPT_CHARS: usize = 500;
/// The JSON size of one output at which both fit into a task's result.
const MAX_OUTPUT_JSON_BYTES: usize = MAX_PAYLOAD / 2 - 1024;

const READ_BUFFER_BYTES: usize = 16 * 1024;

/// The end of a stream.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
    dropped: bool,
}

impl Tail {
    pub(super) fn with_limit(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit, dropped: false }
    }

    /// Reads a stream to its end.
    pub(super) async fn read(&mut self, stream: Option<impl AsyncRead + Unpin>) -> io::Result<()> {
        let Some(mut stream) = stream else {
            return Ok(());
        };
        let mut chunk = vec![0; READ_BUFFER_BYTES];
        loop {
            let length = stream.read(&mut chunk).await?;
            if length == 0 {
                return Ok(());
            }
            self.push(chunk.get(..length).unwrap_or_default());
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend(chunk);
        let excess = self.bytes.len().saturating_sub(self.limit);
        self.dropped |= excess > 0;
        self.bytes.drain(..excess);
    }

    /// The stored bytes, and whether they are all.
    pub(super) fn into_parts(self) -> (Vec<u8>, bool) {
        (self.bytes.into(), !self.dropped)
    }
}

/// The output of a command that succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CommandOutput {
    /// Always 0.
    pub exit_code: i32,
    /// The end of its standard output.
    pub stdout: String,
    /// The end of its standard error.
    pub stderr: String,
    /// Whether one of the two is cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl CommandOutput {
    fn of(stdout: Tail, stderr: Tail) -> Self {
        let (stdout, stdout_whole) = tail_text(stdout);
        let (stderr, stderr_whole) = tail_text(stderr);
        Self { exit_code: 0, stdout, stderr, truncated: !(stdout_whole && stderr_whole) }
    }
}

fn tail_text(output: Tail) -> (String, bool) {
    let (bytes, whole) = output.into_parts();
    let (text, fits) = text::of_bytes(&bytes, MAX_OUTPUT_JSON_BYTES);
    (text, whole && fits)
}

impl EndedProgram {
    pub(super) fn into_output(
        self,
        program: &str,
        secrets: &Secrets,
    ) -> Result<CommandOutput, HandlerError> {
        let Some((fault, what)) = self.end.failure() else {
            return Ok(CommandOutput::of(self.stdout, self.stderr));
        };
        let (stderr, _) = self.stderr.into_parts();
        // Redacted before it is cut: half a secret would not be found.
        let excerpt =
            end_of_text(&secrets.redact(&String::from_utf8_lossy(&stderr)), MAX_EXCERPT_CHARS);
        let colon = if excerpt.is_empty() { "" } else { ": " };
        Err(HandlerError::new(fault, format!("`{program}` {what}{colon}{excerpt}")))
    }
}

/// The last `max` characters of a text, in one line.
fn end_of_text(text: &str, max: usize) -> String {
    let line = text::one_line(text);
    let excess = line.chars().count().saturating_sub(max);
    match line.char_indices().nth(excess) {
        Some((start, _)) if excess > 0 => format!("…{}", line.get(start..).unwrap_or_default()),
        _ => line,
    }
}

impl ProgramEnd {
    /// The fault and its description, unless the program succeeded.
    fn failure(&self) -> Option<(Fault, String)> {
        let (fault, what) = match self {
            Self::Exited(Ok(status)) => {
                let error = ExitError::check(*status).err()?;
                (error.fault(), format!("failed with {status}"))
            }
            Self::Exited(Err(error)) => {
                (error.fault().with_unknown_outcome(), format!("cannot be awaited: {error}"))
            }
            Self::TimedOut(limit) => (
                Fault::of(Kind::Timeout).with_unknown_outcome(),
                format!("timed out after {} and was terminated", duration::format(*limit)),
            ),
            Self::Cancelled => {
                (Fault::of(Kind::Cancelled).with_unknown_outcome(), "was cancelled".to_owned())
            }
        };
        Some((fault, what))
    }
}

pub(super) fn spawn_error(program: &str, error: &io::Error) -> HandlerError {
    let (kind, what) = match error.kind() {
        io::ErrorKind::NotFound if program.contains('/') => (
            Kind::NotFound,
            "or its interpreter was not found; check its path and its first line on the worker's \
             machine",
        ),
        io::ErrorKind::NotFound => (
            Kind::NotFound,
            "was not found on the worker's PATH; install it, or allow it by its full path",
        ),
        io::ErrorKind::PermissionDenied => (
            Kind::PermissionDenied,
            "is not executable by the worker's user; make it executable, for example with chmod +x",
        ),
        io::ErrorKind::InvalidInput | io::ErrorKind::ArgumentListTooLong => {
            (Kind::Argument, "cannot be started with these arguments; pass long input in `stdin`")
        }
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            (Kind::PermissionDenied, "is not an executable file")
        }
        // Too many processes or open files: a retry may succeed.
        _ => (Kind::Busy, "cannot be started now"),
    };
    HandlerError::new(Fault::of(kind), format!("`{program}` {what} ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_is_cut_between_characters() {
        assert_eq!(end_of_text("ää\nöö", 2), "…öö");
        assert_eq!(end_of_text("öö\n", 2), "öö");
        assert_eq!(end_of_text("", 2), "");
    }

    /// D19: the end of a stream is stored, whatever the chunks it comes in.
    #[test]
    fn stream_beyond_the_limit_is_cut_at_the_front() {
        let mut tail = Tail::with_limit(4);
        tail.push(b"ab");
        tail.push(b"cd");
        assert!(!tail.dropped);
        tail.push(b"e");
        assert_eq!(tail.into_parts(), (b"bcde".to_vec(), false));

        let mut tail = Tail::with_limit(4);
        tail.push(b"abcdefgh");
        assert_eq!(tail.into_parts(), (b"efgh".to_vec(), false));
    }
}
