//! What holds the server back from tidying up, and from telling: sessions, and what is left of
//! some.

use std::time::Duration;

use steadfast_store::health::{Listening, PostgresHealth, Prepared, Session, Slot, Transactions};

use super::quoted;
use crate::commands::doctor::finding::{Finding, Mark};
use crate::commands::doctor::units::{GIB, HOUR, MINUTE, long, size};

/// Our own transactions take milliseconds, a report takes minutes.
const OPEN_LONG: Duration = MINUTE.saturating_mul(5);
/// Nobody waits for a transaction for half a day.
const OPEN_TOO_LONG: Duration = HOUR.saturating_mul(12);
/// Transactions that others have made since.
const HELD_BACK: u64 = 1_000_000;
/// What a slot may keep of the server's log without a word.
const RETAINED: u64 = GIB;
/// Shares of the queue of notifications: 8 MB are half an hour of wake-ups; when it is full, who
/// notifies fails.
const UNREAD: f64 = 0.001;
const NEARLY_FULL: f64 = 0.5;

pub(in crate::commands::doctor) fn judged(own: &PostgresHealth) -> Vec<Finding> {
    let server = own.server.as_ref();
    let (database, user) = server.map_or(("", ""), |server| (&*server.database, &*server.user));
    vec![
        Finding::of("transactions", &own.transactions, |open| transactions(open, database, user)),
        Finding::of("prepared", &own.prepared, |prepared| two_step(prepared)),
        Finding::of("slots", &own.slots, |slots| replication(slots)),
        Finding::of("listeners", &own.listening, listeners),
    ]
}

fn transactions(open: &Transactions, database: &str, user: &str) -> Finding {
    let old = |session: &&Session| {
        session.open_for.is_some_and(|time| time >= OPEN_LONG)
            || session.holds_back.is_some_and(|count| count >= HELD_BACK)
    };
    let Some(oldest) = open.oldest.iter().find(old) else {
        return young(open, user);
    };
    let time = oldest.open_for.unwrap_or_default();
    let mark = if time >= OPEN_TOO_LONG { Mark::Problem } else { Mark::Warning };
    let for_so_long = match oldest.open_for {
        Some(time) => format!(" for {}", long(time)),
        None => String::new(),
    };
    let told = format!(
        "{} has had a transaction open{for_so_long}{}: no row that died since can be removed",
        who(oldest),
        held_back(oldest.holds_back)
    );
    let database = quoted(database, '"');
    Finding::new("transactions", mark, told)
        .fact("pid", oldest.pid)
        .fact("seconds", time.as_secs())
        .fact("holds_back", oldest.holds_back)
        .advise("end it, if nobody waits for it:", [terminate(oldest)])
        .advise(
            "so that it does not happen again:",
            [format!(
                "ALTER DATABASE {database} SET idle_in_transaction_session_timeout = '10min';"
            )],
        )
}

fn young(open: &Transactions, user: &str) -> Finding {
    if open.hidden == 0 {
        return Finding::ok("transactions", "none has been open for long");
    }
    let told = format!("none that can be seen; {} sessions of other users cannot", open.hidden);
    Finding::new("transactions", Mark::Unknown, told).fact("hidden", open.hidden).advise(
        "to see all of them, as an administrator:",
        [format!("GRANT pg_read_all_stats TO {};", quoted(user, '"'))],
    )
}

fn two_step(prepared: &[Prepared]) -> Finding {
    let old = prepared.iter().find(|prepared| prepared.open_for >= OPEN_LONG);
    let Some(Prepared { name, owner, open_for }) = old else {
        return Finding::ok("prepared", "no prepared transaction is waiting for long");
    };
    let mark = if *open_for >= OPEN_TOO_LONG { Mark::Problem } else { Mark::Warning };
    let told = format!(
        "transaction {name} of {owner} was prepared {} ago and has not ended: no row that died \
         since can be removed, and its locks stay",
        long(*open_for)
    );
    let name = quoted(name, '\'');
    Finding::new("prepared", mark, told).fact("seconds", open_for.as_secs()).advise(
        "ask whoever coordinates it which of the two it should be:",
        [format!("COMMIT PREPARED {name};"), format!("ROLLBACK PREPARED {name};")],
    )
}

fn replication(slots: &[Slot]) -> Finding {
    let idle = slots.iter().filter(|slot| !slot.active);
    let heavy = |slot: &&Slot| {
        slot.retained.is_some_and(|bytes| bytes >= RETAINED)
            || slot.holds_back.is_some_and(|count| count >= HELD_BACK)
    };
    let Some(slot) = idle.clone().find(heavy).or_else(|| idle.clone().next()) else {
        return Finding::ok("slots", "no replication slot is idle");
    };
    let mark = if heavy(&slot) { Mark::Warning } else { Mark::Note };
    let kept = slot.retained.map_or_else(String::new, |bytes| {
        format!(" and keeps {} of the server's log", size(bytes))
    });
    let told =
        format!("nobody reads replication slot {}{}{kept}", slot.name, held_back(slot.holds_back));
    Finding::new("slots", mark, told)
        .fact("slot", slot.name.as_str())
        .fact("retained_bytes", slot.retained)
        .fact("holds_back", slot.holds_back)
        .advise(
            "start who should read it; if there is nobody any more:",
            [format!("SELECT pg_drop_replication_slot({});", quoted(&slot.name, '\''))],
        )
        .advise(
            "so that it cannot fill the disk:",
            ["ALTER SYSTEM SET max_slot_wal_keep_size = '10GB';", "SELECT pg_reload_conf();"],
        )
}

