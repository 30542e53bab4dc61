//! Database checks: integrity, journal mode, WAL, locks, processes, free pages, clock.

use std::time::Duration;

use steadfast_store::health::{Access, Holder, Pages, SqliteHealth};

use super::shell_quote;
use crate::commands::doctor::finding::{Finding, Level, Verdict};
use crate::commands::doctor::units::{GIB, MIB, long, size};

/// The store checkpoints its WAL at this size. A longer one cannot be truncated at the moment.
const WARN_WAL_BYTES: u64 = 64 * MIB;
const PROBLEM_WAL_BYTES: u64 = GIB;
/// Free space worth reclaiming, in bytes and as a share.
const NOTE_FREE_BYTES: u64 = 64 * MIB;
const NOTE_FREE_SHARE: f64 = 0.5;
const MAX_ERROR_LINES: usize = 3;

pub(in crate::commands::doctor) fn check(own: &SqliteHealth) -> Vec<Finding> {
    let holders = own.holders.as_deref().unwrap_or_default();
    vec![
        Finding::of("integrity", &own.corruption, |damage| integrity(damage, own)),
        Finding::of("journal mode", &own.journal, |mode| journal(mode, own)),
        Finding::new("WAL size", log(own, holders)),
        Finding::of("lock", &own.locked, |locked| lock(*locked, holders)),
        Finding::of("processes", &own.holders, |holders| processes(holders)),
        Finding::of("free pages", &own.pages, |pages| free(pages, own)),
        Finding::of("clock", &own.ahead, |ahead| clock(*ahead)),
    ]
}

fn integrity(damage: &[String], own: &SqliteHealth) -> Verdict {
    if damage.is_empty() {
        return Verdict::ok("no errors");
    }
    let (shown, path) =
        (damage.iter().take(MAX_ERROR_LINES).cloned().collect::<Vec<_>>(), &own.file.path);
    let copy = shell_quote(&path.with_extension("recovered.db"));
    Verdict::problem(shown.join("; "))
        .fact("damage", damage.to_vec())
        .say("stop all processes that use the store, and copy its files first")
        .advise(
            "restore a backup, or recover what is readable:",
            [
                format!("sqlite3 {} .recover | sqlite3 {copy}", shell_quote(path)),
                format!("sqlite3 {copy} 'PRAGMA integrity_check'"),
            ],
        )
        .say("find the cause: a failing disk, a copy made while the store was open, a network filesystem")
}

fn journal(mode: &str, own: &SqliteHealth) -> Verdict {
    if mode == "wal" {
        return Verdict::ok("WAL").fact("mode", mode);
    }
    let found = format!("mode {mode}: readers and writers block each other");
    Verdict::note(found).fact("mode", mode).advise(
        "opening the store switches it to WAL; to do only that:",
        [format!("sqlite3 {} 'PRAGMA journal_mode = WAL'", shell_quote(&own.file.path))],
    )
}

fn log(own: &SqliteHealth, holders: &[Holder]) -> Verdict {
    let bytes = own.log.as_ref().map_or(0, |log| log.bytes);
    let level = Level::of(bytes, WARN_WAL_BYTES + 1, PROBLEM_WAL_BYTES);
    let verdict = |found| Verdict::new(level, found).fact("bytes", bytes);
    if level == Level::Ok {
        return verdict(size(bytes));
    }
    let reading: Vec<&Holder> =
        holders.iter().filter(|holder| holder.access == Access::Reading).collect();
    let found = format!("{}, and cannot be truncated while a long read is open", size(bytes));
    let path = shell_quote(&own.file.path);
    let verdict = match reading.as_slice() {
        [] => verdict(found),
        reading => {
            let pids: Vec<String> = reading.iter().map(|holder| holder.pid.to_string()).collect();
            verdict(found).fact("readers", pids.clone()).advise(
                format!(
                    "reading now: {}; check since when, and end what is not needed",
                    names(reading)
                ),
                [format!("ps -o pid,user,etime,args -p {}", pids.join(","))],
            )
        }
    };
    verdict
        .advise("then truncate it:", [format!("sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE)'")])
}

fn lock(locked: bool, holders: &[Holder]) -> Verdict {
    if !locked {
        return Verdict::ok("not locked");
    }
    let found = "another process has held the write lock for more than a second";
    let verdict = Verdict::warning(found);
    match holders.iter().find(|holder| holder.access == Access::Writing) {
        Some(holder) => verdict.fact("pid", holder.pid).advise(
            format!("held by {}: check what it does, and end it if it hangs", names(&[holder])),
            [format!("ps -o pid,user,etime,args -p {}", holder.pid)],
        ),
        None => verdict.say("if it persists, find the process with an open transaction"),
    }
}

