//! Section 3 of the specification: classes of faults, and the deciding rules.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;
#[cfg(feature = "http")]
use std::time::SystemTime;

use steadfast::fault::{Family, MAX_CAUSES};
use steadfast::judge::{MatchedBy, Rule, Rules, judge};
use steadfast::{Class, Fault, GrpcCode, Hint, Kind, SqlState, extract};

use Class::{Final, RateLimited, Retryable, UnknownOutcome};

fn rules(retry_on: &[&str], abort_on: &[&str]) -> Rules {
    let read = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    Rules::new((!retry_on.is_empty()).then(|| read(retry_on)), read(abort_on))
}

/// What the default rules say: the class, and the rule.
fn default(fault: &Fault) -> (Class, Option<&'static str>) {
    const RULES: &Rules = &Rules::DEFAULT;
    let judgement = judge(RULES, fault);
    (judgement.class(), judgement.rule(RULES))
}

/// What these rules say: the class, the rule and its list.
fn by(retry_on: &[&str], abort_on: &[&str], fault: &Fault) -> (Class, Option<String>, MatchedBy) {
    let rules = rules(retry_on, abort_on);
    let judgement = judge(&rules, fault);
    (judgement.class(), judgement.rule(&rules).map(str::to_owned), judgement.matched_by())
}

fn class_by(retry_on: &[&str], abort_on: &[&str], fault: &Fault) -> Class {
    by(retry_on, abort_on, fault).0
}

const fn after(seconds: u64) -> Hint {
    Hint::After(Duration::from_secs(seconds))
}

/// J1: facts can arrive as JSON, and a fact that is not known is not guessed at.
#[cfg(feature = "serde")]
#[test]
fn facts_are_read_from_json() {
    let json = r#"{"kind": "timeout", "type": "TimeoutError", "http_status": 504, "sqlstate": "40p01",
        "grpc_status": "UNAVAILABLE", "exit_code": 75, "hint": "2m", "unknown_outcome": true,
        "message": "too slow", "causes": [{"http_status": 503}]}"#;
    let fault: Fault = serde_json::from_str(json).unwrap();
    assert_eq!(fault.sqlstate, SqlState::new("40P01"));
    assert_eq!(fault.hint, Some(after(120)));
    assert_eq!(fault.causes, [Fault::http(503)]);
    let again: Fault = serde_json::from_str(&serde_json::to_string(&fault).unwrap()).unwrap();
    assert_eq!(again, fault);
    for unknown in [r#"{"status": 503}"#, r#"{"kind": "bad luck"}"#, r#"{"http_status": 70000}"#] {
        assert!(serde_json::from_str::<Fault>(unknown).is_err(), "{unknown}");
    }
}

/// J1: a hint that was saturated because it could not be counted still travels.
#[cfg(all(feature = "http", feature = "serde"))]
#[test]
fn longest_hint_round_trips() {
    let hint = Hint::retry_after("99999999999999999999999", SystemTime::UNIX_EPOCH);
    let fault = Fault::http(429).with_hint(hint);
    let again: Fault = serde_json::from_str(&serde_json::to_string(&fault).unwrap()).unwrap();
    assert_eq!(again, fault);
}

/// J3: the classes of SQLSTATE that decide, and how.
#[test]
fn sqlstate_classes() {
    for class in ["08", "40", "53", "57", "58"] {
        let state = format!("{class}001");
        assert_eq!(default(&Fault::sql(&state)), (Retryable, Some(class)));
        assert_eq!(default(&Fault::sql(class)), (Retryable, Some(class)), "the class alone");
    }
    for class in ["22", "23", "28", "42"] {
        let state = format!("{class}001");
        assert_eq!(default(&Fault::sql(&state)), (Final, Some(class)));
    }
    assert_eq!(default(&Fault::sql("08007")), (UnknownOutcome, Some("08007")));
    assert_eq!(default(&Fault::sql("40p01")), (Retryable, Some("40")));
}

/// J3: every other class decides nothing by itself.
#[test]
fn other_sqlstate_classes_are_undecided() {
    let digits = || ('0'..='9').chain('A'..='Z');
    let decisive = ["08", "40", "53", "57", "58", "22", "23", "28", "42"];
    for first in digits() {
        for second in digits() {
            let class = format!("{first}{second}");
            let fault = Fault::sql(&format!("{class}000")).caused_by(Fault::of(Kind::Timeout));
            let by_cause = default(&fault).1 == Some("timeout");
            assert_eq!(by_cause, !decisive.contains(&class.as_str()), "{class}");
        }
    }
}

