//! Facts of an expired tokio timeout (J2, J11).

#![cfg(feature = "tokio")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may panic")]

use std::future::pending;
use std::io;
use std::time::Duration;

use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Kind, extract};

/// J2: what was in flight when the time ran out may have taken effect.
#[tokio::test(start_paused = true)]
async fn expired_timeout() {
    let error = tokio::time::timeout(Duration::from_secs(1), pending::<()>()).await.unwrap_err();
    assert_eq!(error.fault().kind, Some(Kind::Timeout));
    let wrapped = io::Error::other(error);
    let judgement = judge::judge(&Rules::default(), &extract::chain(&wrapped));
    assert_eq!(judgement.class(), Class::UnknownOutcome);
}

/// J4: a failed DNS lookup.
#[tokio::test]
async fn failed_lookup() {
    // No resolver is asked for this name.
    let Err(error) = tokio::net::lookup_host(("-", 80)).await else { panic!("`-` has an address") };
    assert_eq!(extract::failure(&error).kind, Some(Kind::Dns), "{error:?}");
}
