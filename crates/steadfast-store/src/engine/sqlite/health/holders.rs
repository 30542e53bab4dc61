//! Who has a file open, and what for: as the system's list of locks tells it.
//!
//! In write-ahead mode SQLite's locks are bytes of the `-shm` file
//! (<https://sqlite.org/walformat.html>): one to write, five to read, and one that every
//! connection holds for as long as it is open.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use crate::health::{Access, Holder, Seen, Unseen};

const LOCKS: &str = "/proc/locks";
/// The list is told a page at a time, and what is behind a lock that goes meanwhile moves up: one
/// look can miss some.
const LOOKS: usize = 3;
const WRITE: u64 = 120;
const READ: RangeInclusive<u64> = 123..=127;
const OPEN: u64 = 128;

/// The processes that have it open, except this one.
pub(super) fn of(path: &Path) -> Seen<Vec<Holder>> {
    let locks = locks().map_err(|error| Unseen::because(format!("{LOCKS}: {error}")))?;
    let index = super::files::with(path, "-shm");
    // Who has it open has an index, so without one there is nobody.
    let Some(inode) = inode(&index)? else {
        return Ok(Vec::new());
    };
    let mut found = held(&locks, inode);
    found.remove(&std::process::id());
    let holders = found.into_iter().map(|(pid, access)| Holder { pid, name: name(pid), access });
    Ok(holders.collect())
}

fn locks() -> std::io::Result<String> {
    (0..LOOKS).map(|_| std::fs::read_to_string(LOCKS)).collect()
}

/// What each process does with the file of this number. What counts is the most that it does.
fn held(locks: &str, inode: u64) -> BTreeMap<u32, Access> {
    let mut found = BTreeMap::new();
    for (pid, access) in locks.lines().filter_map(|line| held_by(line, inode)) {
        let most = found.entry(pid).or_insert(access);
        *most = access.max(*most);
    }
    found
}

/// A line is `1: POSIX ADVISORY WRITE 4711 08:01:131090 120 120`. Who waits for a lock has an
/// arrow before the word POSIX, and holds nothing.
fn held_by(line: &str, inode: u64) -> Option<(u32, Access)> {
    let mut words = line.split_whitespace().skip(1);
    words.next().filter(|kind| *kind == "POSIX")?;
    let _advisory = words.next()?;
    let mode = words.next()?;
    let pid = words.next()?.parse().ok()?;
    let file = words.next()?.rsplit(':').next()?.parse::<u64>().ok()?;
    let (first, last) = (words.next()?.parse::<u64>().ok()?, words.next()?.parse::<u64>().ok()?);
    let holds = |byte: &u64| (first..=last).contains(byte);
    let access = match mode {
        _ if file != inode => return None,
        "WRITE" if holds(&WRITE) => Access::Writing,
        _ if READ.into_iter().any(|byte| holds(&byte)) => Access::Reading,
        _ if holds(&OPEN) => Access::Open,
        _ => return None,
    };
    Some((pid, access))
}

#[cfg(unix)]
fn inode(path: &Path) -> Seen<Option<u64>> {
    use std::os::unix::fs::MetadataExt;
    Ok(std::fs::metadata(path).ok().map(|found| found.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Path) -> Seen<Option<u64>> {
    Err(Unseen::because("this system does not tell"))
}

fn name(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_that_a_process_does_with_the_file_counts() {
        let locks = "\
1: POSIX  ADVISORY  READ 100 08:01:7 128 128
2: POSIX  ADVISORY  READ 200 08:01:7 128 128
3: POSIX  ADVISORY  READ 200 08:01:7 124 124
4: POSIX  ADVISORY  WRITE 300 08:01:7 120 120
4: -> POSIX  ADVISORY  WRITE 400 08:01:7 120 120
5: POSIX  ADVISORY  READ 300 08:01:7 128 128
6: POSIX  ADVISORY  WRITE 500 08:01:8 120 120
7: FLOCK  ADVISORY  WRITE 600 08:01:7 0 EOF
";
        let expected = [(100, Access::Open), (200, Access::Reading), (300, Access::Writing)];
        assert_eq!(held(locks, 7), BTreeMap::from(expected));
    }
}
