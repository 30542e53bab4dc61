//! What SQLite says of its file, and who else has it open.

use std::time::Duration;

use steadfast_store::health::{Access, Holder, Pages, SqliteHealth};

use super::word;
use crate::commands::doctor::finding::{Finding, Mark};
use crate::commands::doctor::units::{GIB, MIB, long, size};

/// What the store lets its log keep of the disk. A longer one cannot be emptied just now.
const LONG_LOG: u64 = 64 * MIB;
const TOO_LONG_LOG: u64 = GIB;
/// Empty room in the file that is worth giving back, in bytes and as a share.
const EMPTY: u64 = 64 * MIB;
const EMPTY_SHARE: f64 = 0.5;
/// How many lines of damage are shown.
const LINES: usize = 3;

pub(in crate::commands::doctor) fn judged(own: &SqliteHealth) -> Vec<Finding> {
    let holders = own.holders.as_deref().unwrap_or_default();
    vec![
        Finding::of("damage", &own.damage, |damage| whole(damage, own)),
        Finding::of("journal", &own.journal, |mode| journal(mode, own)),
        log(own, holders),
        Finding::of("lock", &own.locked, |locked| lock(*locked, holders)),
        Finding::of("processes", &own.holders, |holders| processes(holders)),
        Finding::of("free pages", &own.pages, |pages| free(pages, own)),
        Finding::of("clock", &own.ahead, |ahead| clock(*ahead)),
    ]
}

fn whole(damage: &[String], own: &SqliteHealth) -> Finding {
    if damage.is_empty() {
        return Finding::ok("damage", "none");
    }
    let (shown, path) = (damage.iter().take(LINES).cloned().collect::<Vec<_>>(), &own.file.path);
    let copy = word(&path.with_extension("recovered.db"));
    Finding::problem("damage", shown.join("; "))
        .fact("damage", damage.to_vec())
        .say("stop everything that uses the store, and copy its files before anything else")
        .advise(
            "go back to a copy that is whole, or save what can be read:",
            [
                format!("sqlite3 {} .recover | sqlite3 {copy}", word(path)),
                format!("sqlite3 {copy} 'PRAGMA integrity_check'"),
            ],
        )
        .say("see what did it: a disk that fails, a copy made while it was open, a network disk")
}

fn journal(mode: &str, own: &SqliteHealth) -> Finding {
    if mode == "wal" {
        return Finding::ok("journal", "write-ahead log").fact("mode", mode);
    }
    let told = format!("mode {mode}: whoever reads and whoever writes wait for each other");
    Finding::note("journal", told).fact("mode", mode).advise(
        "whoever opens the store changes it; to do only that:",
        [format!("sqlite3 {} 'PRAGMA journal_mode = WAL'", word(&own.file.path))],
    )
}

fn log(own: &SqliteHealth, holders: &[Holder]) -> Finding {
    let bytes = own.log.as_ref().map_or(0, |log| log.bytes);
    let mark = match bytes {
        bytes if bytes <= LONG_LOG => Mark::Ok,
        bytes if bytes < TOO_LONG_LOG => Mark::Warning,
        _ => Mark::Problem,
    };
    let finding = |told| Finding::new("log", mark, told).fact("bytes", bytes);
    if mark == Mark::Ok {
        return finding(size(bytes));
    }
    let reading: Vec<&Holder> =
        holders.iter().filter(|holder| holder.access == Access::Reading).collect();
    let told = format!("{}, and it cannot be emptied while somebody reads on and on", size(bytes));
    let path = word(&own.file.path);
    let finding = match reading.as_slice() {
        [] => finding(told),
        reading => {
            let pids: Vec<String> = reading.iter().map(|holder| holder.pid.to_string()).collect();
            finding(told).fact("readers", pids.clone()).advise(
                format!(
                    "reading just now: {}; see since when, and end what needs no more",
                    names(reading)
                ),
                [format!("ps -o pid,user,etime,args -p {}", pids.join(","))],
            )
        }
    };
    finding.advise("then empty it:", [format!("sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE)'")])
}

fn lock(locked: bool, holders: &[Holder]) -> Finding {
    if !locked {
        return Finding::ok("lock", "free to write");
    }
    let told = "somebody has been writing for more than a second, and nobody else can";
    let finding = Finding::warning("lock", told);
    match holders.iter().find(|holder| holder.access == Access::Writing) {
        Some(holder) => finding.fact("pid", holder.pid).advise(
            format!("it is {}: see what it does, and end it if it hangs", names(&[holder])),
            [format!("ps -o pid,user,etime,args -p {}", holder.pid)],
        ),
        None => finding.say("if it stays so, find the program that has a transaction open on it"),
    }
}

