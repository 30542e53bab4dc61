//! A watcher that reports changes of files (F4).
//!
//! It watches the directories of the files: editors replace a file by renaming, and Kubernetes
//! replaces a link. Events of other files, such as a log in the same directory, are not changes. A
//! burst of events is one change, and a file is not read while its writer has it open. Events can be
//! lost, above all on network file systems, so the metadata is also polled twice a second. It cannot
//! replace the events: two writes may have the same timestamp.
//!
//! ```text
//!   idle ── own event ─────▶ settling ── quiet ─▶ on_change ─▶ idle
//!    │                        ▲   │ own event
//!    └── metadata changed ────┘ ◀─┘
//! ```

use std::ffi::OsString;
use std::fs::Metadata;
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

/// The delay before a callback that panicked is called again.
const RETRY_AFTER_PANIC: Duration = Duration::from_secs(5);

enum Message {
    Event(Event),
    Stop,
}

/// What a watcher does after it has reported a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
/// use steadfast::__private::{AfterChange, FileWatcher};
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

    /// Starts the thread that calls `on_change` after each change. A second call does nothing. If
    /// `on_change` panics, it is called again after five seconds.
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
            // One that panics does not stop the watcher, and has not used the change.
            let after = catch_unwind(AssertUnwindSafe(&mut on_change)).unwrap_or_else(|_| {
                log_panic(&self.paths);
                AfterChange::RetryIn(RETRY_AFTER_PANIC)
            });
            retry_at = match after {
                AfterChange::Continue => None,
                AfterChange::RetryIn(delay) => Instant::now().checked_add(delay),
                AfterChange::Stop => return,
            };
        }
    }

    /// Waits for a change, or for the time of a retry. Returns `false` to stop.
    fn wait(&mut self, retry_at: Option<Instant>) -> bool {
        // The start of a burst of events.
        let mut burst: Option<Instant> = None;
        // The end of the burst, or the next poll. Events of other files do not postpone it.
        let mut wake_at = Instant::now() + POLL_INTERVAL;
        loop {
            let timeout = wake_at.saturating_duration_since(Instant::now());
            let quiet = match self.receiver.recv_timeout(timeout) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
                Ok(Message::Event(event)) if self.is_change(&event) => {
                    if is_complete(&event) {
                        QUIET_AFTER_CLOSE
                    } else {
                        QUIET_WHILE_OPEN
                    }
                }
                Ok(Message::Event(_)) if Instant::now() < wake_at => continue,
                _ if burst.is_some() => return true,
                _ => {
                    let states = FileState::of_all(&self.paths);
                    if std::mem::replace(&mut self.states, states) != self.states {
                        QUIET_WHILE_OPEN
                    } else if retry_at.is_some_and(|at| at <= Instant::now()) {
                        return true;
                    } else {
                        wake_at = Instant::now() + POLL_INTERVAL;
                        continue;
                    }
                }
            };
            let now = Instant::now();
            wake_at = (now + quiet).min(*burst.get_or_insert(now) + MAX_SETTLING_TIME);
        }
    }

    /// Whether the event can be a change of a watched file.
    fn is_change(&mut self, event: &Event) -> bool {
        if is_read(event) {
            return false;
        }
        self.directories.concerns(event) || (is_replacement(event) && self.is_redirected())
    }

    /// Whether a path leads to another file now: the event may be that of a link on the way to it.
    fn is_redirected(&mut self) -> bool {
        let mut files = self.paths.iter().zip(&self.states);
        let is_redirected = files.any(|(path, state)| path.canonicalize().ok() != state.target);
        if is_redirected {
            // So that the next event of another file does not find it again.
            self.states = FileState::of_all(&self.paths);
        }
        is_redirected
    }
}

#[cfg(feature = "tracing")]
fn log_panic(paths: &[PathBuf]) {
    tracing::error!(files = ?paths, "reload panicked, it will be retried");
}

#[cfg(not(feature = "tracing"))]
fn log_panic(_: &[PathBuf]) {}

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

/// Whether a directory has another entry now.
fn is_replacement(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)) | EventKind::Remove(_)
    )
}

/// The metadata by which a change is detected.
#[derive(Debug, PartialEq)]
struct FileState {
    modified: Option<SystemTime>,
    bytes: Option<u64>,
    /// Differs if another file of the same size and time, such as a restored one, took its place.
    inode: Option<u64>,
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
        let inode = metadata.as_ref().and_then(inode);
        Self { modified, bytes: metadata.map(|metadata| metadata.len()), inode, target }
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(metadata))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<u64> {
    None
}

/// The directories in which a file, a link to it or the link's target can be replaced. Polling
/// notices a change of a link in between.
#[derive(Debug)]
struct Directories {
    /// `None` if the system has no events: then polling must do.
    watcher: Option<RecommendedWatcher>,
    watched: Vec<PathBuf>,
    /// The names of the files, of the links' targets and of the directories.
    names: Vec<OsString>,
}

impl Directories {
    fn new(paths: &[PathBuf], sender: Sender<Message>) -> Self {
        let send = move |event: notify::Result<Event>| {
            if let Ok(event) = event {
                let _ = sender.send(Message::Event(event));
            }
        };
        let watcher = notify::recommended_watcher(send).ok();
        let mut directories = Self { watcher, watched: Vec::new(), names: Vec::new() };
        directories.follow(paths);
        directories
    }

    /// Watches the directories on the current paths to the files.
    fn follow(&mut self, paths: &[PathBuf]) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let targets = paths.iter().filter_map(|path| std::fs::canonicalize(path).ok());
        let files: Vec<PathBuf> = paths.iter().cloned().chain(targets).collect();
        let mut directories: Vec<PathBuf> =
            files.iter().filter_map(|path| path.parent().map(Path::to_owned)).collect();
        directories.sort();
        directories.dedup();
        let names = files.iter().chain(&directories).filter_map(|path| path.file_name());
        self.names = names.map(ToOwned::to_owned).collect();
        for old in self.watched.iter().filter(|directory| !directories.contains(directory)) {
            let _ = watcher.unwatch(old);
        }
        // A directory that was removed and created again must be watched again.
        self.watched = directories
            .into_iter()
            .filter(|directory| watcher.watch(directory, RecursiveMode::NonRecursive).is_ok())
            .collect();
    }

    /// Whether the event names a file or directory on the paths, or says that events were lost.
    /// Names are compared, because the system may report a path in another form. A file of the same
    /// name in another watched directory only causes a needless reload.
    fn concerns(&self, event: &Event) -> bool {
        let is_ours = |path: &PathBuf| {
            path.file_name().is_some_and(|name| self.names.iter().any(|ours| ours == name))
        };
        event.need_rescan() || event.paths.iter().any(is_ours)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn replacement_of_the_same_size_and_time_is_another_state() {
        let folder = tempfile::tempdir().unwrap();
        let [path, beside] = ["tokens", "new"].map(|name| folder.path().join(name));
        for (path, text) in [(&path, "a"), (&beside, "b")] {
            fs::write(path, text).unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
        let before = FileState::of(&path);
        assert_eq!(FileState::of(&path), before);
        fs::rename(&beside, &path).unwrap();
        assert_ne!(FileState::of(&path), before);
    }
}
