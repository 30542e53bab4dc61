//! A store that lets nobody in: why, and what to look at.

use steadfast::fault::Family;
use steadfast::{Failure, Kind};
use steadfast_store::StoreError;

use super::finding::Finding;

const CHECK: &str = "store";

pub(super) fn told(url: &str, error: &StoreError) -> Finding {
    let fault = error.fault();
    let told = match fault.kind {
        Some(Kind::PoolTimeout) => Finding::problem(CHECK, "the database does not answer"),
        _ => Finding::problem(CHECK, error.to_string()),
    };
    if let StoreError::Url { .. } = error {
        return told.say("name the store with --store or STEADFAST_STORE");
    }
    if !url.starts_with("postgres") {
        return told.say("see who holds the file, and whether the disk is well");
    }
    match fault.sqlstate {
        Some(state) => by_state(told.fact("sqlstate", state.as_str()), state.as_str()),
        None => told.say(by_kind(fault.kind)),
    }
}

/// The server answered, and said no.
fn by_state(told: Finding, state: &str) -> Finding {
    match state {
        "28P01" => {
            told.say("the password is wrong: correct it in the URL, in PGPASSWORD or in ~/.pgpass")
        }
        "28000" => told.advise(
            "the server lets this user in from elsewhere, or otherwise, or not at all: add a line \
             for it to pg_hba.conf, and have it read again",
            ["SELECT pg_reload_conf();"],
        ),
        "3D000" => told.advise(
            "there is no such database: correct the URL, or make it",
            ["CREATE DATABASE name;"],
        ),
        "53300" => told.advise(
            "every connection is taken: see by whom, as an administrator",
            ["SELECT usename, application_name, count(*) FROM pg_stat_activity \
              GROUP BY 1, 2 ORDER BY 3 DESC;"],
        ),
        "57P03" => told
            .say("the server is starting or stopping: try again in a moment, or look into its log"),
        _ => told.say("look into the server's log"),
    }
}

/// Nobody answered.
fn by_kind(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(Kind::ConnectionRefused) => {
            "nobody listens there: look at host and port, whether the server is up, and at \
             listen_addresses in postgresql.conf"
        }
        Some(Kind::Timeout | Kind::PoolTimeout | Kind::Unreachable) => {
            "nobody answers: look at host and port, and at firewalls between here and there"
        }
        Some(kind) if kind.family() == Family::Tls => {
            "the secure channel does not come about: look at the server's certificate, and at \
             sslmode and sslrootcert in the URL"
        }
        _ => "look at host and port of the URL, and at the server's log",
    }
}