/// J3: fewer than two characters are no fact.
#[test]
fn short_sqlstate_is_ignored() {
    for text in ["", "4", " 4 ", "40P011", "4-001", "é0"] {
        assert_eq!(SqlState::new(text), None, "{text}");
        assert_eq!(default(&Fault::sql(text)), (Final, None), "{text}");
    }
}

/// J3: the same in JSON.
#[cfg(feature = "serde")]
#[test]
fn short_sqlstate_in_json_is_ignored() {
    let fault: Fault = serde_json::from_str(r#"{"sqlstate": "4"}"#).unwrap();
    assert_eq!(fault, Fault::default());
}

/// J3: a five-character rule beats a two-character one, whichever list it is in.
#[test]
fn sqlstate_code_beats_class() {
    let deadlock = Fault::sql("40P01");
    assert_eq!(class_by(&["40P01"], &["40"], &deadlock), Retryable);
    assert_eq!(class_by(&["40"], &["40P01"], &deadlock), Final);
    assert_eq!(class_by(&["40"], &["40P01"], &Fault::sql("40001")), Retryable);
}

/// J4: what goes wrong on a network is retryable.
#[test]
fn network_failures_are_retryable() {
    for kind in Kind::ALL {
        let rule = match kind.family() {
            Family::Timeout => "timeout",
            Family::Connection if *kind == Kind::Dns => "dns",
            Family::Connection => "connection",
            Family::Pool => "pool",
            _ => continue,
        };
        assert_eq!(default(&Fault::of(*kind)), (Retryable, Some(rule)), "{kind}");
    }
    for kind in [
        Kind::ConnectionRefused,
        Kind::ConnectionReset,
        Kind::ConnectionAborted,
        Kind::BrokenPipe,
        Kind::Unreachable,
        Kind::UnexpectedEof,
        Kind::Timeout,
        Kind::PoolExhausted,
        Kind::PoolTimeout,
    ] {
        assert_eq!(default(&Fault::of(kind)).0, Retryable, "{kind}");
    }
}

/// J4: such a failure invalidates the connection, at any depth of the chain.
#[test]
fn broken_connections_are_invalidated() {
    for kind in [Kind::ConnectionReset, Kind::BrokenPipe, Kind::UnexpectedEof, Kind::Timeout] {
        let fault = Fault::of(kind);
        assert!(fault.invalidates_connection(), "{kind}");
        assert!(
            Fault::http(500).caused_by(Fault::default().caused_by(fault)).invalidates_connection()
        );
    }
    assert!(Fault::sql("08006").invalidates_connection());
    assert!(Fault::default().with_unknown_outcome().invalidates_connection());
    for fault in [Fault::http(503), Fault::sql("40001"), Fault::of(Kind::Query), Fault::default()] {
        assert!(!fault.invalidates_connection(), "{fault}");
    }
}

/// J5: of TLS failures, only `would block` is retryable.
#[test]
fn tls() {
    assert_eq!(default(&Fault::of(Kind::TlsWouldBlock)), (Retryable, Some("tls_would_block")));
    for kind in [Kind::TlsCertificate, Kind::TlsHostname, Kind::TlsProtocol, Kind::Tls] {
        assert_eq!(default(&Fault::of(kind)), (Final, Some("tls")), "{kind}");
    }
}

/// J6: 5xx and 408 are retryable, 429 is rate_limited, other 4xx final; the rest decides nothing.
#[test]
fn http_status() {
    for status in 0..=999 {
        let expected = match status {
            408 => (Retryable, Some("408")),
            429 => (RateLimited, Some("429")),
            400..=499 => (Final, Some("4xx")),
            500..=599 => (Retryable, Some("5xx")),
            _ => (Final, None),
        };
        assert_eq!(default(&Fault::http(status)), expected, "{status}");
    }
}

/// J6: 503 is rate_limited only with a hint, 429 always, and no other status ever.
#[test]
fn status_503_is_rate_limited_with_a_hint() {
    for status in 400..=599 {
        let hinted = Fault::http(status).with_hint(after(5));
        let limited = default(&hinted).0 == RateLimited;
        assert_eq!(limited, [429, 503].contains(&status), "{status}");
    }
    let judgement = judge(&Rules::DEFAULT, &Fault::http(429).with_hint(after(120)));
    assert_eq!(judgement.hint(), Some(Duration::from_secs(120)));
    let now = Fault::http(503).with_hint(after(0));
    assert_eq!(default(&now), (RateLimited, Some("5xx")), "a past date is a hint of nothing");
}

/// J6: Retry-After is seconds or a date; a past date is 0, garbage is no hint.
#[cfg(feature = "http")]
#[test]
fn retry_after() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    for (value, hint) in [
        ("120", Some(after(120))),
        (" 0 ", Some(after(0))),
        ("18446744073709551616", Some(after(u64::MAX))),
        ("Sun, 06 Nov 1994 08:50:37 GMT", Some(after(60))),
        ("Sunday, 06-Nov-94 08:50:37 GMT", Some(after(60))),
        ("Sun Nov  6 08:50:37 1994", Some(after(60))),
        ("Sun, 06 Nov 1994 08:49:37 GMT", Some(after(0))),
        ("Thu, 01 Jan 1970 00:00:00 GMT", Some(after(0))),
        ("", None),
        ("-1", None),
        ("+1", None),
        ("1.5", None),
        ("soon", None),
        ("1e3", None),
        ("٣", None),
        ("Sun, 06 Nov 1994", None),
        ("Sun, 32 Nov 1994 08:49:37 GMT", None),
    ] {
        assert_eq!(Hint::retry_after(value, now), hint, "{value:?}");
    }
}

