//! Session checks: what keeps PostgreSQL from vacuuming and from delivering notifications.

use std::time::Duration;

use steadfast_store::health::{Listening, PostgresHealth, Prepared, Session, Slot, Transactions};

use super::quoted;
use crate::commands::doctor::finding::{Finding, Level, Verdict};
use crate::commands::doctor::units::{GIB, HOUR, MINUTE, long, size};

/// Steadfast's transactions take milliseconds, a report takes minutes.
const WARN_OPEN_FOR: Duration = MINUTE.saturating_mul(5);
/// Longer than any reasonable transaction.
const PROBLEM_OPEN_FOR: Duration = HOUR.saturating_mul(12);
/// Transactions started by others since.
const WARN_HELD_BACK_TRANSACTIONS: u64 = 1_000_000;
/// WAL that a slot may retain without a warning.
const WARN_RETAINED_BYTES: u64 = GIB;
/// Shares of the notification queue. 8 MB are half an hour of notifications; once it is full,
/// NOTIFY fails.
const WARN_QUEUE_SHARE: f64 = 0.001;
const PROBLEM_QUEUE_SHARE: f64 = 0.5;

pub(in crate::commands::doctor) fn check(own: &PostgresHealth) -> Vec<Finding> {
    let server = own.server.as_ref();
    let (database, user) = server.map_or(("", ""), |server| (&*server.database, &*server.user));
    vec![
        Finding::of("transactions", &own.transactions, |open| transactions(open, database, user)),
        Finding::of("prepared", &own.prepared, |prepared| prepared_transactions(prepared)),
        Finding::of("slots", &own.slots, |slots| replication_slots(slots)),
        Finding::of("listeners", &own.listening, listeners),
    ]
}

fn transactions(open: &Transactions, database: &str, user: &str) -> Verdict {
    let old = |session: &&Session| {
        session.open_for.is_some_and(|time| time >= WARN_OPEN_FOR)
            || session.holds_back.is_some_and(|count| count >= WARN_HELD_BACK_TRANSACTIONS)
    };
    let Some(oldest) = open.oldest.iter().find(old) else {
        return no_old_transaction(open, user);
    };
    let time = oldest.open_for.unwrap_or_default();
    let level = if time >= PROBLEM_OPEN_FOR { Level::Problem } else { Level::Warning };
    let duration = match oldest.open_for {
        Some(time) => format!(" for {}", long(time)),
        None => String::new(),
    };
    let found = format!(
        "{} has had a transaction open{duration}{}: vacuum cannot remove rows deleted since",
        session_name(oldest),
        held_back(oldest.holds_back)
    );
    let database = quoted(database, '"');
    Verdict::new(level, found)
        .fact("pid", oldest.pid)
        .fact("seconds", time.as_secs())
        .fact("holds_back", oldest.holds_back)
        .advise("end it, if it is not needed:", [terminate(oldest)])
        .advise(
            "prevent it from happening again:",
            [format!(
                "ALTER DATABASE {database} SET idle_in_transaction_session_timeout = '10min';"
            )],
        )
}

fn no_old_transaction(open: &Transactions, user: &str) -> Verdict {
    if open.hidden == 0 {
        return Verdict::ok("no long-running transaction");
    }
    let found = format!("no visible one; {} sessions of other users are hidden", open.hidden);
    Verdict::new(Level::Unknown, found).fact("hidden", open.hidden).advise(
        "to see all sessions, run as a superuser:",
        [format!("GRANT pg_read_all_stats TO {};", quoted(user, '"'))],
    )
}

fn prepared_transactions(prepared: &[Prepared]) -> Verdict {
    let old = prepared.iter().find(|prepared| prepared.open_for >= WARN_OPEN_FOR);
    let Some(Prepared { name, owner, open_for }) = old else {
        return Verdict::ok("no old prepared transaction");
    };
    let level = if *open_for >= PROBLEM_OPEN_FOR { Level::Problem } else { Level::Warning };
    let found = format!(
        "transaction {name} of {owner} was prepared {} ago and not finished: vacuum cannot remove \
         rows deleted since, and its locks are held",
        long(*open_for)
    );
    let name = quoted(name, '\'');
    Verdict::new(level, found).fact("seconds", open_for.as_secs()).advise(
        "check with its transaction coordinator, then commit or roll back:",
        [format!("COMMIT PREPARED {name};"), format!("ROLLBACK PREPARED {name};")],
    )
}

fn replication_slots(slots: &[Slot]) -> Verdict {
    let idle = slots.iter().filter(|slot| !slot.active);
    let heavy = |slot: &&Slot| {
        slot.retained.is_some_and(|bytes| bytes >= WARN_RETAINED_BYTES)
            || slot.holds_back.is_some_and(|count| count >= WARN_HELD_BACK_TRANSACTIONS)
    };
    let Some(slot) = idle.clone().find(heavy).or_else(|| idle.clone().next()) else {
        return Verdict::ok("no inactive replication slot");
    };
    let level = if heavy(&slot) { Level::Warning } else { Level::Note };
    let retained = slot
        .retained
        .map_or_else(String::new, |bytes| format!(" and retains {} of WAL", size(bytes)));
    let found = format!(
        "replication slot {} is inactive{}{retained}",
        slot.name,
        held_back(slot.holds_back)
    );
    Verdict::new(level, found)
        .fact("slot", slot.name.as_str())
        .fact("retained_bytes", slot.retained)
        .fact("holds_back", slot.holds_back)
        .advise(
            "start its consumer; if there is none any more, drop the slot:",
            [format!("SELECT pg_drop_replication_slot({});", quoted(&slot.name, '\''))],
        )
        .advise(
            "limit the WAL that slots retain:",
            ["ALTER SYSTEM SET max_slot_wal_keep_size = '10GB';", "SELECT pg_reload_conf();"],
        )
}

