//! The targets that the built-in handler `http` rejects (K2).

#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

mod handlers_loopback;

use handlers_loopback::{Names, Server, answer, call, class, http, loopback, redirect};
use serde_json::json;
use steadfast::{Class, Failure, Kind};
use steadfast_worker::handlers::{HandlerError, Http, Targets};

/// An address of every range that is not public, and its description.
const FORBIDDEN: &[(&str, &str)] = &[
    ("0.0.0.0", "an address of this host (0.0.0.0/8)"),
    ("0.1.2.3", "an address of this host (0.0.0.0/8)"),
    ("10.0.0.1", "a private address (10.0.0.0/8)"),
    ("100.64.0.1", "a carrier-grade NAT address (100.64.0.0/10)"),
    ("127.0.0.1", "a loopback address (127.0.0.0/8)"),
    ("127.255.255.254", "a loopback address (127.0.0.0/8)"),
    ("169.254.1.1", "a link-local address (169.254.0.0/16)"),
    ("172.16.0.1", "a private address (172.16.0.0/12)"),
    ("172.31.255.255", "a private address (172.16.0.0/12)"),
    ("192.0.0.8", "an address of a protocol (192.0.0.0/24)"),
    ("192.0.2.1", "an address for documentation (192.0.2.0/24)"),
    ("192.168.1.1", "a private address (192.168.0.0/16)"),
    ("198.18.0.1", "an address for benchmarks (198.18.0.0/15)"),
    ("198.51.100.1", "an address for documentation (198.51.100.0/24)"),
    ("203.0.113.1", "an address for documentation (203.0.113.0/24)"),
    ("224.0.0.1", "a multicast address (224.0.0.0/4)"),
    ("240.0.0.1", "a reserved address (240.0.0.0/4)"),
    ("255.255.255.255", "the broadcast address (255.255.255.255/32)"),
    ("::", "the unspecified address (::/128)"),
    ("::1", "the loopback address (::1/128)"),
    ("::127.0.0.1", "a reserved address (::/3)"),
    ("::ffff:127.0.0.1", "a loopback address (127.0.0.0/8)"),
    ("::ffff:10.0.0.1", "a private address (10.0.0.0/8)"),
    ("64:ff9b::10.0.0.1", "embeds 10.0.0.1, a private address"),
    ("64:ff9b:1::1", "an address of a local NAT64"),
    ("100::1", "an address that discards"),
    ("2001::1", "an address of a Teredo tunnel"),
    ("2001:2::1", "an address for benchmarks"),
    ("2001:db8::1", "an address for documentation"),
    ("2002:a00:1::1", "embeds 10.0.0.1, a private address"),
    ("3fff::1", "an address for documentation"),
    ("fd12:3456::1", "a unique local address (fc00::/7)"),
    ("fe80::1", "a link-local address (fe80::/10)"),
    ("fec0::1", "a site-local address"),
    ("ff02::1", "a multicast address (ff00::/8)"),
    ("169.254.169.254", "a cloud metadata service"),
    ("169.254.170.2", "a cloud metadata service"),
    ("168.63.129.16", "a cloud metadata service"),
    ("100.100.100.200", "a cloud metadata service"),
    ("fd00:ec2::254", "a cloud metadata service"),
    ("::ffff:169.254.169.254", "a cloud metadata service"),
];

fn assert_rejected(fault: &HandlerError, words: &str) {
    assert_eq!(fault.fault().kind, Some(Kind::PermissionDenied), "{fault}");
    assert_eq!(class(fault), Class::Final, "{fault}");
    let message = fault.to_string();
    assert!(message.contains(words), "{message} does not say: {words}");
    assert!(message.contains("to allow it, start the worker with --allow-target "), "{message}");
}

/// K2: an address in a URL that is not public is rejected.
#[tokio::test]
async fn forbidden_address_in_a_url_is_rejected() {
    let http = http(&[], &Names::default());
    for (address, words) in FORBIDDEN {
        let host = if address.contains(':') { format!("[{address}]") } else { (*address).into() };
        let fault = call(&http, json!({"url": format!("http://{host}:1/")})).await.unwrap_err();
        assert_rejected(&fault, words);
    }
}

/// K2: the same for a name that resolves to it.
#[tokio::test]
async fn name_of_a_forbidden_address_is_rejected() {
    let name = |number: usize| format!("host-{number}.example.com");
    let names = FORBIDDEN.iter().enumerate().fold(Names::default(), |names, (number, case)| {
        let (address, _) = case;
        names.with(&name(number), &[address])
    });
    let http = http(&[], &names);
    for (number, (_, words)) in FORBIDDEN.iter().enumerate() {
        let url = format!("http://{}:1/", name(number));
        let fault = call(&http, json!({"url": url})).await.unwrap_err();
        assert_rejected(&fault, words);
        assert!(
            fault.to_string().starts_with(&format!("{} resolves to ", name(number))),
            "{fault}"
        );
    }
}

/// K2: no spelling of an address bypasses the check.
#[tokio::test]
async fn unusual_spelling_of_an_address_is_rejected() {
    let names = Names::default();
    let http = http(&[], &names);
    for host in [
        "2130706433",
        "0x7f000001",
        "017700000001",
        "0x7f.1",
        "127.1",
        "0177.0.0.1",
        "127.0.0.1.",
        "%31%32%37.0.0.1",
        "１２７.0.0.1",
        "127。0。0。1",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:127.0.0.1]",
        "user:word@127.0.0.1",
    ] {
        let fault = call(&http, json!({"url": format!("http://{host}/")})).await.unwrap_err();
        assert_rejected(&fault, "127.0.0.1 is a loopback address");
    }
    assert!(names.resolved().is_empty());
}