/// J6: gRPC codes.
#[test]
fn grpc_status() {
    use GrpcCode::*;
    for (code, class) in [
        (Unavailable, Retryable),
        (ResourceExhausted, RateLimited),
        (DeadlineExceeded, UnknownOutcome),
        (InvalidArgument, Final),
        (NotFound, Final),
        (AlreadyExists, Final),
        (PermissionDenied, Final),
        (Unauthenticated, Final),
        (Unimplemented, Final),
    ] {
        let rule: &str = &format!("grpc:{}", code.name());
        let (judged, by) = default(&Fault::grpc(code));
        assert_eq!((judged, by), (class, Some(rule)), "{code}");
    }
}

/// J6: a pushback is honoured, and a negative or unreadable one means stop.
#[test]
fn grpc_pushback() {
    assert_eq!(Hint::grpc_pushback("250"), Hint::After(Duration::from_millis(250)));
    assert_eq!(Hint::grpc_pushback("0"), after(0));
    for stop in ["-1", "", "soon", "1.5", "99999999999999999999999"] {
        assert_eq!(Hint::grpc_pushback(stop), Hint::Stop, "{stop:?}");
    }
    let unavailable = Fault::grpc(GrpcCode::Unavailable);
    let judgement = judge(&Rules::DEFAULT, &unavailable.clone().with_hint(after(1)));
    assert_eq!((judgement.class(), judgement.hint()), (Retryable, Some(Duration::from_secs(1))));
    let stopped = unavailable.with_hint(Hint::Stop);
    assert_eq!(default(&stopped), (Final, Some("pushback")));
    assert_eq!(class_by(&["any"], &[], &stopped), Final, "no rule overrides it");
}

/// J7: what is wrong with the request stays wrong.
#[test]
fn invalid_requests_are_final() {
    for kind in [Kind::Query, Kind::Syntax, Kind::Data, Kind::Argument] {
        assert_eq!(default(&Fault::of(kind)), (Final, Some("request")), "{kind}");
    }
}

/// J8: outermost first, and the first decisive fact wins.
#[test]
fn first_decisive_link_wins() {
    let chain = |links: [Fault; 3]| {
        let [first, second, third] = links;
        first.caused_by(second.caused_by(third))
    };
    let unknown = || Fault::default().with_type("Wrapper");
    let timeout = Fault::of(Kind::Timeout);
    assert_eq!(default(&chain([unknown(), unknown(), timeout.clone()])).0, Retryable);
    assert_eq!(default(&chain([unknown(), Fault::http(404), timeout.clone()])).0, Final);
    assert_eq!(default(&chain([timeout.clone(), Fault::http(404), unknown()])).0, Retryable);
    assert_eq!(default(&chain([Fault::sql("00000"), unknown(), timeout])).0, Retryable);
}

/// J8: nothing decisive is final, by no rule.
#[test]
fn undecided_fault_is_final() {
    for fault in [
        Fault::default(),
        Fault::sql("00000"),
        Fault::http(200),
        Fault::grpc(GrpcCode::Unknown),
        Fault::exit(1),
        Fault::of(Kind::Other),
        Fault::default().with_message("connection reset by peer"),
        Fault::default().with_type("TimeoutError"),
    ] {
        let (class, rule, matched_by) = by(&[], &[], &fault);
        assert_eq!((class, rule, matched_by), (Final, None, MatchedBy::Nothing), "{fault}");
    }
}

