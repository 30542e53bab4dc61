//! F4: a change is noticed, however the file is changed.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use steadfast::__private::{AfterChange, FileWatcher};
use steadfast::registry::{Loader, Outcome};

use super::{PROMISED, Scene, attempts, was_applied};

#[test]
fn file_written_in_place_is_reloaded() {
    let scene = Scene::new(&attempts(3));
    scene.write(&attempts(4));
    assert!(was_applied(&scene.change()));
    assert_eq!(scene.attempts(), 4);
}

/// F4: editors write beside the file and put the new one in its place.
#[test]
fn replaced_file_is_reloaded() {
    let scene = Scene::new(&attempts(3));
    for count in 4..7 {
        let beside = scene.folder.path().join(".steadfast.yaml.swp");
        fs::write(&beside, attempts(count)).unwrap();
        fs::rename(&beside, &scene.path).unwrap();
        assert!(was_applied(&scene.change()));
        assert_eq!(scene.attempts(), count);
    }
}

/// F4, Kubernetes: the file is a link through a link, and only the inner one is turned.
#[test]
fn redirected_symlink_is_reloaded() {
    let folder = tempfile::tempdir().unwrap();
    let version = |count: u32| {
        let version = folder.path().join(format!("..version_{count}"));
        fs::create_dir(&version).unwrap();
        fs::write(version.join("steadfast.yaml"), attempts(count)).unwrap();
        version
    };
    symlink(version(3), folder.path().join("..data")).unwrap();
    let path = folder.path().join("steadfast.yaml");
    symlink("..data/steadfast.yaml", &path).unwrap();
    let turn = |to: &std::path::Path| {
        let new = folder.path().join("..data_tmp");
        symlink(to, &new).unwrap();
        fs::rename(&new, folder.path().join("..data")).unwrap();
    };
    let versions: Vec<_> = (4..8).map(|count| (count, version(count))).collect();
    let other = tempfile::tempdir().unwrap();
    let scene = Scene::at(other, path, true);
    for (count, version) in versions {
        turn(&version);
        fs::remove_dir_all(folder.path().join(format!("..version_{}", count - 1))).unwrap();
        assert!(was_applied(&scene.change()));
        assert_eq!(scene.attempts(), count);
    }
}

