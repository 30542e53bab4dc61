//! Kinds of SQLite result codes, which are not SQLSTATEs.
//!
//! An extended code such as 2067 contains its primary code, here 19, in the low byte; the primary
//! code determines the kind.

use crate::fault::Kind;

pub(super) fn kind(code: i32) -> Option<Kind> {
    Some(match code & 0xff {
        // ERROR: invalid statement
        1 => Kind::Query,
        // PERM, READONLY, AUTH
        3 | 8 | 23 => Kind::PermissionDenied,
        // BUSY, LOCKED; PROTOCOL is a lost race for a lock
        5 | 6 | 15 => Kind::Busy,
        // INTERRUPT
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
