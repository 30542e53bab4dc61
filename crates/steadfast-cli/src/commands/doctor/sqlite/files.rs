//! The store's files: whether they can be written, where they are, and how much room is left.

use std::path::Path;

use steadfast_store::health::{Filesystem, Space, SqliteHealth, StoreFile};

use super::word;
use crate::commands::doctor::finding::{Finding, Mark};
use crate::commands::doctor::units::{GIB, MIB, size};

/// Room on the disk: a burst of tasks may want so much at once.
const LITTLE_ROOM: u64 = GIB;
const NO_ROOM: u64 = 100 * MIB;
/// Where little room is a share of a small disk, it is as it should be.
const SHARE: f64 = 0.1;

pub(in crate::commands::doctor) fn judged(own: &SqliteHealth) -> Vec<Finding> {
    vec![
        files(own),
        Finding::of("disk", &own.space, |space| room(space, &own.file.path)),
        Finding::of("filesystem", &own.filesystem, filesystem),
    ]
}

fn files(own: &SqliteHealth) -> Finding {
    let beside = [own.log.as_ref(), own.index.as_ref()].into_iter().flatten();
    let all: Vec<&StoreFile> = std::iter::once(&own.file).chain(beside).collect();
    let denied: Vec<&StoreFile> = all.iter().copied().filter(|file| !file.writable).collect();
    if !denied.is_empty() {
        return unwritable(&own.file, &denied);
    }
    let directory = directory_of(&own.file.path);
    if own.directory_writable == Ok(false) {
        let told = format!(
            "{} can be written, but its directory cannot, where SQLite must make files",
            own.file.path.display()
        );
        return Finding::problem("file", told).advise(
            "let the user that runs this write it:",
            [format!("sudo chmod u+w {}", word(directory))],
        );
    }
    if let Some(stray) = all.iter().find(|file| file.owner != own.file.owner) {
        return belongs_to_others(&own.file, stray);
    }
    if own.file.mode.is_some_and(|mode| mode & 0o002 != 0) {
        let told = format!("{} can be written by everybody", own.file.path.display());
        return Finding::warning("file", told)
            .advise("take that away:", [format!("chmod o-w {}", word(&own.file.path))]);
    }
    let told = format!("{}, {}", own.file.path.display(), size(own.file.bytes));
    Finding::ok("file", told).fact("bytes", own.file.bytes)
}

fn unwritable(file: &StoreFile, denied: &[&StoreFile]) -> Finding {
    let names: Vec<String> = denied.iter().map(|file| file.path.display().to_string()).collect();
    let told = format!("{} cannot be written by who runs this", names.join(", "));
    let paths: Vec<String> = denied.iter().map(|file| word(&file.path)).collect();
    let paths = paths.join(" ");
    let owner = denied.first().and_then(|file| file.owner);
    let mode = file.mode.map(|mode| format!("{mode:o}")).unwrap_or_default();
    Finding::problem("file", told).fact("mode", mode).fact("owner", owner).advise(
        "run this as the user whose they are, or give them to who runs it:",
        [format!("ls -l {paths}"), format!("sudo chown \"$USER\" {paths} && chmod u+w {paths}")],
    )
}

/// Whoever ran a command as another user left files that the store's own user may not write.
fn belongs_to_others(file: &StoreFile, stray: &StoreFile) -> Finding {
    let told = format!("{} belongs to another user than the store itself", stray.path.display());
    Finding::warning("file", told).advise(
        "whoever keeps the store may be kept out by it: give it back",
        [format!("sudo chown --reference={} {}", word(&file.path), word(&stray.path))],
    )
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn room(space: &Space, path: &Path) -> Finding {
    let Space { free, total } = *space;
    let scarce = (free as f64) < total as f64 * SHARE;
    let mark = match free {
        free if free < NO_ROOM => Mark::Problem,
        free if free < LITTLE_ROOM && scarce => Mark::Warning,
        _ => Mark::Ok,
    };
    let finding = Finding::new("disk", mark, format!("{} are free", size(free)))
        .fact("free_bytes", free)
        .fact("total_bytes", total);
    match mark {
        Mark::Ok => finding,
        _ => finding.advise(
            "when it is full, no task is taken: make room, or forget old tasks",
            [format!("df -h {}", word(directory_of(path))), "steadfast db prune".to_owned()],
        ),
    }
}

fn filesystem(filesystem: &Filesystem) -> Finding {
    let kind = filesystem.kind.as_str();
    if !filesystem.network {
        return Finding::ok("filesystem", kind).fact("kind", kind);
    }
    Finding::warning(
        "filesystem",
        format!("{kind} is on another machine, where locks may not hold"),
    )
    .fact("kind", kind)
    .say(
        "move the store to a disk of this machine; for several machines, use PostgreSQL: a \
             file that two of them write will be damaged",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> StoreFile {
        StoreFile {
            path: name.into(),
            bytes: 4096,
            owner: Some(1000),
            mode: Some(0o640),
            writable: true,
        }
    }

    fn own(log: StoreFile) -> SqliteHealth {
        SqliteHealth {
            file: file("tasks.db"),
            log: Some(log),
            index: None,
            directory_writable: Ok(true),
            damage: Ok(vec![]),
            journal: Ok("wal".to_owned()),
            pages: Ok(steadfast_store::health::Pages { size: 4096, count: 1, free: 0 }),
            space: Ok(Space { free: GIB, total: GIB }),
            filesystem: Ok(Filesystem { kind: "ext4".to_owned(), network: false }),
            locked: Ok(false),
            holders: Ok(vec![]),
            ahead: Ok(None),
        }
    }

    #[test]
    fn a_file_that_another_user_left_behind_is_found() {
        assert_eq!(files(&own(file("tasks.db-wal"))).mark, Mark::Ok);
        let foreign = StoreFile { owner: Some(0), ..file("tasks.db-wal") };
        let found = files(&own(foreign.clone()));
        assert_eq!(found.mark, Mark::Warning);
        assert_eq!(found.next[0].run, ["sudo chown --reference=tasks.db tasks.db-wal"]);
        let denied = files(&own(StoreFile { writable: false, ..foreign }));
        assert_eq!(denied.mark, Mark::Problem);
        assert_eq!(denied.found, "tasks.db-wal cannot be written by who runs this");
    }

    #[test]
    fn rights_that_are_too_few_or_too_many_are_told() {
        let mut open = own(file("tasks.db-wal"));
        open.file.mode = Some(0o666);
        assert_eq!(files(&open).mark, Mark::Warning);
        open.directory_writable = Ok(false);
        assert_eq!(files(&open).mark, Mark::Problem);
    }

    #[test]
    fn room_is_judged_by_what_a_burst_may_want() {
        let mark = |free, total| room(&Space { free, total }, Path::new("tasks.db")).mark;
        assert_eq!(mark(10 * GIB, 1000 * GIB), Mark::Ok, "a hundredth of much is much");
        assert_eq!(mark(500 * MIB, 1000 * GIB), Mark::Warning);
        assert_eq!(mark(500 * MIB, GIB), Mark::Ok, "half of little is as it should be");
        assert_eq!(mark(50 * MIB, GIB), Mark::Problem);
    }

    /// D1: one machine, one file.
    #[test]
    fn a_file_on_another_machine_is_warned_of() {
        let on = |kind: &str, network| filesystem(&Filesystem { kind: kind.to_owned(), network });
        assert_eq!(on("ext4", false).mark, Mark::Ok);
        assert_eq!(on("nfs4", true).mark, Mark::Warning);
    }
}
