//! SQLite's own result codes, which are no SQLSTATEs.
//!
//! An extended code such as 2067 carries its primary code, here 19, in the low
//! byte; that one says what sort of failure it was.

use crate::fault::Kind;

/// The sort of failure behind a result code of SQLite, if it says one.
pub(super) fn kind(code: i32) -> Option<Kind> {
    Some(match code & 0xff {
        // ERROR: the statement is wrong
        1 => Kind::Query,
        // PERM, READONLY, AUTH
        3 | 8 | 23 => Kind::PermissionDenied,
        // BUSY, LOCKED; PROTOCOL is a lost race for a lock
        5 | 6 | 15 => Kind::Busy,
        // INTERRUPT: somebody asked it to stop
        9 => Kind::Cancelled,
        // CORRUPT, TOOBIG, CONSTRAINT, MISMATCH, NOTADB
        11 | 18 | 19 | 20 | 26 => Kind::Data,
        // FULL
        13 => Kind::StorageFull,
        // MISUSE, RANGE
        21 | 25 => Kind::Argument,
        _ => return None,
    })
}