/// F4: a link to a file elsewhere, which is changed there.
#[test]
fn file_behind_a_symlink_is_reloaded() {
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("policies.yaml");
    fs::write(&target, attempts(3)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steadfast.yaml");
    symlink(&target, &path).unwrap();
    let scene = Scene::at(folder, path, true);
    fs::write(&target, attempts(4)).unwrap();
    assert!(was_applied(&scene.change()));
    assert_eq!(scene.attempts(), 4);
}

#[test]
fn recreated_file_is_reloaded() {
    let scene = Scene::new(&attempts(3));
    fs::remove_file(&scene.path).unwrap();
    assert!(!was_applied(&scene.change()));
    assert_eq!(scene.attempts(), 3);
    scene.write(&attempts(4));
    assert!(was_applied(&scene.change()));
    assert_eq!(scene.attempts(), 4);
}

/// F4: even its folder may go and come back.
#[test]
fn file_in_a_recreated_directory_is_reloaded() {
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("etc");
    fs::create_dir(&inner).unwrap();
    let path = inner.join("steadfast.yaml");
    fs::write(&path, attempts(3)).unwrap();
    let scene = Scene::at(outer, path, true);
    fs::remove_dir_all(&inner).unwrap();
    assert!(!was_applied(&scene.change()));
    fs::create_dir(&inner).unwrap();
    scene.write(&attempts(4));
    assert!(was_applied(&scene.change()));
    scene.write(&attempts(5));
    assert!(was_applied(&scene.change()));
    assert_eq!(scene.attempts(), 5);
}

/// F4: a file that is still being written is not read, even if its first half is valid.
#[test]
fn partly_written_file_is_not_applied() {
    let scene = Scene::new(&attempts(3));
    let mut file = fs::File::create(&scene.path).unwrap();
    file.write_all(attempts(4).as_bytes()).unwrap();
    file.sync_all().unwrap();
    // Three times as long as a closed file is given to settle.
    let while_open = scene.changes.recv_timeout(Duration::from_millis(60));
    assert!(while_open.is_err(), "half of it was read");
    file.write_all(b"  q: {max_attempts: 2}\n").unwrap();
    drop(file);
    let change = scene.change();
    let Outcome::Applied { changes } = &change.outcome else { panic!("{change}") };
    assert_eq!(changes.len(), 2, "{change}");
    assert_eq!(scene.registry.policy("q").max_attempts(), 2);
}

/// F4: a burst of writes is one change, or nearly: never one for each.
#[test]
fn burst_of_writes_is_debounced() {
    let scene = Scene::new(&attempts(3));
    for count in 4..=103 {
        scene.write(&attempts(count));
    }
    let mut heard = 0;
    while scene.attempts() != 103 {
        scene.change();
        heard += 1;
    }
    assert!(heard < 50, "{heard} reloads for 100 writes");
}

/// The thread that watches ends with the last clone, and does not keep the registry alive.
#[test]
fn watcher_ends_with_the_registry() {
    let Scene { registry, changes, path, folder } = Scene::new(&attempts(3));
    let clone = registry.clone();
    drop(registry);
    fs::write(&path, attempts(4)).unwrap();
    assert!(was_applied(&changes.recv_timeout(super::PROMISED).unwrap()));
    drop(clone);
    // Its listener, and with it the sender, is gone.
    assert!(matches!(changes.recv_timeout(super::PROMISED), Err(RecvTimeoutError::Disconnected)));
    drop(folder);
}

/// F4: a listener that panics stops neither the watcher nor other listeners.
#[test]
fn listener_panic_loses_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steadfast.yaml");
    fs::write(&path, attempts(3)).unwrap();
    let (sender, versions) = channel();
    let sender = Mutex::new(sender);
    let registry = Loader::file(&path)
        .on_change(|_| panic!("a listener's own"))
        .on_change(move |change| sender.lock().unwrap().send(change.version).unwrap())
        .load()
        .unwrap();
    for count in 4..6 {
        fs::write(&path, attempts(count)).unwrap();
        assert_eq!(versions.recv_timeout(PROMISED), Ok(u64::from(count) - 2));
    }
    assert_eq!(registry.policy("p").max_attempts(), 5);
}

/// F4: a pipe in the place of the file is refused, not waited for.
#[test]
fn pipe_in_place_of_the_file_is_rejected() {
    let scene = Scene::new(&attempts(3));
    fs::remove_file(&scene.path).unwrap();
    assert!(!was_applied(&scene.change()));
    let made = std::process::Command::new("mkfifo").arg(&scene.path).status().unwrap();
    assert!(made.success());
    let (sender, answer) = channel();
    let registry = scene.registry.clone();
    std::thread::spawn(move || sender.send(registry.reload().unwrap_err().to_string()));
    let answer = answer.recv_timeout(PROMISED).expect("it is not waited for");
    assert!(answer.contains("not a regular file"), "{answer}");
    assert_eq!(scene.attempts(), 3);
}

/// K4: a failed load is retried although the file did not change.
#[test]
fn k4_a_failed_load_is_retried_without_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let watcher = FileWatcher::new(vec![path.clone()]);
    fs::write(&path, "new").unwrap();
    let (sender, loads) = channel();
    let mut count = 0;
    let load = move || {
        count += 1;
        sender.send(count).unwrap();
        if count < 3 { AfterChange::RetryIn(Duration::from_millis(1)) } else { AfterChange::Stop }
    };
    watcher.start("test", load).unwrap();
    let counts: Vec<u32> = loads.iter().collect();
    assert_eq!(counts, [1, 2, 3]);
}