/// J8: at most 64 links are examined, whichever way they are nested.
#[test]
fn cause_walk_is_limited_to_64_links() {
    let nested = |links: usize| {
        (1..links).fold(Fault::http(503), |cause, _| Fault::default().caused_by(cause))
    };
    let listed = |links: usize| {
        let mut fault = Fault::default();
        fault.causes = vec![Fault::default(); links - 2];
        fault.caused_by(Fault::http(503))
    };
    assert_eq!(MAX_CAUSES, 64);
    for (links, class) in [(63, Retryable), (64, Retryable), (65, Final), (100, Final)] {
        assert_eq!(default(&nested(links)).0, class, "{links} nested");
        assert_eq!(default(&listed(links)).0, class, "{links} listed");
    }
}

/// An error that is its own cause.
#[derive(Debug)]
struct Ouroboros;

impl fmt::Display for Ouroboros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("because of itself")
    }
}

impl Error for Ouroboros {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self)
    }
}

/// J8: a circular chain terminates.
#[test]
fn cause_cycles_terminate() {
    let fault = extract::chain(&Ouroboros);
    assert_eq!(fault.causes.len(), MAX_CAUSES - 1);
    assert_eq!(default(&fault), (Final, None));
    let carried = extract::chain(&io::Error::other(Ouroboros));
    assert_eq!(default(&carried), (Final, None));
}

/// J8: messages are read only where a rule asks for it.
#[test]
fn messages_are_a_last_resort() {
    let fault = Fault::default().with_message("deadlock detected").with_type("QueryError");
    assert_eq!(class_by(&["timeout"], &[], &fault), Final);
    assert_eq!(class_by(&["message:deadlock"], &[], &fault), Retryable);
    assert_eq!(class_by(&["message:deadlock detected"], &["QueryError"], &fault), Final);
}

/// J2: whether a request may have taken effect is a fact, and makes a class of its own.
#[test]
fn unknown_outcome_is_a_class() {
    let lost = Fault::of(Kind::ConnectionReset).with_unknown_outcome();
    assert_eq!(default(&lost), (UnknownOutcome, Some("connection")));
    assert_eq!(default(&Fault::default().with_unknown_outcome()).0, UnknownOutcome);
    assert_eq!(class_by(&["connection"], &[], &lost), UnknownOutcome);
    assert_eq!(class_by(&[], &["connection"], &lost), Final);
}

/// J10: each form of a rule matches what it names, and nothing beside it.
#[test]
fn rules_match_what_they_name() {
    let faults = [
        Fault::http(503),
        Fault::http(500),
        Fault::http(408),
        Fault::sql("08006"),
        Fault::sql("40P01"),
        Fault::of(Kind::Timeout),
        Fault::of(Kind::ConnectionReset),
        Fault::of(Kind::TlsHostname),
        Fault::of(Kind::PoolTimeout),
        Fault::of(Kind::Syntax),
        Fault::grpc(GrpcCode::Unavailable),
        Fault::exit(75),
        Fault::default().with_type("sqlx::Error"),
    ];
    for (text, matches) in [
        ("5xx", &[0, 1][..]),
        ("503", &[0]),
        ("http:503", &[0]),
        ("http:4xx", &[2]),
        ("08", &[3]),
        ("sqlstate:40", &[4]),
        ("40P01", &[4]),
        ("sqlstate:40p01", &[4]),
        ("timeout", &[5]),
        ("TimeoutError", &[5]),
        ("connection", &[6]),
        ("io:connection_reset", &[6]),
        ("connection_reset", &[6]),
        ("ConnectionError", &[6]),
        ("NetworkError", &[6]),
        ("tls", &[7]),
        ("pool", &[8]),
        ("kind:pool_timeout", &[8]),
        ("request", &[9]),
        ("grpc:UNAVAILABLE", &[10]),
        ("grpc:unavailable", &[10]),
        ("exit:75", &[11]),
        ("Error", &[12]),
        ("type:sqlx::Error", &[12]),
        ("any", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    ] {
        let rule: Rule = text.parse().unwrap();
        let matched: Vec<_> =
            (0..).zip(&faults).filter(|(_, fault)| rule.matches(fault)).map(|(n, _)| n).collect();
        assert_eq!(matched, matches, "{text}");
    }
}

/// J10: a type is named with or without its path, in the manner of any language.
#[test]
fn types_are_named_with_or_without_their_path() {
    for (full, name, matches) in [
        ("sqlx::Error", "Error", true),
        ("sqlx::Error", "sqlx::Error", true),
        ("java.sql.SQLException", "SQLException", true),
        ("requests.exceptions.Timeout", "exceptions.Timeout", true),
        ("MyTimeoutError", "TimeoutError", false),
        ("Error", "sqlx::Error", false),
        ("TimeoutError", "timeouterror", false),
    ] {
        let rule: Rule = format!("type:{name}").parse().unwrap();
        assert_eq!(rule.matches(&Fault::default().with_type(full)), matches, "{full} {name}");
    }
}

/// J10: an invalid rule is rejected.
#[test]
fn invalid_rules_are_rejected() {
    for text in ["", "5yx", "6xx", "0xx", "600", "http:1000", "io:", "grpc:NOPE", "exit:x", "a b"] {
        assert!(text.parse::<Rule>().is_err(), "{text:?}");
    }
    let error = "5yx".parse::<Rule>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`5yx` is not a rule; use one such as 5xx, 503, 08, 40P01, timeout, connection, \
         io:connection_reset, tls, grpc:UNAVAILABLE, exit:75, message:TEXT, a type name, or any"
    );
}