fn processes(holders: &[Holder]) -> Verdict {
    let all: Vec<&Holder> = holders.iter().collect();
    let found = match all.as_slice() {
        [] => "no other process has it open".to_owned(),
        all => format!("also open in {}", names(all)),
    };
    Verdict::ok(found).fact("pids", holders.iter().map(|holder| holder.pid).collect::<Vec<_>>())
}

fn free(pages: &Pages, own: &SqliteHealth) -> Verdict {
    let Pages { size: each, count, free } = *pages;
    let bytes = free.saturating_mul(each);
    let share = free as f64 / count.max(1) as f64;
    let found = format!("{} of {} free", size(bytes), size(count.saturating_mul(each)));
    if bytes < NOTE_FREE_BYTES || share < NOTE_FREE_SHARE {
        return Verdict::ok(found).fact("free_bytes", bytes);
    }
    Verdict::note(found).fact("free_bytes", bytes).advise(
        "new tasks reuse it; to return it to the filesystem, while no worker runs:",
        [format!("sqlite3 {} VACUUM", shell_quote(&own.file.path))],
    )
}

/// The store uses this machine's clock.
fn clock(ahead: Option<Duration>) -> Verdict {
    let Some(ahead) = ahead else {
        return Verdict::ok("no timestamp in the future");
    };
    let found = format!("the newest task is {} in the future: the clock was set back", long(ahead));
    Verdict::warning(found).fact("ahead_seconds", ahead.as_secs()).advise(
        "leases last too long until the clock catches up: check that it is correct now",
        ["timedatectl"],
    )
}

/// Formats processes as `steadfast (4711), sqlite3 (4712)`.
fn names(holders: &[&Holder]) -> String {
    let name = |holder: &&Holder| match &holder.name {
        Some(name) => format!("{name} ({})", holder.pid),
        None => format!("process {}", holder.pid),
    };
    holders.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use steadfast_store::health::StoreFile;

    use super::super::tests::{file, healthy};
    use super::*;

    fn own(log: u64) -> SqliteHealth {
        let log = StoreFile { bytes: log, ..file("tasks.db-wal") };
        SqliteHealth { log: Some(log), ..healthy() }
    }

    fn holder(access: Access) -> Holder {
        Holder { pid: 4711, name: Some("report".to_owned()), access }
    }

    #[test]
    fn wal_level_depends_on_size_and_names_readers() {
        assert_eq!(log(&own(WARN_WAL_BYTES), &[]).level, Level::Ok);
        let starved =
            log(&own(WARN_WAL_BYTES + 1), &[holder(Access::Reading), holder(Access::Open)]);
        assert_eq!(starved.level, Level::Warning);
        assert!(starved.next[0].say.starts_with("reading now: report (4711);"), "{starved:?}");
        assert_eq!(log(&own(PROBLEM_WAL_BYTES), &[]).level, Level::Problem);
    }

    #[test]
    fn held_lock_names_its_process() {
        assert_eq!(lock(false, &[]).level, Level::Ok);
        let held = lock(true, &[holder(Access::Writing)]);
        assert_eq!(
            (held.level, &*held.next[0].run[0]),
            (Level::Warning, "ps -o pid,user,etime,args -p 4711")
        );
        assert_eq!(lock(true, &[]).next[0].run, [""; 0]);
    }

    #[test]
    fn integrity_errors_are_a_problem() {
        let lines = ["Tree 4 page 9: btreeInitPage() returns error code 11".to_owned()];
        let damaged = integrity(&lines, &own(0));
        assert_eq!((damaged.level, damaged.found.as_str()), (Level::Problem, lines[0].as_str()));
        assert!(damaged.next[1].run[0].starts_with("sqlite3 tasks.db .recover"));
    }

    #[test]
    fn free_space_is_noted_above_threshold() {
        let pages = |free| Pages { size: 4096, count: 40_000, free };
        assert_eq!(free(&pages(10_000), &own(0)).level, Level::Ok);
        assert_eq!(free(&pages(30_000), &own(0)).level, Level::Note);
    }

    /// D4: an SQLite store uses this machine's clock.
    #[test]
    fn clock_set_back_is_a_warning() {
        assert_eq!(clock(None).level, Level::Ok);
        assert_eq!(clock(Some(Duration::from_secs(7200))).level, Level::Warning);
        assert_eq!(journal("delete", &own(0)).level, Level::Note);
    }
}
