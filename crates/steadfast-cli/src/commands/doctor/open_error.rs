//! The finding for a store that cannot be opened.

use steadfast::fault::Family;
use steadfast::{Failure, Kind};
use steadfast_store::StoreError;

use super::finding::Verdict;

pub(super) fn verdict(url: &str, error: &StoreError) -> Verdict {
    let fault = error.fault();
    let found = match fault.kind {
        Some(Kind::PoolTimeout) => Verdict::problem("the database does not respond"),
        _ => Verdict::problem(error.to_string()),
    };
    if let StoreError::Url { .. } = error {
        let found = match error.to_string().ends_with("there is no such file") {
            true => found.say("create it with `steadfast serve` or `steadfast submit`"),
            false => found,
        };
        return found.say("set the store with --store or STEADFAST_STORE");
    }
    if !url.starts_with("postgres") {
        return found.say("check which process uses the file, and whether the disk is healthy");
    }
    match fault.sqlstate {
        Some(state) => by_state(found.fact("sqlstate", state.as_str()), state.as_str()),
        None => found.say(by_kind(fault.kind)),
    }
}

/// Advice by SQLSTATE: the server responded with an error.
fn by_state(found: Verdict, state: &str) -> Verdict {
    match state {
        "28P01" => {
            found.say("wrong password: correct it in the URL, in PGPASSWORD or in ~/.pgpass")
        }
        "28000" => found.advise(
            "pg_hba.conf does not allow this user from this host: add a line for it, and reload the \
             configuration",
            ["SELECT pg_reload_conf();"],
        ),
        "3D000" => found.advise(
            "the database does not exist: correct the URL, or create it",
            ["CREATE DATABASE name;"],
        ),
        "53300" => found.advise(
            "all connections are in use: find out by whom, as a superuser",
            ["SELECT usename, application_name, count(*) FROM pg_stat_activity \
              GROUP BY 1, 2 ORDER BY 3 DESC;"],
        ),
        "57P03" => found
            .say("the server is starting or stopping: retry in a moment, or check its log"),
        _ => found.say("check the server's log"),
    }
}

/// Advice by kind: the server did not respond.
fn by_kind(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(Kind::ConnectionRefused) => {
            "connection refused: check host, port, whether the server is running, and \
             listen_addresses in postgresql.conf"
        }
        Some(Kind::Timeout | Kind::PoolTimeout | Kind::Unreachable) => {
            "no response: check host, port and firewalls"
        }
        Some(kind) if kind.family() == Family::Tls => {
            "TLS handshake failed: check the server's certificate, and sslmode and sslrootcert in the \
             URL"
        }
        _ => "check host and port in the URL, and the server's log",
    }
}
