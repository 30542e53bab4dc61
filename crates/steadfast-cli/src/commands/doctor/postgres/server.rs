//! The server: whether it will do, whether we may, and whether there is room.

use std::time::Duration;

use steadfast_store::health::{Clock, Connections, PostgresHealth, Server};

use super::quoted;
use crate::commands::doctor::finding::{Finding, Mark};
use crate::commands::doctor::units::long;
use crate::output::time::people;

const OLDEST: i32 = 13;
/// Clocks that are kept by NTP are closer than this.
const APART: Duration = Duration::from_secs(1);
/// From here on a time that is computed on one machine is plainly wrong on the other.
const FAR_APART: Duration = Duration::from_secs(30);
/// Shares of the connections.
const MANY: f64 = 0.8;
const NEARLY_ALL: f64 = 0.95;

pub(in crate::commands::doctor) fn judged(own: &PostgresHealth) -> Vec<Finding> {
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

fn server(server: &Server) -> Finding {
    let finding = if server.major < OLDEST {
        let told = format!("PostgreSQL {} is too old", server.version);
        Finding::problem("server", told).say(format!("upgrade it to {OLDEST} or later"))
    } else if server.standby {
        Finding::problem("server", "it is a standby, which takes no writes").advise(
            "name the primary in the URL; with several hosts, ask for it",
            ["postgres://USER@HOST1,HOST2/DATABASE?target_session_attrs=read-write"],
        )
    } else if server.read_only {
        let database = quoted(&server.database, '"');
        Finding::problem("server", "transactions are read-only here unless they say otherwise")
            .advise(
                "if that is not meant:",
                [
                    format!("ALTER DATABASE {database} RESET default_transaction_read_only;"),
                    format!(
                        "ALTER ROLE {} RESET default_transaction_read_only;",
                        quoted(&server.user, '"')
                    ),
                ],
            )
    } else {
        Finding::ok("server", format!("PostgreSQL {}", server.version))
    };
    finding.fact("version", server.version.as_str())
}

/// A note and no more: a store whose tasks may be lost with the machine can be what is meant.
fn durability(server: &Server) -> Finding {
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
        return Finding::ok("durability", "what is committed is on the disk");
    }
    let told =
        format!("off: {}; tasks that were taken may be lost with the machine", off.join(", "));
    let run = off.iter().map(|name| format!("ALTER SYSTEM SET {name} = on;"));
    Finding::note("durability", told)
        .fact("off", off.clone())
        .advise("if tasks must survive that:", run.chain(["SELECT pg_reload_conf();".to_owned()]))
}

fn rights(missing: &[String], user: &str) -> Finding {
    if missing.is_empty() {
        return Finding::ok("rights", "all that are needed");
    }
    let to = quoted(user, '"');
    Finding::problem("rights", format!("{} are missing", missing.len()))
        .fact("missing", missing.to_vec())
        .advise(
            "as the owner of the store:",
            missing.iter().map(|right| format!("GRANT {right} TO {to};")),
        )
}

fn clock(clock: &Clock) -> Finding {
    let apart = clock.at_least();
    let way = if clock.ahead.is_negative() { "behind" } else { "ahead of" };
    // Finer than anybody cares for would only look odd.
    let uncertain = people(clock.uncertainty.max(Duration::from_millis(1)));
    let told = match apart {
        apart if apart < APART => {
            format!("this machine's and the database's agree, to {uncertain}")
        }
        _ => format!("the database's is {} {way} this machine's", long(clock.ahead.unsigned_abs())),
    };
    let mark = match apart {
        apart if apart < APART => Mark::Ok,
        apart if apart < FAR_APART => Mark::Note,
        _ => Mark::Warning,
    };
    let finding = Finding::new("clock", mark, told)
        .fact("ahead_seconds", clock.ahead.as_secs_f64())
        .fact("uncertainty_seconds", clock.uncertainty.as_secs_f64());
    match mark {
        Mark::Ok => finding,
        _ => finding.advise(
            "leases go by the database's clock and are safe; times that this machine computes and \
             logs are not: see which of the two is wrong",
            ["timedatectl timesync-status", "SELECT clock_timestamp();"],
        ),
    }
}

