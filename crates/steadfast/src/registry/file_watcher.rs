//! A watcher that reports changes of files (F4).
//!
//! It watches the directories of the files: editors replace a file by renaming, and Kubernetes
//! replaces a link. A burst of events is one change, and a file is not read while its writer has it
//! open. Events can be lost, above all on network file systems, so the metadata is also polled twice
//! a second.
//!
//! ```text
//!   idle ── event ─────────▶ settling ── quiet ─▶ on_change ─▶ idle
//!    │                        ▲   │ event
//!    └── metadata changed ────┘ ◀─┘
//! ```

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// How often the metadata is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The quiet period after a file was closed or replaced.
const QUIET_AFTER_CLOSE: Duration = Duration::from_millis(20);

/// The quiet period after an event whose writer may still have the file open.
const QUIET_WHILE_OPEN: Duration = Duration::from_millis(300);

/// The longest time that further events postpone a change.
const MAX_SETTLING_TIME: Duration = Duration::from_secs(1);

enum Message {
    Event(Event),
    Stop,
}

/// What a watcher does after it has reported a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterChange {
    /// Waits for the next change.
    Continue,
    /// Reports again after this time, even if no file has changed: the files could not be used.
    RetryIn(Duration),
    /// Stops.
    Stop,
}

/// Watches files until it is dropped.
///
/// ```
/// use std::sync::mpsc::channel;
/// use std::time::Duration;
/// use steadfast::registry::{AfterChange, FileWatcher};
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("tokens");
/// std::fs::write(&path, "old")?;
/// let (sender, changes) = channel();
/// let watcher = FileWatcher::new(vec![path.clone()]);
/// watcher.start("watch-tokens", move || {
///     let _ = sender.send(());
///     AfterChange::Continue
/// })?;
/// std::fs::write(&path, "new")?;
/// changes.recv_timeout(Duration::from_secs(10))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileWatcher {
    sender: Sender<Message>,
    is_running: AtomicBool,
    /// Taken by the thread.
    watch: Mutex<Option<Watch>>,
}

/// The state of the watching thread.
#[derive(Debug)]
struct Watch {
    paths: Vec<PathBuf>,
    receiver: Receiver<Message>,
    directories: Directories,
    states: Vec<FileState>,
}

impl FileWatcher {
    /// Starts to collect changes of these files, for the thread to report.
    #[must_use]
    pub fn new(paths: Vec<PathBuf>) -> Self {
        let (sender, receiver) = channel();
        let directories = Directories::new(&paths, sender.clone());
        let states = FileState::of_all(&paths);
        let watch = Watch { paths, receiver, directories, states };
        Self { sender, is_running: AtomicBool::new(false), watch: Mutex::new(Some(watch)) }
    }

    /// Starts the thread that calls `on_change` after each change. A second call does nothing.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(
        &self,
        thread_name: &str,
        on_change: impl FnMut() -> AfterChange + Send + 'static,
    ) -> io::Result<()> {
        let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(watch) = watch {
            let thread = thread::Builder::new().name(thread_name.to_owned());
            thread.spawn(move || watch.run(on_change))?;
            self.is_running.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Whether the thread was started.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Relaxed)
    }

    /// Stops the thread, and drops `on_change` with it. Dropping the watcher does the same.
    pub fn stop(&self) {
        let _ = self.sender.send(Message::Stop);
    }
}

impl Drop for FileWatcher {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Watch {
    fn run(mut self, mut on_change: impl FnMut() -> AfterChange) {
        let mut retry_at = None;
        while self.wait(retry_at) {
            self.states = FileState::of_all(&self.paths);
            // A link may lead to another directory now.
            self.directories.follow(&self.paths);
            // One that panics does not stop the watcher.
            let after = catch_unwind(AssertUnwindSafe(&mut on_change));
            retry_at = match after.unwrap_or(AfterChange::Continue) {
                AfterChange::Continue => None,
                AfterChange::RetryIn(delay) => Instant::now().checked_add(delay),
                AfterChange::Stop => return,
            };
        }
    }

