//! O5: secrets never reach a log, an event, a row or a page.

#![cfg(feature = "record")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use steadfast::observe::{ErrorRecord, MASK, Redactor};
use steadfast::{Fault, Kind};

fn clean(text: &str) -> String {
    Redactor::new().text(text).into_owned()
}

/// Each text, and what is left of it.
const KNOWN: &[(&str, &str)] = &[
    // Passwords in URLs.
    ("postgres://app:hunter2@db:5432/main", "postgres://app:***@db:5432/main"),
    ("redis://:hunter2@cache/0", "redis://:***@cache/0"),
    ("postgresql+asyncpg://a:b@h", "postgresql+asyncpg://a:***@h"),
    ("amqp://u:p%40ss@h and http://u2:p2@h2", "amqp://u:***@h and http://u2:***@h2"),
    ("https://ghp_abc123@github.com/x.git", "https://***@github.com/x.git"),
    ("postgres://alice@db/main", "postgres://alice@db/main"),
    ("proxy 'http://u:p@h:3128': refused", "proxy 'http://u:***@h:3128': refused"),
    // Unencoded passwords.
    ("postgres://app:a@b@db/main", "postgres://app:***@db/main"),
    ("postgres://app:pa/ss@db/main", "postgres://app:***@db/main"),
    ("postgres://app:pa?s#s@db/main", "postgres://app:***@db/main"),
    (r#"{"url":"postgres:\/\/app:hunter2@db"}"#, r#"{"url":"postgres:\/\/app:***@db"}"#),
    // URLs without any.
    ("http://files.example:4873/@scope/package", "http://files.example:4873/@scope/package"),
    ("http://[::1]:8080/a@b", "http://[::1]:8080/a@b"),
    ("https://host/path?email=a@b.example", "https://host/path?email=a@b.example"),
    // Headers.
    ("Authorization: Bearer abc.def-123", "Authorization: ***"),
    ("authorization: Basic dXNlcjpwYXNz\nhost: h", "authorization: ***\nhost: h"),
    ("Proxy-Authorization: Digest username=\"u\", response=\"r\"", "Proxy-Authorization: ***"),
    ("Set-Cookie: sid=1; Path=/\r\nVia: x", "Set-Cookie: ***\r\nVia: x"),
    ("curl -H \"Authorization: Bearer abc\" http://h", "curl -H \"Authorization: ***\" http://h"),
    ("X-Api-Key: k1 (rejected)", "X-Api-Key: *** (rejected)"),
    ("rejected Bearer eyx.y.z, try again", "rejected Bearer ***, try again"),
    ("got `Basic dXNlcjpwYXNz`", "got `Basic ***`"),
    ("Basic authentication failed", "Basic authentication failed"),
    ("Bearer authentication failed", "Bearer authentication failed"),
    // Names and values.
    ("token=abc123", "token=***"),
    ("api_key=abc&page=2", "api_key=***&page=2"),
    ("GET /v1?access_token=abc&page=2#top", "GET /v1?access_token=***&page=2#top"),
    ("https://h/?X-Amz-Signature=0f&x=1", "https://h/?X-Amz-Signature=***&x=1"),
    ("host=db password=hunter2 user=app", "host=db password=*** user=app"),
    ("host=db password = 'hunter 2' user=app", "host=db password = '***' user=app"),
    ("Server=db;Pwd=hunter2;Database=main", "Server=db;Pwd=***;Database=main"),
    ("cache,password=a,b,ssl=True", "cache,password=***,ssl=True"),
    ("(password=hunter2)", "(password=***)"),
    ("PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"),
    ("login --password hunter2 --host h", "login --password *** --host h"),
    ("user[password]=hunter2&user[name]=n", "user[password]=***&user[name]=n"),
    ("user%5Bpassword%5D=hunter2&a=b", "user%5Bpassword%5D=***&a=b"),
    ("next=%2F%3Ftoken%3Dabc%26page%3D2", "next=%2F%3Ftoken%3D***%26page%3D2"),
    ("<password>hunter2</password>", "<password>***</password>"),
    ("auth=Bearer abc, x=1", "auth=***, x=1"),
    ("redis_auth: abc", "redis_auth: ***"),
    // JSON and what looks like it, nested or not.
    (r#"{"password":"hunter2","user":"u"}"#, r#"{"password":"***","user":"u"}"#),
    (r#"{"a": 1, "accessToken" : "a\"b"}"#, r#"{"a": 1, "accessToken" : "***"}"#),
    (r#"body: "{\"token\": \"abc\", \"a\": 1}""#, r#"body: "{\"token\": \"***\", \"a\": 1}""#),
    (r#"Login { user: "u", password: Some("a b") }"#, r#"Login { user: "u", password: *** }"#),
    (
        r#"[("authorization", "Digest a b"), ("x", "y")]"#,
        r#"[("authorization", "***"), ("x", "y")]"#,
    ),
    (r#"{"tokens": ["a", "b"], "x": 1}"#, r#"{"tokens": ***, "x": 1}"#),
    (r#"{"password": null, "token": 12}"#, r#"{"password": null, "token": ***}"#),
    ("{'password': b'hunter 2'}", "{'password': ***}"),
    ("{:password => \"hunter2\"}", "{:password => \"***\"}"),
    // Tokens that say themselves what they are.
    ("session eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln expired", "session *** expired"),
    // Nothing of the kind.
    ("the compass bypass: ok", "the compass bypass: ok"),
    ("crate::token::Error at line 3", "crate::token::Error at line 3"),
    ("timeout after 30s: pool=main attempt=2", "timeout after 30s: pool=main attempt=2"),
    ("password", "password"),
    ("password=", "password="),
    ("", ""),
];

#[test]
fn secrets_in_known_positions_are_redacted_and_other_text_is_kept() {
    let wrong: Vec<_> = KNOWN
        .iter()
        .map(|(text, expected)| (text, clean(text), expected))
        .filter(|(_, found, expected)| found != *expected)
        .collect();
    assert!(wrong.is_empty(), "text, found, expected: {wrong:#?}");
}

/// Where a secret may be planted, as text before and after it.
const PLACES: &[(&str, &str)] = &[
    ("postgres://app:", "@db/main"),
    ("https://", "@host/"),
    ("redis://:", "@cache"),
    ("Authorization: Bearer ", "\n"),
    ("Authorization: Basic ", ""),
    ("proxy-authorization: Digest response=\"", "\"\r\n"),
    ("\"Authorization: Bearer ", "\""),
    ("{\"authorization\": \"Bearer ", "\"}"),
    ("Cookie: a=b; sid=", "\n"),
    ("Bearer ", ", denied"),
    ("token=", ""),
    ("?api_key=", "&page=2"),
    ("?a=b&Access-Token=", "#top"),
    ("password=", " host=db"),
    ("password = ", ";"),
    ("passwd: ", ")"),
    ("DB_PASSWORD='", "'"),
    ("client_secret=\"", "\""),
    ("{\"password\":\"", "\",\"user\":\"u\"}"),
    ("\\\"password\\\": \\\"", "\\\", \\\"a\\\": 1"),
    ("Login { password: Some(\"", "\") }"),
    ("(\"x-api-key\", \"", "\")"),
    ("--token ", " --verbose"),
    ("{:pwd => \"", "\"}"),
    ("<secret>", "</secret>"),
    ("ssn=", ""),
    ("{\"SSN\": \"", "\"}"),
];

/// Long enough not to be found by chance in what is around it.
const SECRET: &str = "[A-Za-z0-9+/=_.~%$!-]{6,24}S3cr3t[A-Za-z0-9+/=_.~%$!-]{0,8}";

/// Pieces of which texts are made that are hard to read.
fn pieces() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "password",
        "token",
        "Bearer",
        "Basic",
        "Authorization",
        "auth",
        "eyJa",
        "http",
        "://",
        "//",
        ":",
        "=",
        "@",
        "/",
        "\\",
        "\"",
        "'",
        "`",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        ",",
        ";",
        "&",
        "%3D",
        "%5D",
        "%26",
        "--",
        "-",
        " ",
        "\n",
        "\t",
        ".",
        "***",
        "*",
        "a",
        "B7",
        "null",
        "ü",
        "\u{0}",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn planted_secret_never_appears(
        place in prop::sample::select(PLACES),
        secret in SECRET,
        before in pieces(),
        after in pieces(),
    ) {
        let redactor = Redactor::new().also("ssn");
        // A `/` ends what can be in front of a host.
        let secret = if place.0 == "https://" { secret.replace('/', "_") } else { secret };
        let text = format!("{before} {}{secret}{}{after}", place.0, place.1);
        let left = redactor.text(&text);
        prop_assert!(!left.contains("S3cr3t"), "{text:?} became {left:?}");
    }

    #[test]
    fn redaction_is_idempotent(text in pieces()) {
        let once = clean(&text);
        prop_assert_eq!(clean(&once), once.clone(), "from {:?}", text);
    }

    #[test]
    fn any_text_is_redacted_without_panic(text in any::<String>()) {
        let once = clean(&text);
        prop_assert_eq!(clean(&once), once);
    }
}

/// O5: inputs that are slow with backtracking, each 200 000 bytes long. The bound is far
/// above what one pass takes and far below what a pass for each word would.
#[test]
fn long_text_is_redacted_in_linear_time() {
    let began = Instant::now();
    for piece in [
        "a",
        "-",
        " ",
        "\\",
        "\"",
        "token=(",
        "token=\"",
        "token: [\\",
        "basic (",
        "Bearer ",
        "eyJ.",
        "://a:b",
        "://a:b@",
        "http://a:b/",
        "token token: ",
        "a,b=",
        "password=a,",
        "--token ",
        "***",
        "p_",
        "Authorization:",
        "\"Authorization:",
        "token%3D",
        "{\"token\":{",
        "token=b'",
        "ü=",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        let left = clean(&text);
        assert!(left.len() <= 2 * text.len());
    }
    assert!(began.elapsed() < Duration::from_secs(30), "took {:?}", began.elapsed());
}

/// O5: configured keys, in any spelling.
#[test]
fn configured_keys_are_redacted() {
    let redactor = Redactor::new().also("Tax-Id");
    assert_eq!(redactor.text("tax_id=1 TAXID: 2 tax=3"), "tax_id=*** TAXID: *** tax=3");
    assert_eq!(clean("tax_id=1"), "tax_id=1");
    assert_eq!(Redactor::new().also("_-").text("a=1 =2"), "a=1 =2");
}

#[test]
fn context_is_redacted_by_key_and_by_text() {
    let mut context = json!({
        "url": "https://u:hunter2@host/?token=t1",
        "user": "u1",
        "headers": {"Authorization": "Bearer t2", "Accept": "*/*"},
        "pairs": [["x-api-key", "t3"], ["accept", "*/*"]],
        "list": [{"name": "Cookie", "value": "t4"}, {"name": "Accept", "value": "*/*"}],
        "deep": {"credentials": {"user": "t5", "pin": 7}, "password": 1234},
        "token": null,
        "has_token": true,
        "ssn": ["t6"],
    });
    Redactor::new().also("ssn").value(&mut context);
    let expected = json!({
        "url": "https://u:***@host/?token=***",
        "user": "u1",
        "headers": {"Authorization": "***", "Accept": "*/*"},
        "pairs": [["x-api-key", "***"], ["accept", "*/*"]],
        "list": [{"name": "Cookie", "value": "***"}, {"name": "Accept", "value": "*/*"}],
        "deep": {"credentials": "***", "password": "***"},
        "token": null,
        "has_token": true,
        "ssn": "***",
    });
    assert_eq!(context, expected);
    let mut alone = Value::from("token=abc");
    Redactor::new().value(&mut alone);
    assert_eq!(alone, format!("token={MASK}"));
}

#[test]
fn fault_is_redacted_with_its_causes() {
    let mut fault = Fault::of(Kind::Timeout)
        .with_message("GET https://h/?token=t1")
        .caused_by(Fault::http(503).caused_by(Fault::default().with_message("password=t2")));
    Redactor::new().fault(&mut fault);
    let json = serde_json::to_string(&fault).unwrap();
    assert!(!json.contains("t1") && !json.contains("t2"), "{json}");
    assert_eq!((fault.kind, fault.causes[0].http_status), (Some(Kind::Timeout), Some(503)));
}

/// O5: stack traces only in debug mode, and even there without secrets.
#[test]
fn stack_trace_is_kept_only_in_debug_mode() {
    let error = ErrorRecord::new("E", "password=t1").with_stack_trace("at a.rs:1, token=t2");
    let mut usual = error.clone();
    Redactor::new().error(&mut usual);
    assert_eq!((usual.message.as_str(), usual.stack_trace), ("password=***", None));
    let mut debugged = error;
    Redactor::new().stack_traces(true).error(&mut debugged);
    assert_eq!(debugged.stack_trace.as_deref(), Some("at a.rs:1, token=***"));
}

/// O5: what has been installed first stays, so that no library can take it away.
#[test]
fn redactor_is_installed_once() {
    assert!(Redactor::new().also("badge").install());
    assert!(!Redactor::new().install());
    assert_eq!(Redactor::installed().text("badge=1"), "badge=***");
}