/// A stopped watcher drops what it calls, and with it what that holds.
#[test]
fn a_stopped_watcher_drops_its_callback() {
    let folder = tempfile::tempdir().unwrap();
    let watcher = FileWatcher::new(vec![folder.path().join("tokens")]);
    let (sender, dropped) = channel::<()>();
    let callback = move || {
        let _ = sender.send(());
        AfterChange::Continue
    };
    watcher.start("test", callback).unwrap();
    watcher.stop();
    assert!(matches!(dropped.recv_timeout(PROMISED), Err(RecvTimeoutError::Disconnected)));
}

/// Starts a watcher that reports each change to the receiver.
fn watch(path: PathBuf) -> (FileWatcher, Receiver<()>) {
    let watcher = FileWatcher::new(vec![path]);
    let (sender, changes) = channel();
    let on_change = move || {
        let _ = sender.send(());
        AfterChange::Continue
    };
    watcher.start("test", on_change).unwrap();
    (watcher, changes)
}

/// Writes other files, as a log and a database do, until a change is reported or the time is over.
fn change_beside_a_log(folder: &Path, changes: &Receiver<()>, time: Duration) -> bool {
    let began = Instant::now();
    let mut log =
        fs::File::options().create(true).append(true).open(folder.join("server.log")).unwrap();
    while began.elapsed() < time {
        log.write_all(b"line\n").unwrap();
        fs::write(folder.join("journal"), "page").unwrap();
        fs::rename(folder.join("journal"), folder.join("database")).unwrap();
        if changes.recv_timeout(Duration::from_millis(5)).is_ok() {
            return true;
        }
    }
    false
}

/// A log or a database in the same directory does not cause reloads, and does not delay them.
#[test]
fn other_files_in_the_directory_are_not_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    fs::write(&path, "old").unwrap();
    let (_watcher, changes) = watch(path.clone());
    // Longer than a burst of events can last, and than two polls.
    let time = Duration::from_millis(1500);
    assert!(!change_beside_a_log(folder.path(), &changes, time), "another file was reported");
    fs::write(&path, "new").unwrap();
    assert!(change_beside_a_log(folder.path(), &changes, PROMISED), "the change was missed");
}

/// A write through a link elsewhere causes no event: only polling notices it, even beside a log.
#[test]
fn events_of_other_files_do_not_prevent_polling() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = folder.path().join("tokens");
    fs::write(&path, "old").unwrap();
    let link = elsewhere.path().join("link");
    fs::hard_link(&path, &link).unwrap();
    let (_watcher, changes) = watch(path);
    fs::write(&link, "newer").unwrap();
    assert!(change_beside_a_log(folder.path(), &changes, PROMISED), "the change was missed");
}

/// The timestamp and the size of a file can stay the same: the event alone tells of the change.
#[test]
fn change_without_new_metadata_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    fs::write(&path, "old").unwrap();
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let (_watcher, changes) = watch(path.clone());
    let mut file = fs::File::options().write(true).open(&path).unwrap();
    file.write_all(b"new").unwrap();
    file.set_modified(modified).unwrap();
    drop(file);
    assert_eq!(changes.recv_timeout(PROMISED), Ok(()));
}

/// K4: a load that panics is retried although the file did not change.
#[test]
fn k4_a_load_that_panics_is_retried() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let watcher = FileWatcher::new(vec![path.clone()]);
    fs::write(&path, "new").unwrap();
    let (sender, loads) = channel();
    let mut count = 0;
    let load = move || {
        count += 1;
        sender.send(count).unwrap();
        assert!(count > 1, "the first load panics");
        AfterChange::Stop
    };
    watcher.start("test", load).unwrap();
    let counts: Vec<u32> = loads.iter().collect();
    assert_eq!(counts, [1, 2]);
}
