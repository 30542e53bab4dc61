//! One failure, found however it is wrapped (J8, J11).

#![cfg(all(feature = "anyhow", feature = "reqwest"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod loopback;

use std::error::Error;
use std::fmt;

use anyhow::Context;
use loopback::{resetting, tls};
use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Fault, Kind, extract};

/// A reset of a real connection: reqwest's error around hyper's around the socket's.
async fn reset() -> reqwest::Error {
    let builder = reqwest::Client::builder().no_proxy();
    let client = builder.tls_backend_preconfigured(tls::client(None)).build().unwrap();
    client.get(format!("http://{}/", resetting().await)).send().await.unwrap_err()
}

/// A caller's own error, which knows nothing.
#[derive(Debug)]
struct Lookup(reqwest::Error);

impl fmt::Display for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the lookup failed")
    }
}

impl Error for Lookup {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

fn assert_unknown_outcome(fault: &Fault) {
    let judgement = judge::judge(&Rules::default(), fault);
    assert_eq!(judgement.class(), Class::UnknownOutcome);
    assert_eq!(judgement.rule(&Rules::default()), Some("connection"));
}

/// J8: each link reports its facts, including the socket's error.
#[tokio::test]
async fn custom_error() {
    let fault = extract::chain(&Lookup(reset().await));
    assert_eq!((fault.kind, fault.message.as_deref()), (None, Some("the lookup failed")));
    let facts_of = |name: &str| {
        fault.causes.iter().find(|cause| cause.type_name.as_deref() == Some(name)).unwrap()
    };
    for name in ["reqwest::Error", "hyper::Error"] {
        assert_eq!(facts_of(name).kind, Some(Kind::ConnectionReset), "{name}");
        assert!(facts_of(name).unknown_outcome, "{name}");
    }
    assert_eq!(facts_of("std::io::Error").kind, Some(Kind::ConnectionReset));
    assert_unknown_outcome(&fault);
}

/// J8, J10: a rule finds the link that it names.
#[tokio::test]
async fn custom_rule() {
    let fault = extract::chain(&Lookup(reset().await));
    let rules = Rules::new(None, vec!["reqwest::Error".parse().unwrap()]);
    assert_eq!(judge::judge(&rules, &fault).class(), Class::Final);
    let rules = Rules::new(None, vec!["io:connection_refused".parse().unwrap()]);
    assert_eq!(judge::judge(&rules, &fault).class(), Class::UnknownOutcome);
}

/// J11: anyhow's error is opened, with whatever context was put around it.
#[tokio::test]
async fn anyhow_error() {
    let bare = anyhow::Error::new(reset().await);
    assert_eq!(bare.fault().kind, Some(Kind::ConnectionReset));
    assert_unknown_outcome(&extract::failure(&bare));

    let wrapped = Err::<(), _>(Lookup(reset().await)).context("while indexing").unwrap_err();
    assert_eq!(wrapped.fault(), Fault::default());
    assert_eq!(wrapped.message().as_deref(), Some("while indexing"));
    assert_unknown_outcome(&extract::failure(&wrapped));
}

/// J11: an error of which only the trait is known.
#[tokio::test]
async fn boxed_error() {
    let boxed: Box<dyn Error> = Box::new(Lookup(reset().await));
    assert_unknown_outcome(&extract::failure(&boxed));
    let boxed: Box<dyn Error + Send + Sync> = Box::new(reset().await);
    assert_unknown_outcome(&extract::failure(&boxed));
    assert_unknown_outcome(&extract::failure(&*boxed));
}

/// J4: a failed DNS lookup is a fact of its own, retryable by default.
#[test]
fn failed_lookup() {
    // No resolver is asked for this name.
    let error = std::net::ToSocketAddrs::to_socket_addrs(&("-", 80)).unwrap_err();
    let fault = extract::failure(&error);
    assert_eq!(fault.kind, Some(Kind::Dns), "{error:?}");
    let judgement = judge::judge(&Rules::DEFAULT, &fault);
    assert_eq!(
        (judgement.class(), judgement.rule(&Rules::DEFAULT)),
        (Class::Retryable, Some("dns"))
    );
    let other = std::io::Error::other("a lookup failed");
    assert_eq!(extract::failure(&other).kind, None);
}