/// K2: `localhost` is resolved and rejected, too.
#[tokio::test]
async fn localhost_is_rejected() {
    let http = Http::new(Targets::default()).unwrap();
    let fault = call(&http, json!({"url": "http://localhost:1/"})).await.unwrap_err();
    assert_rejected(&fault, "loopback address");
}

/// K2: metadata services are rejected by name, before DNS is queried.
#[tokio::test]
async fn name_of_a_metadata_service_is_rejected() {
    let names = Names::default().with("metadata.google.internal", &["1.1.1.1"]);
    let http = http(&["0.0.0.0/0"], &names);
    for host in ["metadata.google.internal", "METADATA.google.internal.", "metadata"] {
        let fault = call(&http, json!({"url": format!("http://{host}/")})).await.unwrap_err();
        assert_rejected(&fault, "a cloud metadata service");
    }
    assert!(names.resolved().is_empty());
}

/// K2: a redirect to a forbidden address is rejected, by address and by name.
#[tokio::test]
async fn redirect_to_a_forbidden_address_is_rejected() {
    let names = Names::default().with("inside.example.com", &["10.0.0.1"]);
    let http = http(&["127.0.0.0/8"], &names);
    let cases = [
        ("http://10.0.0.1/", "10.0.0.1 is a private address"),
        (
            "http://inside.example.com/",
            "inside.example.com resolves to 10.0.0.1, a private address",
        ),
        ("//169.254.169.254/latest/meta-data/", "169.254.169.254 is a cloud metadata service"),
        ("http://0xa000001/", "10.0.0.1 is a private address"),
    ];
    for (location, words) in cases {
        for status in [301, 302, 303, 307, 308] {
            let server = Server::start([redirect(status, location)]).await;
            let fault = call(&http, json!({"url": server.url()})).await.unwrap_err();
            assert_rejected(&fault, words);
        }
    }
}

/// K2: the second of two redirects is checked like the first.
#[tokio::test]
async fn every_redirect_is_checked() {
    let server = Server::start([redirect(302, "/next"), redirect(302, "http://[::1]/")]).await;
    let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
    assert_rejected(&fault, "::1 is the loopback address");
    assert_eq!(server.requests().len(), 2);
}

/// K2: a rule allows a target by its network, its address or its name.
#[tokio::test]
async fn allowed_target_is_called() {
    let names = Names::default().with("db.internal", &["127.0.0.1"]);
    for (rule, host) in [
        ("127.0.0.0/8", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "db.internal"),
        ("db.internal", "db.internal"),
        ("DB.internal.", "db.internal"),
    ] {
        let server = Server::start([answer(200, "", "here")]).await;
        let url = format!("http://{host}:{}/", server.address.port());
        let answer = call(&http(&[rule], &names), json!({"url": url})).await.unwrap();
        assert_eq!(answer.body, "here", "{rule} {host}");
    }
}

/// K2: a rule allows its target and nothing else.
#[tokio::test]
async fn rule_allows_nothing_else() {
    let names = Names::default().with("db.internal", &["127.0.0.1"]);
    for (rule, url) in [
        ("127.0.0.2", "http://127.0.0.1/"),
        ("db.internal", "http://127.0.0.1/"),
        ("internal", "http://db.internal/"),
        ("10.0.0.0/8", "http://db.internal/"),
    ] {
        let fault = call(&http(&[rule], &names), json!({"url": url})).await.unwrap_err();
        assert_rejected(&fault, "127.0.0.1");
    }
}

/// K2: the checked address is the one that is connected to: a name that changes its address is
/// resolved once per connection, and checked each time.
#[tokio::test]
async fn rebound_name_is_checked_for_each_connection() {
    let names = Names::default()
        .with("rebind.example", &["127.0.0.2"])
        .with("rebind.example", &["127.0.0.1"]);
    let http = http(&["127.0.0.2"], &names);
    let server = Server::start_at([127, 0, 0, 2].into(), [answer(200, "", "once")]).await;
    let payload = json!({"url": format!("http://rebind.example:{}/", server.address.port())});

    assert_eq!(call(&http, payload.clone()).await.unwrap().body, "once");
    assert_eq!(names.resolved(), ["rebind.example"]);
    let fault = call(&http, payload).await.unwrap_err();
    assert_rejected(&fault, "rebind.example resolves to 127.0.0.1");
    assert_eq!(names.resolved().len(), 2);
}

/// K2: one forbidden address among public ones rejects them all.
#[tokio::test]
async fn name_with_one_forbidden_address_is_rejected() {
    let names = Names::default().with("mixed.example", &["127.0.0.2", "10.0.0.1"]);
    let fault =
        call(&http(&["127.0.0.0/8"], &names), json!({"url": "http://mixed.example/"})).await;
    assert_rejected(&fault.unwrap_err(), "mixed.example resolves to 10.0.0.1");
}

/// K2: only http and https are supported, also in redirects.
#[tokio::test]
async fn other_scheme_is_rejected() {
    for url in ["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "unix:/run/x"] {
        let fault = call(&loopback(), json!({"url": url})).await.unwrap_err();
        assert!(fault.to_string().contains("use http or https"), "{fault}");
        assert_eq!(class(&fault), Class::Final);

        let server = Server::start([redirect(302, url)]).await;
        let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
        assert!(fault.to_string().contains("use http or https"), "{fault}");
        assert_eq!(class(&fault), Class::Final);
    }
}