fn processes(holders: &[Holder]) -> Finding {
    let all: Vec<&Holder> = holders.iter().collect();
    let told = match all.as_slice() {
        [] => "nobody else has it open".to_owned(),
        all => format!("also open in {}", names(all)),
    };
    Finding::ok("processes", told)
        .fact("pids", holders.iter().map(|holder| holder.pid).collect::<Vec<_>>())
}

fn free(pages: &Pages, own: &SqliteHealth) -> Finding {
    let Pages { size: each, count, free } = *pages;
    let bytes = free.saturating_mul(each);
    let share = free as f64 / count.max(1) as f64;
    let told = format!("{} of {} are empty", size(bytes), size(count.saturating_mul(each)));
    if bytes < EMPTY || share < EMPTY_SHARE {
        return Finding::ok("free pages", told).fact("free_bytes", bytes);
    }
    Finding::note("free pages", told).fact("free_bytes", bytes).advise(
        "new tasks will fill it again; to give it back to the disk, while no worker runs:",
        [format!("sqlite3 {} VACUUM", word(&own.file.path))],
    )
}

/// The store's clock is this machine's.
fn clock(ahead: Option<Duration>) -> Finding {
    let Some(ahead) = ahead else {
        return Finding::ok("clock", "nothing was written in the future");
    };
    let told =
        format!("the newest task is from {} in the future: the clock was set back", long(ahead));
    Finding::warning("clock", told).fact("ahead_seconds", ahead.as_secs()).advise(
        "leases last longer than they should until it has caught up: see that it is right now",
        ["timedatectl"],
    )
}

/// `steadfast (4711), sqlite3 (4712)`.
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

    use super::*;

    fn own(log: u64) -> SqliteHealth {
        let file = |bytes| StoreFile {
            path: "tasks.db".into(),
            bytes,
            owner: None,
            mode: None,
            writable: true,
        };
        let unseen = || steadfast_store::health::Unavailable::new("it is a test");
        SqliteHealth {
            file: file(4096),
            log: Some(file(log)),
            index: None,
            directory_writable: Ok(true),
            damage: Ok(vec![]),
            journal: Ok("wal".to_owned()),
            pages: Err(unseen()),
            space: Err(unseen()),
            filesystem: Err(unseen()),
            locked: Ok(false),
            holders: Err(unseen()),
            ahead: Ok(None),
        }
    }

    fn holder(access: Access) -> Holder {
        Holder { pid: 4711, name: Some("report".to_owned()), access }
    }

    #[test]
    fn a_log_is_judged_by_its_length_and_names_who_reads() {
        assert_eq!(log(&own(LONG_LOG), &[]).mark, Mark::Ok);
        let starved = log(&own(LONG_LOG + 1), &[holder(Access::Reading), holder(Access::Open)]);
        assert_eq!(starved.mark, Mark::Warning);
        assert!(starved.next[0].say.starts_with("reading just now: report (4711);"), "{starved:?}");
        assert_eq!(log(&own(TOO_LONG_LOG), &[]).mark, Mark::Problem);
    }

    #[test]
    fn a_lock_that_stays_is_told_with_its_holder() {
        assert_eq!(lock(false, &[]).mark, Mark::Ok);
        let held = lock(true, &[holder(Access::Writing)]);
        assert_eq!(
            (held.mark, &*held.next[0].run[0]),
            (Mark::Warning, "ps -o pid,user,etime,args -p 4711")
        );
        assert_eq!(lock(true, &[]).next[0].run, [""; 0]);
    }

    #[test]
    fn damage_is_a_problem_and_is_shown() {
        let lines = ["Tree 4 page 9: btreeInitPage() returns error code 11".to_owned()];
        let damaged = whole(&lines, &own(0));
        assert_eq!((damaged.mark, damaged.found.as_str()), (Mark::Problem, lines[0].as_str()));
        assert!(damaged.next[1].run[0].starts_with("sqlite3 tasks.db .recover"));
    }

    #[test]
    fn empty_room_is_noted_where_it_is_much() {
        let pages = |free| Pages { size: 4096, count: 40_000, free };
        assert_eq!(free(&pages(10_000), &own(0)).mark, Mark::Ok);
        assert_eq!(free(&pages(30_000), &own(0)).mark, Mark::Note);
    }

    /// D4: the file's clock is this machine's.
    #[test]
    fn a_clock_that_was_set_back_is_warned_of() {
        assert_eq!(clock(None).mark, Mark::Ok);
        assert_eq!(clock(Some(Duration::from_secs(7200))).mark, Mark::Warning);
        assert_eq!(journal("delete", &own(0)).mark, Mark::Note);
    }
}