fn connections(connections: &Connections) -> Finding {
    let Connections { used, most } = *connections;
    let share = used as f64 / most.max(1) as f64;
    let told = format!("{used} of {most} are taken");
    let mark = match share {
        share if share < MANY => Mark::Ok,
        share if share < NEARLY_ALL => Mark::Warning,
        _ => Mark::Problem,
    };
    let finding = Finding::new("connections", mark, told).fact("used", used).fact("most", most);
    match mark {
        Mark::Ok => finding,
        _ => finding.advise(
            "see who has them, and end who needs none; raise max_connections (a restart), or put a \
             pooler in front",
            ["SELECT usename, application_name, state, count(*) FROM pg_stat_activity \
              GROUP BY 1, 2, 3 ORDER BY 4 DESC;"],
        ),
    }
}

fn pooler(pooled: bool, listens: bool) -> Finding {
    match (pooled, listens) {
        (true, true) => Finding::problem(
            "pooler",
            "a pooler hands one connection to several clients in turn, and the URL does not say so",
        )
        .say(
            "add ?listen=off to the URL of every worker: wake-ups by LISTEN cannot work there, and \
             settings of one client would be another's; or have the pooler keep whole sessions \
             (pool_mode = session)",
        ),
        (true, false) => Finding::ok("pooler", "there is one, and the URL says so"),
        (false, true) => Finding::ok("pooler", "none that shares connections was seen"),
        (false, false) => Finding::note(
            "pooler",
            "the URL says listen=off, and no pooler was seen: other processes are not woken and \
             find work by their poll",
        )
        .say("without a pooler, leave listen=off out of the URL"),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn apart(ahead: i64) -> Clock {
        Clock { ahead: SignedDuration::from_millis(ahead), uncertainty: Duration::from_millis(1) }
    }

    /// D4: time is the database's, so clocks that differ are no problem, but worth knowing.
    #[test]
    fn clocks_are_judged_by_how_far_they_are_apart_for_sure() {
        assert_eq!(clock(&apart(900)).mark, Mark::Ok);
        assert_eq!(clock(&apart(2_000)).mark, Mark::Note);
        let behind = clock(&apart(-3_600_000));
        assert_eq!(behind.mark, Mark::Warning);
        assert_eq!(behind.found, "the database's is 1 h behind this machine's");
        let slow = Clock { uncertainty: Duration::from_secs(5), ..apart(4_000) };
        assert_eq!(clock(&slow).mark, Mark::Ok, "the network may be all of it");
    }

    #[test]
    fn connections_are_judged_by_their_share() {
        let mark = |used| connections(&Connections { used, most: 100 }).mark;
        assert_eq!([79, 80, 95].map(mark), [Mark::Ok, Mark::Warning, Mark::Problem]);
    }

    /// D11: a pooler is a problem only for who does not know of it.
    #[test]
    fn a_pooler_must_be_known_of() {
        assert_eq!(pooler(true, true).mark, Mark::Problem);
        assert_eq!(pooler(true, false).mark, Mark::Ok);
        assert_eq!(pooler(false, true).mark, Mark::Ok);
        assert_eq!(pooler(false, false).mark, Mark::Note);
    }

    #[test]
    fn missing_rights_are_granted_word_for_word() {
        let told = rights(&["USAGE ON SCHEMA steadfast".to_owned()], "o\"neil");
        assert_eq!(told.mark, Mark::Problem);
        assert_eq!(told.next[0].run, ["GRANT USAGE ON SCHEMA steadfast TO \"o\"\"neil\";"]);
    }

    #[test]
    fn a_server_that_cannot_be_written_is_a_problem() {
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
        assert_eq!((server(&good).mark, durability(&good).mark), (Mark::Ok, Mark::Ok));
        let old = Server { version: "12.9".to_owned(), major: 12, ..good.clone() };
        assert_eq!(server(&old).found, "PostgreSQL 12.9 is too old");
        assert_eq!(server(&Server { standby: true, ..good.clone() }).mark, Mark::Problem);
        assert_eq!(server(&Server { read_only: true, ..good.clone() }).mark, Mark::Problem);
        assert_eq!(durability(&Server { fsync: false, ..good }).mark, Mark::Note);
    }
}
