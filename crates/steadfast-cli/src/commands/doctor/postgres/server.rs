//! Server checks: version, durability, privileges, clock, connections, pooler.

use std::time::Duration;

use steadfast_store::health::{Clock, Connections, PostgresHealth, Server};

use super::quoted;
use crate::commands::doctor::finding::{Finding, Level, Verdict};
use crate::commands::doctor::units::long;
use crate::output::counted;
use crate::output::human_duration::format as human_duration;

const MIN_MAJOR_VERSION: i32 = 13;
/// Clocks synchronized by NTP differ by less.
const NOTE_CLOCK_SKEW: Duration = Duration::from_secs(1);
/// From here on, times computed on one machine are wrong on the other.
const WARN_CLOCK_SKEW: Duration = Duration::from_secs(30);
/// Shares of max_connections.
const WARN_CONNECTION_SHARE: f64 = 0.8;
const PROBLEM_CONNECTION_SHARE: f64 = 0.95;

pub(in crate::commands::doctor) fn check(own: &PostgresHealth) -> Vec<Finding> {
    let user = own.server.as_ref().map_or("", |server| &*server.user);
    vec![
        Finding::of("server", &own.server, server),
        Finding::of("durability", &own.server, durability),
        Finding::of("rights", &own.missing_rights, |missing| rights(missing, user)),
        Finding::of("clock", &own.clock, clock),
        Finding::of("connections", &own.connections, connections),
        Finding::of("pooler", &own.pooled, |pooled| pooler(*pooled, own.listens)),
    ]
}

fn server(server: &Server) -> Verdict {
    let verdict = if server.major < MIN_MAJOR_VERSION {
        let found = format!("PostgreSQL {} is too old", server.version);
        Verdict::problem(found).say(format!("upgrade it to {MIN_MAJOR_VERSION} or later"))
    } else if server.standby {
        Verdict::problem("the server is a read-only standby").advise(
            "name the primary in the URL, or select it with target_session_attrs",
            ["postgres://USER@HOST1,HOST2/DATABASE?target_session_attrs=read-write"],
        )
    } else if server.read_only {
        let database = quoted(&server.database, '"');
        Verdict::problem("default_transaction_read_only is on").advise(
            "turn it off:",
            [
                format!("ALTER DATABASE {database} RESET default_transaction_read_only;"),
                format!(
                    "ALTER ROLE {} RESET default_transaction_read_only;",
                    quoted(&server.user, '"')
                ),
            ],
        )
    } else {
        Verdict::ok(format!("PostgreSQL {}", server.version))
    };
    verdict.fact("version", server.version.as_str())
}

/// Only a note: a store that may lose tasks in a crash can be intended.
fn durability(server: &Server) -> Verdict {
    let off: Vec<&str> = [
        ("fsync", server.fsync),
        ("full_page_writes", server.full_page_writes),
        ("synchronous_commit", server.synchronous_commit),
    ]
    .iter()
    .filter(|(_, on)| !on)
    .map(|(name, _)| *name)
    .collect();
    if off.is_empty() {
        return Verdict::ok("commits are flushed to disk");
    }
    let found =
        format!("off: {}; accepted tasks may be lost if the machine crashes", off.join(", "));
    let run = off.iter().map(|name| format!("ALTER SYSTEM SET {name} = on;"));
    Verdict::note(found).fact("off", off.clone()).advise(
        "to make tasks survive a crash:",
        run.chain(["SELECT pg_reload_conf();".to_owned()]),
    )
}

fn rights(missing: &[String], user: &str) -> Verdict {
    if missing.is_empty() {
        return Verdict::ok("all required privileges granted");
    }
    let to = quoted(user, '"');
    Verdict::problem(format!("{} missing", counted(missing.len(), "privilege", "privileges")))
        .fact("missing", missing.to_vec())
        .advise(
            "run as the owner of the schema:",
            missing.iter().map(|right| format!("GRANT {right} TO {to};")),
        )
}

fn clock(clock: &Clock) -> Verdict {
    let skew = clock.at_least();
    let direction = if clock.ahead.is_negative() { "behind" } else { "ahead of" };
    // Below a millisecond the digits mean nothing.
    let uncertain = human_duration(clock.uncertainty.max(Duration::from_millis(1)));
    let (level, found) = match skew {
        skew if skew < NOTE_CLOCK_SKEW => {
            (Level::Ok, format!("in sync with the database, within {uncertain}"))
        }
        skew => (
            if skew < WARN_CLOCK_SKEW { Level::Note } else { Level::Warning },
            format!(
                "the database clock is {} {direction} this machine",
                long(clock.ahead.unsigned_abs())
            ),
        ),
    };
    Verdict::new(level, found)
        .fact("ahead_seconds", clock.ahead.as_secs_f64())
        .fact("uncertainty_seconds", clock.uncertainty.as_secs_f64())
        .advise(
            "leases use the database clock and are not affected; times computed and logged on this \
             machine are: check which clock is wrong",
            ["timedatectl timesync-status", "SELECT clock_timestamp();"],
        )
}

