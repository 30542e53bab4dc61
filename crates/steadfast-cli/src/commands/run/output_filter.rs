//! The command's output, looked at on its way.
//!
//! Only a command whose output is asked about is read at all; every other writes where this
//! program would. What is read is written at once and not kept, so that ten gigabytes of it take
//! no more room than ten bytes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::pattern::{Patterns, Search};

/// As much as a pipe holds.
const CHUNK_BYTES: usize = 64 << 10;
/// How long nothing may come after the command itself is over: somebody whom it started may still
/// have the other end.
const MAX_IDLE_AFTER_EXIT: Duration = Duration::from_secs(1);

/// What passes through.
pub(super) struct OutputFilter(Vec<Stream>);

/// One stream, on a thread of its own.
struct Stream {
    thread: JoinHandle<()>,
    state: Arc<StreamState>,
}

/// What the thread tells on its way.
#[derive(Default)]
struct StreamState {
    chunks: AtomicU64,
    /// Whether a chunk is on its way to somebody slow.
    writing: AtomicBool,
    matched: OnceLock<usize>,
}

impl OutputFilter {
    pub(super) fn of(child: &mut Child, patterns: Option<&Patterns>) -> Self {
        let Some(patterns) = patterns else {
            return Self(Vec::new());
        };
        let out = child.stdout.take().map(|from| Stream::new(from, io::stdout().as_fd(), patterns));
        let err = child.stderr.take().map(|from| Stream::new(from, io::stderr().as_fd(), patterns));
        Self(out.into_iter().chain(err).collect())
    }

    /// Waits until everything has passed, and answers with a pattern that was state.
    pub(super) async fn matched(self) -> Option<usize> {
        let mut matched = None;
        for stream in self.0 {
            let state = stream.matched().await;
            matched = matched.or(state);
        }
        matched
    }
}

impl Stream {
    fn new(from: impl Read + Send + 'static, to: BorrowedFd<'_>, patterns: &Patterns) -> Self {
        let state = Arc::<StreamState>::default();
        let (shared, to) = (state.clone(), to.try_clone_to_owned().map(File::from));
        let search = Search::new(patterns.clone());
        let pass = move || to.map_or((), |to| pass(from, to, search, &shared));
        Self { thread: tokio::task::spawn_blocking(pass), state }
    }

    async fn matched(mut self) -> Option<usize> {
        let mut chunks = self.state.chunks.load(Ordering::Relaxed);
        while timeout(MAX_IDLE_AFTER_EXIT, &mut self.thread).await.is_err() {
            let so_far = self.state.chunks.load(Ordering::Relaxed);
            if so_far == chunks && !self.state.writing.load(Ordering::Relaxed) {
                break;
            }
            chunks = so_far;
        }
        self.state.matched.get().copied()
    }
}

/// Copies until the end, or until nobody wants it any more.
fn pass(mut from: impl Read, mut to: impl Write, mut search: Search, state: &StreamState) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let part = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => chunk.get(..length).unwrap_or_default(),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        state.writing.store(true, Ordering::Relaxed);
        let written = to.write_all(part);
        search.search(part).map(|number| state.matched.set(number));
        state.writing.store(false, Ordering::Relaxed);
        state.chunks.fetch_add(1, Ordering::Relaxed);
        if written.is_err() {
            return;
        }
    }
    search.end().map(|number| state.matched.set(number));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(text: &[u8], pattern: &str) -> (Vec<u8>, bool) {
        let patterns = Patterns::of(&[pattern.to_owned()]).unwrap().unwrap();
        let (mut to, state) = (Vec::new(), StreamState::default());
        pass(text, &mut to, Search::new(patterns), &state);
        (to, state.matched.get().is_some())
    }

    #[test]
    fn output_is_passed_on_as_it_is() {
        let text: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(passed(&text, "nothing like it"), (text.clone(), false));
    }

    #[test]
    fn what_is_looked_for_is_found_in_the_first_chunk_and_in_the_last() {
        for before in [0, CHUNK_BYTES - 3, CHUNK_BYTES, 3 * CHUNK_BYTES - 5] {
            let mut text = vec![b'.'; before];
            text.extend_from_slice(b"timed out");
            text.extend_from_slice(&[b'.'; 100]);
            assert!(passed(&text, "timed.out").1, "after {before} bytes");
        }
    }
}
