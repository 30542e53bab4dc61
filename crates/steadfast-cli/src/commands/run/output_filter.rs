//! Pattern search in the command's output.
//!
//! Output is only read if there are patterns. It is copied through in chunks and not stored.

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

/// The capacity of a pipe.
const CHUNK_BYTES: usize = 64 << 10;
/// How long to wait for output after the command has exited: its children may still hold the pipe.
const MAX_IDLE_AFTER_EXIT: Duration = Duration::from_secs(1);

pub(super) struct OutputFilter(Vec<Stream>);

/// One stream, copied on its own thread.
struct Stream {
    thread: JoinHandle<()>,
    state: Arc<StreamState>,
}

#[derive(Default)]
struct StreamState {
    chunks: AtomicU64,
    /// Whether a chunk is being written to a slow reader.
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

    /// Waits until all output is copied, and returns the pattern found.
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

/// Copies until the end, or until the reader is gone.
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
    fn output_is_copied_unchanged() {
        let text: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(passed(&text, "nothing like it"), (text.clone(), false));
    }

    #[test]
    fn pattern_is_found_across_chunks() {
        for before in [0, CHUNK_BYTES - 3, CHUNK_BYTES, 3 * CHUNK_BYTES - 5] {
            let mut text = vec![b'.'; before];
            text.extend_from_slice(b"timed out");
            text.extend_from_slice(&[b'.'; 100]);
            assert!(passed(&text, "timed.out").1, "after {before} bytes");
        }
    }
}