/// J10: the most specific rule wins, and `abort_on` wins a tie.
#[test]
fn most_specific_rule_wins() {
    let own = |retry_on: &[&str], fault: &Fault| by(retry_on, &["4xx"], fault);
    let written = ["5xx", "408", "429"];
    assert_eq!(
        own(&written, &Fault::http(429)),
        (RateLimited, Some("429".to_owned()), MatchedBy::RetryOn)
    );
    assert_eq!(
        own(&written, &Fault::http(404)),
        (Final, Some("4xx".to_owned()), MatchedBy::AbortOn)
    );
    let reset = Fault::of(Kind::ConnectionReset).with_type("net::Error").with_message("reset");
    let ladder = [
        "any",
        "message:r",
        "message:reset",
        "Error",
        "net::Error",
        "connection",
        "io:connection_reset",
    ];
    for (index, lower) in ladder.iter().enumerate() {
        for higher in ladder.iter().skip(index + 1) {
            assert_eq!(class_by(&[higher], &[lower], &reset), Retryable, "{higher} beats {lower}");
            assert_eq!(class_by(&[lower], &[higher], &reset), Final, "{higher} beats {lower}");
        }
        assert_eq!(class_by(&[lower], &[lower], &reset), Final, "a tie at {lower}");
    }
}

/// J10: two spellings of one rule are a tie.
#[test]
fn prefix_does_not_add_specificity() {
    for (long, short, fault) in [
        ("http:503", "503", Fault::http(503)),
        ("http:5xx", "5xx", Fault::http(503)),
        ("sqlstate:40P01", "40P01", Fault::sql("40P01")),
        ("sqlstate:40", "40", Fault::sql("40P01")),
        ("kind:connection_reset", "io:connection_reset", Fault::of(Kind::ConnectionReset)),
        ("io:connection_reset", "connection_reset", Fault::of(Kind::ConnectionReset)),
        ("type:sqlx::Error", "sqlx::Error", Fault::default().with_type("sqlx::Error")),
    ] {
        assert_eq!(class_by(&[long], &[short], &fault), Final, "{long} {short}");
        assert_eq!(class_by(&[short], &[long], &fault), Final, "{short} {long}");
    }
}

/// J10: `retry_on` replaces what the default rules retry, not what they refuse to.
#[test]
fn retry_on_replaces_only_the_retrying_half() {
    assert_eq!(class_by(&["timeout"], &[], &Fault::http(503)), Final);
    assert_eq!(
        by(&["timeout"], &[], &Fault::http(404)),
        (Final, Some("4xx".to_owned()), MatchedBy::Default)
    );
    assert_eq!(class_by(&["404"], &[], &Fault::http(404)), Retryable);
    assert_eq!(class_by(&[], &["503"], &Fault::http(503)), Final);
    assert_eq!(class_by(&[], &["503"], &Fault::http(502)), Retryable);
}

/// J10: a policy's own rules are asked of each link before its causes are.
#[test]
fn own_rules_walk_the_chain() {
    let wrapped = Fault::default().with_type("Wrapper").caused_by(Fault::http(503));
    assert_eq!(class_by(&["5xx"], &[], &wrapped), Retryable);
    assert_eq!(class_by(&["5xx"], &["Wrapper"], &wrapped), Final);
    assert_eq!(class_by(&["any"], &["5xx"], &wrapped), Retryable, "the wrapper is any");
}

/// J10: rules beyond counting are still rules, and the right one is named.
#[test]
fn many_rules_are_supported() {
    let mut texts = vec!["timeout"; 70_000];
    texts.push("503");
    let (class, rule, _) = by(&texts, &[], &Fault::http(503));
    assert_eq!((class, rule.as_deref()), (Retryable, Some("503")));
}