fn listeners(listening: &Listening) -> Finding {
    let percent = listening.usage * 100.0;
    let finding = |mark, told: String| {
        Finding::new("listeners", mark, told).fact("queue_usage", listening.usage)
    };
    if listening.usage < UNREAD {
        return finding(Mark::Ok, "all of them take what they are told".to_owned());
    }
    let mark = if listening.usage >= NEARLY_FULL { Mark::Problem } else { Mark::Warning };
    let told = format!(
        "somebody listens and takes nothing: {percent:.1} % of the queue of notifications is \
         unread; when it is full, whoever notifies fails, on every database of the server"
    );
    let Some(suspect) = listening.suspects.first() else {
        return finding(mark, told).advise(
            "see who has been listening for long, and end it:",
            ["SELECT pid, datname, usename, application_name, state, xact_start \
              FROM pg_stat_activity WHERE xact_start IS NOT NULL ORDER BY xact_start;"],
        );
    };
    let time = suspect.open_for.map(|time| format!(", for {}", long(time))).unwrap_or_default();
    finding(mark, told).fact("suspect", suspect.pid).advise(
        format!("most likely it is {} ({}{time}): end it", who(suspect), suspect.state),
        [terminate(suspect)],
    )
}

fn who(session: &Session) -> String {
    match session.application.as_str() {
        "" => format!("session {} of {}", session.pid, session.user),
        application => format!("session {} of {} ({application})", session.pid, session.user),
    }
}

fn held_back(count: Option<u64>) -> String {
    let count = count.filter(|count| *count > 0);
    count.map_or_else(String::new, |count| format!(", over {count} transactions of others"))
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

    fn open(session: Session) -> Finding {
        transactions(&Transactions { oldest: vec![session], hidden: 0 }, "tasks", "app")
    }

    #[test]
    fn a_transaction_gets_worse_with_time() {
        assert_eq!(open(session(Some(MINUTE), Some(5))).mark, Mark::Ok);
        let old = open(session(Some(HOUR), Some(5)));
        assert_eq!(old.mark, Mark::Warning);
        assert_eq!(
            old.found,
            "session 4711 of ada (report) has had a transaction open for 1 h, over 5 transactions \
             of others: no row that died since can be removed"
        );
        assert_eq!(old.next[0].run, ["SELECT pg_terminate_backend(4711);"]);
        assert_eq!(open(session(Some(HOUR * 12), None)).mark, Mark::Problem);
        assert_eq!(open(session(None, Some(HELD_BACK))).mark, Mark::Warning, "its age is hidden");
    }

    /// K4: what cannot be seen is said to be, and how to see it.
    #[test]
    fn sessions_that_cannot_be_seen_are_not_called_good() {
        let hidden = transactions(&Transactions { oldest: vec![], hidden: 3 }, "tasks", "app");
        assert_eq!(hidden.mark, Mark::Unknown);
        assert_eq!(hidden.next[0].run, ["GRANT pg_read_all_stats TO \"app\";"]);
    }

    #[test]
    fn a_prepared_transaction_is_ended_by_its_name() {
        let prepared = |open_for| {
            two_step(&[Prepared { name: "o'n".to_owned(), owner: "ada".to_owned(), open_for }])
        };
        assert_eq!(prepared(MINUTE).mark, Mark::Ok);
        assert_eq!(prepared(HOUR).mark, Mark::Warning);
        assert_eq!(prepared(HOUR).next[0].run[1], "ROLLBACK PREPARED 'o''n';");
    }

    #[test]
    fn a_slot_is_judged_by_what_it_keeps() {
        let slot = |active, retained| {
            let name = "copy".to_owned();
            replication(&[Slot { name, active, holds_back: None, retained: Some(retained) }]).mark
        };
        assert_eq!(slot(true, RETAINED), Mark::Ok);
        assert_eq!(slot(false, 0), Mark::Note);
        assert_eq!(slot(false, RETAINED), Mark::Warning);
    }

    /// D11: the queue is everybody's, so a full one is everybody's problem.
    #[test]
    fn a_stuck_listener_gets_worse_as_the_queue_fills() {
        let stuck = |usage| {
            let suspects = vec![session(Some(HOUR), None)];
            listeners(&Listening { usage, suspects })
        };
        assert_eq!(
            [0.0, 0.002, 0.5].map(|usage| stuck(usage).mark),
            [Mark::Ok, Mark::Warning, Mark::Problem]
        );
        assert!(stuck(0.002).next[0].say.contains("session 4711 of ada (report)"));
    }
}
