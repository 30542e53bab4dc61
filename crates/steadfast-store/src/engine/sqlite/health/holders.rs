//! The processes that have a file open, from the system's list of locks.
//!
//! In write-ahead mode SQLite's locks are bytes of the `-shm` file
//! (<https://sqlite.org/walformat.html>): one to write, five to read, and one that every
//! connection holds for as long as it is open.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use crate::health::{Access, Fact, Holder, Unavailable};

const LOCKS: &str = "/proc/locks";
/// The list is read a page at a time, and shifts when a lock is released in between: one read can
/// miss some.
const LOCK_READS: usize = 3;
const WRITE_BYTE: u64 = 120;
const READ_BYTES: RangeInclusive<u64> = 123..=127;
const OPEN_BYTE: u64 = 128;

/// The processes that have the file open, except this one.
pub(super) fn of(path: &Path) -> Fact<Vec<Holder>> {
    let locks = locks().map_err(|error| Unavailable::new(format!("{LOCKS}: {error}")))?;
    let index = super::files::with(path, "-shm");
    // A process that has the file open has created the index.
    let Some(inode) = inode(&index)? else {
        return Ok(Vec::new());
    };
    let mut found = held(&locks, inode);
    found.remove(&std::process::id());
    let holders = found.into_iter().map(|(pid, access)| Holder { pid, name: name(pid), access });
    Ok(holders.collect())
}

fn locks() -> std::io::Result<String> {
    (0..LOCK_READS).map(|_| std::fs::read_to_string(LOCKS)).collect()
}

/// The strongest access of each process to the file with this inode.
fn held(locks: &str, inode: u64) -> BTreeMap<u32, Access> {
    let mut found = BTreeMap::new();
    for (pid, access) in locks.lines().filter_map(|line| held_by(line, inode)) {
        let most = found.entry(pid).or_insert(access);
        *most = access.max(*most);
    }
    found
}

/// Parses `1: POSIX ADVISORY WRITE 4711 08:01:131090 120 120`. A waiting process has an arrow
/// before POSIX, and holds nothing.
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
        "WRITE" if holds(&WRITE_BYTE) => Access::Writing,
        _ if READ_BYTES.into_iter().any(|byte| holds(&byte)) => Access::Reading,
        _ if holds(&OPEN_BYTE) => Access::Open,
        _ => return None,
    };
    Some((pid, access))
}

#[cfg(unix)]
fn inode(path: &Path) -> Fact<Option<u64>> {
    use std::os::unix::fs::MetadataExt;
    Ok(std::fs::metadata(path).ok().map(|found| found.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Path) -> Fact<Option<u64>> {
    Err(Unavailable::new("not supported on this system"))
}

fn name(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strongest_access_of_a_process_counts() {
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