fn listeners(listening: &Listening) -> Verdict {
    let percent = listening.usage * 100.0;
    let verdict =
        |level, found: String| Verdict::new(level, found).fact("queue_usage", listening.usage);
    if listening.usage < WARN_QUEUE_SHARE {
        return verdict(Level::Ok, "all listeners are up to date".to_owned());
    }
    let level = Level::of(listening.usage, WARN_QUEUE_SHARE, PROBLEM_QUEUE_SHARE);
    let found = format!(
        "a listener is stuck: {percent:.1} % of the notification queue is unread; once it is full, \
         NOTIFY fails in every database of the server"
    );
    let Some(suspect) = listening.suspects.first() else {
        return verdict(level, found).advise(
            "find the listener with the oldest transaction, and end it:",
            ["SELECT pid, datname, usename, application_name, state, xact_start \
              FROM pg_stat_activity WHERE xact_start IS NOT NULL ORDER BY xact_start;"],
        );
    };
    let time = suspect.open_for.map(|time| format!(", for {}", long(time))).unwrap_or_default();
    verdict(level, found).fact("suspect", suspect.pid).advise(
        format!("probably {} ({}{time}): end it", session_name(suspect), suspect.state),
        [terminate(suspect)],
    )
}

fn session_name(session: &Session) -> String {
    match session.application.as_str() {
        "" => format!("session {} of {}", session.pid, session.user),
        application => format!("session {} of {} ({application})", session.pid, session.user),
    }
}

fn held_back(count: Option<u64>) -> String {
    let count = count.filter(|count| *count > 0);
    count.map_or_else(String::new, |count| format!(", across {count} other transactions"))
}

fn terminate(session: &Session) -> String {
    format!("SELECT pg_terminate_backend({});", session.pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(open_for: Option<Duration>, holds_back: Option<u64>) -> Session {
        Session {
            pid: 4711,
            user: "ada".to_owned(),
            application: "report".to_owned(),
            state: "idle in transaction".to_owned(),
            open_for,
            holds_back,
        }
    }

    fn open(session: Session) -> Verdict {
        transactions(&Transactions { oldest: vec![session], hidden: 0 }, "tasks", "app")
    }

    #[test]
    fn transaction_level_rises_with_age() {
        assert_eq!(open(session(Some(MINUTE), Some(5))).level, Level::Ok);
        let old = open(session(Some(HOUR), Some(5)));
        assert_eq!(old.level, Level::Warning);
        assert_eq!(
            old.found,
            "session 4711 of ada (report) has had a transaction open for 1 h, across 5 other \
             transactions: vacuum cannot remove rows deleted since"
        );
        assert_eq!(old.next[0].run, ["SELECT pg_terminate_backend(4711);"]);
        assert_eq!(open(session(Some(HOUR * 12), None)).level, Level::Problem);
        assert_eq!(
            open(session(None, Some(WARN_HELD_BACK_TRANSACTIONS))).level,
            Level::Warning,
            "its age is hidden"
        );
    }

    /// K4: hidden sessions are reported as unknown, with how to see them.
    #[test]
    fn hidden_sessions_are_unknown() {
        let hidden = transactions(&Transactions { oldest: vec![], hidden: 3 }, "tasks", "app");
        assert_eq!(hidden.level, Level::Unknown);
        assert_eq!(hidden.next[0].run, ["GRANT pg_read_all_stats TO \"app\";"]);
    }

    #[test]
    fn prepared_transaction_advice_quotes_its_name() {
        let prepared = |open_for| {
            prepared_transactions(&[Prepared {
                name: "o'n".to_owned(),
                owner: "ada".to_owned(),
                open_for,
            }])
        };
        assert_eq!(prepared(MINUTE).level, Level::Ok);
        assert_eq!(prepared(HOUR).level, Level::Warning);
        assert_eq!(prepared(HOUR).next[0].run[1], "ROLLBACK PREPARED 'o''n';");
    }

    #[test]
    fn slot_level_depends_on_retained_bytes() {
        let slot = |active, retained| {
            let name = "copy".to_owned();
            replication_slots(&[Slot { name, active, holds_back: None, retained: Some(retained) }])
                .level
        };
        assert_eq!(slot(true, WARN_RETAINED_BYTES), Level::Ok);
        assert_eq!(slot(false, 0), Level::Note);
        assert_eq!(slot(false, WARN_RETAINED_BYTES), Level::Warning);
    }

    /// D11: all databases share the queue, so a full one affects all of them.
    #[test]
    fn listener_level_rises_with_queue_usage() {
        let stuck = |usage| {
            let suspects = vec![session(Some(HOUR), None)];
            listeners(&Listening { usage, suspects })
        };
        assert_eq!(
            [0.0, 0.002, 0.5].map(|usage| stuck(usage).level),
            [Level::Ok, Level::Warning, Level::Problem]
        );
        assert!(stuck(0.002).next[0].say.contains("session 4711 of ada (report)"));
    }
}
