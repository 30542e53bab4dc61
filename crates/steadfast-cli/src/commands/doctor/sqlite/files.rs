//! File checks: permissions, disk space, filesystem.

use std::path::Path;

use steadfast_store::health::{Filesystem, Space, SqliteHealth, StoreFile};

use super::shell_quote;
use crate::commands::doctor::finding::{Finding, Level, Verdict};
use crate::commands::doctor::units::{GIB, MIB, size};

/// Free disk space that a burst of tasks may need.
const WARN_FREE_BYTES: u64 = GIB;
const PROBLEM_FREE_BYTES: u64 = 100 * MIB;
/// On a small disk, little free space is normal above this share.
const WARN_FREE_SHARE: f64 = 0.1;

pub(in crate::commands::doctor) fn check(own: &SqliteHealth) -> Vec<Finding> {
    vec![
        Finding::new("file", files(own)),
        Finding::of("disk", &own.space, |space| disk_space(space, &own.file.path)),
        Finding::of("filesystem", &own.filesystem, filesystem),
    ]
}

fn files(own: &SqliteHealth) -> Verdict {
    let beside = [own.log.as_ref(), own.index.as_ref()].into_iter().flatten();
    let all: Vec<&StoreFile> = std::iter::once(&own.file).chain(beside).collect();
    let denied: Vec<&StoreFile> = all.iter().copied().filter(|file| !file.writable).collect();
    if !denied.is_empty() {
        return unwritable(&own.file, &denied);
    }
    let directory = directory_of(&own.file.path);
    if own.directory_writable == Ok(false) {
        let found = format!(
            "{} is writable, but its directory is not, and SQLite must create files there",
            own.file.path.display()
        );
        return Verdict::problem(found).advise(
            "make the directory writable for the current user:",
            [format!("sudo chmod u+w {}", shell_quote(directory))],
        );
    }
    if let Some(stray) = all.iter().find(|file| file.owner != own.file.owner) {
        return belongs_to_others(&own.file, stray);
    }
    if own.file.mode.is_some_and(|mode| mode & 0o002 != 0) {
        let found = format!("{} is writable by all users", own.file.path.display());
        return Verdict::warning(found).advise(
            "remove that permission:",
            [format!("chmod o-w {}", shell_quote(&own.file.path))],
        );
    }
    let found = format!("{}, {}", own.file.path.display(), size(own.file.bytes));
    Verdict::ok(found).fact("bytes", own.file.bytes)
}

fn unwritable(file: &StoreFile, denied: &[&StoreFile]) -> Verdict {
    let names: Vec<String> = denied.iter().map(|file| file.path.display().to_string()).collect();
    let found = format!("{} not writable by the current user", names.join(", "));
    let paths: Vec<String> = denied.iter().map(|file| shell_quote(&file.path)).collect();
    let paths = paths.join(" ");
    let owner = denied.first().and_then(|file| file.owner);
    let mode = file.mode.map(|mode| format!("{mode:o}")).unwrap_or_default();
    Verdict::problem(found).fact("mode", mode).fact("owner", owner).advise(
        "run as the owning user, or change the owner:",
        [format!("ls -l {paths}"), format!("sudo chown \"$USER\" {paths} && chmod u+w {paths}")],
    )
}

/// A command run as another user left files that the store's user may not write.
fn belongs_to_others(file: &StoreFile, stray: &StoreFile) -> Verdict {
    let found = format!("{} has a different owner than the store file", stray.path.display());
    Verdict::warning(found).advise(
        "the store's user may be locked out: change the owner",
        [format!(
            "sudo chown --reference={} {}",
            shell_quote(&file.path),
            shell_quote(&stray.path)
        )],
    )
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn disk_space(space: &Space, path: &Path) -> Verdict {
    let Space { free, total } = *space;
    let scarce = (free as f64) < total as f64 * WARN_FREE_SHARE;
    let level = match free {
        free if free < PROBLEM_FREE_BYTES => Level::Problem,
        free if free < WARN_FREE_BYTES && scarce => Level::Warning,
        _ => Level::Ok,
    };
    Verdict::new(level, format!("{} free", size(free)))
        .fact("free_bytes", free)
        .fact("total_bytes", total)
        .advise(
            "a full disk blocks all submits: free space, or delete old tasks",
            [format!("df -h {}", shell_quote(directory_of(path))), "steadfast db prune".to_owned()],
        )
}

fn filesystem(filesystem: &Filesystem) -> Verdict {
    let kind = filesystem.kind.as_str();
    if !filesystem.network {
        return Verdict::ok(kind).fact("kind", kind);
    }
    Verdict::warning(format!("{kind} is a network filesystem, where file locks are unreliable"),
    )
    .fact("kind", kind)
    .say(
        "move the store to a local disk; for several machines, use PostgreSQL: concurrent writes \
         from two machines corrupt the file",
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{file, healthy};
    use super::*;

    fn own(log: StoreFile) -> SqliteHealth {
        SqliteHealth { log: Some(log), ..healthy() }
    }

    #[test]
    fn file_of_another_owner_is_a_warning() {
        assert_eq!(files(&own(file("tasks.db-wal"))).level, Level::Ok);
        let foreign = StoreFile { owner: Some(0), ..file("tasks.db-wal") };
        let found = files(&own(foreign.clone()));
        assert_eq!(found.level, Level::Warning);
        assert_eq!(found.next[0].run, ["sudo chown --reference=tasks.db tasks.db-wal"]);
        let denied = files(&own(StoreFile { writable: false, ..foreign }));
        assert_eq!(denied.level, Level::Problem);
        assert_eq!(denied.found, "tasks.db-wal not writable by the current user");
    }

    #[test]
    fn wrong_permissions_are_reported() {
        let mut open = own(file("tasks.db-wal"));
        open.file.mode = Some(0o666);
        assert_eq!(files(&open).level, Level::Warning);
        open.directory_writable = Ok(false);
        assert_eq!(files(&open).level, Level::Problem);
    }

    #[test]
    fn disk_level_depends_on_free_bytes_and_share() {
        let level = |free, total| disk_space(&Space { free, total }, Path::new("tasks.db")).level;
        assert_eq!(level(10 * GIB, 1000 * GIB), Level::Ok, "1 % of a large disk is enough");
        assert_eq!(level(500 * MIB, 1000 * GIB), Level::Warning);
        assert_eq!(level(500 * MIB, GIB), Level::Ok, "half of a small disk is normal");
        assert_eq!(level(50 * MIB, GIB), Level::Problem);
    }

    /// D1: one machine, one file.
    #[test]
    fn network_filesystem_is_a_warning() {
        let on = |kind: &str, network| filesystem(&Filesystem { kind: kind.to_owned(), network });
        assert_eq!(on("ext4", false).level, Level::Ok);
        assert_eq!(on("nfs4", true).level, Level::Warning);
    }
}