fn connections(connections: &Connections) -> Verdict {
    let Connections { used, most } = *connections;
    let share = used as f64 / most.max(1) as f64;
    let found = format!("{used} of {most} in use");
    let level = Level::of(share, WARN_CONNECTION_SHARE, PROBLEM_CONNECTION_SHARE);
    Verdict::new(level, found).fact("used", used).fact("most", most).advise(
        "find out who uses them and end idle ones; raise max_connections (needs a restart), or use a \
         pooler",
        ["SELECT usename, application_name, state, count(*) FROM pg_stat_activity \
          GROUP BY 1, 2, 3 ORDER BY 4 DESC;"],
    )
}

fn pooler(pooled: bool, listens: bool) -> Verdict {
    match (pooled, listens) {
        (true, true) => Verdict::problem(
            "a transaction pooler is in use, but the URL does not say so",
        )
        .say(
            "add ?listen=off to the URL of every worker: LISTEN and session settings do not work \
             through transaction pooling; or use session pooling \
             (pool_mode = session)",
        ),
        (true, false) => Verdict::ok("transaction pooler, and the URL says so"),
        (false, true) => Verdict::ok("no transaction pooler detected"),
        (false, false) => Verdict::note(
            "listen=off without a pooler: other processes are not notified and find tasks by \
             polling",
        )
        .say("without a pooler, remove listen=off from the URL"),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn clock_ahead(ahead: i64) -> Clock {
        Clock { ahead: SignedDuration::from_millis(ahead), uncertainty: Duration::from_millis(1) }
    }

    /// D4: leases use the database clock, so a difference is worth knowing but no problem.
    #[test]
    fn clock_level_depends_on_certain_skew() {
        assert_eq!(clock(&clock_ahead(900)).level, Level::Ok);
        assert_eq!(clock(&clock_ahead(2_000)).level, Level::Note);
        let behind = clock(&clock_ahead(-3_600_000));
        assert_eq!(behind.level, Level::Warning);
        assert_eq!(behind.found, "the database clock is 1 h behind this machine");
        let slow = Clock { uncertainty: Duration::from_secs(5), ..clock_ahead(4_000) };
        assert_eq!(clock(&slow).level, Level::Ok, "network latency may explain it");
    }

    #[test]
    fn connections_level_depends_on_share() {
        let level = |used| connections(&Connections { used, most: 100 }).level;
        assert_eq!([79, 80, 95].map(level), [Level::Ok, Level::Warning, Level::Problem]);
    }

    /// D11: a pooler is a problem only if the URL does not say so.
    #[test]
    fn undeclared_pooler_is_a_problem() {
        assert_eq!(pooler(true, true).level, Level::Problem);
        assert_eq!(pooler(true, false).level, Level::Ok);
        assert_eq!(pooler(false, true).level, Level::Ok);
        assert_eq!(pooler(false, false).level, Level::Note);
    }

    #[test]
    fn missing_privileges_are_granted_with_quoted_user() {
        let found = rights(&["USAGE ON SCHEMA steadfast".to_owned()], "o\"neil");
        assert_eq!(found.level, Level::Problem);
        assert_eq!(found.next[0].run, ["GRANT USAGE ON SCHEMA steadfast TO \"o\"\"neil\";"]);
    }

    #[test]
    fn server_without_writes_is_a_problem() {
        let good = Server {
            version: "15.1".to_owned(),
            major: 15,
            user: "app".to_owned(),
            database: "tasks".to_owned(),
            standby: false,
            read_only: false,
            autovacuum: true,
            fsync: true,
            synchronous_commit: true,
            full_page_writes: true,
        };
        assert_eq!((server(&good).level, durability(&good).level), (Level::Ok, Level::Ok));
        let old = Server { version: "12.9".to_owned(), major: 12, ..good.clone() };
        assert_eq!(server(&old).found, "PostgreSQL 12.9 is too old");
        assert_eq!(server(&Server { standby: true, ..good.clone() }).level, Level::Problem);
        assert_eq!(server(&Server { read_only: true, ..good.clone() }).level, Level::Problem);
        assert_eq!(durability(&Server { fsync: false, ..good }).level, Level::Note);
    }
}
