//! Noticing that the file has changed (F4).
//!
//! The folder is watched, not the file: editors put a new file in its place, and
//! Kubernetes turns a link. A burst of events is one change. A file that is being
//! written is left alone until its writer closes it, so that no half of it is read.
//! And because events can be lost, on a network's file system above all, the file is
//! looked at twice a second besides.
//!
//! ```text
//!   idle ── event ─▶ settling ── quiet ─▶ reload ─▶ idle
//!    │                 ▲   │ event
//!    └── looks other ──┘ ◀─┘
//! ```

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Inner, Registry};

/// How often the file is looked at without a reason.
const LOOK: Duration = Duration::from_millis(500);

/// How long there must be no further event after the file was closed or replaced.
const QUIET: Duration = Duration::from_millis(20);

/// The same after an event that does not tell whether its writer has done.
const QUIET_IF_OPEN: Duration = Duration::from_millis(300);

/// However many events there are, a change is not put off for longer.
const LATEST: Duration = Duration::from_secs(1);

enum Message {
    Event(Event),
    Stop,
}

/// The watch over a file. It ends when this is dropped.
pub(super) struct Watch {
    sender: Sender<Message>,
    /// Whether there is a thread that watches.
    is_running: AtomicBool,
    /// Taken by the thread that watches.
    ready: Mutex<Option<Ready>>,
}

struct Ready {
    path: PathBuf,
    receiver: Receiver<Message>,
    folders: Folders,
    look: Look,
}

impl Watch {
    /// Begins to notice. What happens before the thread starts is kept for it.
    pub(super) fn new(path: &Path) -> Self {
        let (sender, receiver) = channel();
        let folders = Folders::watching(path, sender.clone());
        let ready = Ready { path: path.to_owned(), receiver, folders, look: Look::at(path) };
        Self { sender, is_running: AtomicBool::new(false), ready: Mutex::new(Some(ready)) }
    }
}

impl Watch {
    pub(super) fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.sender.send(Message::Stop);
    }
}

impl Registry {
    pub(super) fn start_watching(&self) {
        let Some(watch) = &self.0.watch else {
            return;
        };
        let ready = watch.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        let registry = Arc::downgrade(&self.0);
        if let Some(ready) = ready {
            let thread = thread::Builder::new().name("steadfast-watch".to_owned());
            let spawned = thread.spawn(move || ready.watch(&registry)).is_ok();
            watch.is_running.store(spawned, Ordering::Relaxed);
        }
    }
}

impl Ready {
    /// Until the registry is gone.
    fn watch(mut self, registry: &Weak<Inner>) {
        while self.wait() {
            let Some(registry) = registry.upgrade() else {
                return;
            };
            self.look = Look::at(&self.path);
            // It may be another link now.
            self.folders.follow(&self.path);
            // What is wrong is told by the registry.
            let _ = registry.reload();
        }
    }

    /// Waits until the file may have changed; says whether to go on.
    fn wait(&mut self) -> bool {
        let mut settling: Option<Settling> = None;
        loop {
            let patience = settling.as_ref().map_or(LOOK, Settling::patience);
            match self.receiver.recv_timeout(patience) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
                Ok(Message::Event(event)) if is_read(&event) => {}
                Ok(Message::Event(event)) => Settling::go_on(&mut settling, is_done(&event)),
                Err(RecvTimeoutError::Timeout) if settling.is_some() => return true,
                Err(RecvTimeoutError::Timeout) => {
                    let look = Look::at(&self.path);
                    if std::mem::replace(&mut self.look, look) != self.look {
                        Settling::go_on(&mut settling, false);
                    }
                }
            }
        }
    }
}

/// Events have begun, and have not ended.
struct Settling {
    since: Instant,
    quiet: Duration,
}

impl Settling {
    fn go_on(settling: &mut Option<Self>, done: bool) {
        let since = settling.as_ref().map_or_else(Instant::now, |settling| settling.since);
        *settling = Some(Self { since, quiet: if done { QUIET } else { QUIET_IF_OPEN } });
    }

    fn patience(&self) -> Duration {
        self.quiet.min(LATEST.saturating_sub(self.since.elapsed()))
    }
}

/// Whether somebody, such as this registry, has only read.
fn is_read(event: &Event) -> bool {
    matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write))
}

/// Whether a writer has closed the file, or another file has taken its place.
fn is_done(event: &Event) -> bool {
    use notify::event::ModifyKind;
    matches!(
        event.kind,
        EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Modify(ModifyKind::Name(_))
            | EventKind::Remove(_)
    )
}

/// What a file looks like from outside.
#[derive(PartialEq)]
struct Look {
    modified: Option<SystemTime>,
    bytes: Option<u64>,
    /// The file that a link leads to.
    file: Option<PathBuf>,
}

impl Look {
    fn at(path: &Path) -> Self {
        let metadata = std::fs::metadata(path).ok();
        Self {
            modified: metadata.as_ref().and_then(|metadata| metadata.modified().ok()),
            bytes: metadata.as_ref().map(Metadata::len),
            file: std::fs::canonicalize(path).ok(),
        }
    }
}

/// The folders in which the file, or a link on the way to it, can be replaced.
struct Folders {
    /// None if the system has no way to watch: then looking must do.
    watcher: Option<RecommendedWatcher>,
    watched: Vec<PathBuf>,
}

/// How many links are followed.
const LINKS: usize = 8;

impl Folders {
    fn watching(path: &Path, sender: Sender<Message>) -> Self {
        let tell = move |event: notify::Result<Event>| {
            if let Ok(event) = event {
                let _ = sender.send(Message::Event(event));
            }
        };
        let mut folders =
            Self { watcher: notify::recommended_watcher(tell).ok(), watched: Vec::new() };
        folders.follow(path);
        folders
    }

    /// Watches the folders that the file is reached through now.
    fn follow(&mut self, path: &Path) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let folders = on_the_way(path);
        for gone in self.watched.iter().filter(|folder| !folders.contains(folder)) {
            let _ = watcher.unwatch(gone);
        }
        // One that was removed and made anew is watched anew.
        self.watched = folders
            .into_iter()
            .filter(|folder| watcher.watch(folder, RecursiveMode::NonRecursive).is_ok())
            .collect();
    }
}

fn on_the_way(path: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Some(folder) = path.parent().map(Path::to_owned) else {
            break;
        };
        if !folders.contains(&folder) {
            folders.push(folder.clone());
        }
        match std::fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => break,
        }
    }
    folders
}