    /// Waits for a change, or for the time of a retry. Returns `false` to stop.
    fn wait(&mut self, retry_at: Option<Instant>) -> bool {
        // The start of a burst of events, and how long it must be quiet before it is over.
        let mut burst: Option<(Instant, Duration)> = None;
        loop {
            let timeout = burst.map_or(POLL_INTERVAL, |(since, quiet)| {
                quiet.min(MAX_SETTLING_TIME.saturating_sub(since.elapsed()))
            });
            let quiet = match self.receiver.recv_timeout(timeout) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
                Ok(Message::Event(event)) if is_read(&event) => continue,
                Ok(Message::Event(event)) if is_complete(&event) => QUIET_AFTER_CLOSE,
                Ok(Message::Event(_)) => QUIET_WHILE_OPEN,
                Err(RecvTimeoutError::Timeout) if burst.is_some() => return true,
                Err(RecvTimeoutError::Timeout) => {
                    let states = FileState::of_all(&self.paths);
                    if std::mem::replace(&mut self.states, states) != self.states {
                        QUIET_WHILE_OPEN
                    } else if retry_at.is_some_and(|at| at <= Instant::now()) {
                        return true;
                    } else {
                        continue;
                    }
                }
            };
            burst = Some((burst.map_or_else(Instant::now, |(since, _)| since), quiet));
        }
    }
}

/// Whether the event is only a read, such as the caller's own.
fn is_read(event: &Event) -> bool {
    matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write))
}

/// Whether a writer has closed the file, or another file has replaced it.
fn is_complete(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Modify(ModifyKind::Name(_))
            | EventKind::Remove(_)
    )
}

/// The metadata by which a change is detected.
#[derive(Debug, PartialEq)]
struct FileState {
    modified: Option<SystemTime>,
    bytes: Option<u64>,
    /// The target of a link.
    target: Option<PathBuf>,
}

impl FileState {
    fn of_all(paths: &[PathBuf]) -> Vec<Self> {
        paths.iter().map(|path| Self::of(path)).collect()
    }

    fn of(path: &Path) -> Self {
        let metadata = std::fs::metadata(path).ok();
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        let target = std::fs::canonicalize(path).ok();
        Self { modified, bytes: metadata.map(|metadata| metadata.len()), target }
    }
}

/// The directories in which a file, a link to it or the link's target can be replaced. Polling
/// notices a change of a link in between.
#[derive(Debug)]
struct Directories {
    /// `None` if the system has no events: then polling must do.
    watcher: Option<RecommendedWatcher>,
    watched: Vec<PathBuf>,
}

impl Directories {
    fn new(paths: &[PathBuf], sender: Sender<Message>) -> Self {
        let send = move |event: notify::Result<Event>| {
            if let Ok(event) = event {
                let _ = sender.send(Message::Event(event));
            }
        };
        let mut directories =
            Self { watcher: notify::recommended_watcher(send).ok(), watched: Vec::new() };
        directories.follow(paths);
        directories
    }

    /// Watches the directories on the current paths to the files.
    fn follow(&mut self, paths: &[PathBuf]) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let targets = paths.iter().filter_map(|path| std::fs::canonicalize(path).ok());
        let mut directories: Vec<PathBuf> = (paths.iter().cloned().chain(targets))
            .filter_map(|path| path.parent().map(Path::to_owned))
            .collect();
        directories.sort();
        directories.dedup();
        for old in self.watched.iter().filter(|directory| !directories.contains(directory)) {
            let _ = watcher.unwatch(old);
        }
        // A directory that was removed and created again must be watched again.
        self.watched = directories
            .into_iter()
            .filter(|directory| watcher.watch(directory, RecursiveMode::NonRecursive).is_ok())
            .collect();
    }
}
