//! Facts of `tokio_postgres::Error`, from the real driver on a socket whose
//! other end has scripted responses (J2 to J4, J11).

#![cfg(feature = "tokio-postgres")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod loopback;

use std::net::SocketAddr;

use loopback::{no_listener, postgres};
use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Kind, extract};
use tokio_postgres::{Client, Config, Error, NoTls};

async fn connect(address: SocketAddr) -> Result<Client, Error> {
    let mut config = Config::new();
    config.host("127.0.0.1").port(address.port()).user("test");
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn class(error: &Error) -> Class {
    judge::judge(&Rules::default(), &extract::failure(error)).class()
}

fn state(error: &Error) -> (Option<String>, Class) {
    (error.fault().sqlstate.map(|state| state.to_string()), class(error))
}

/// J3: a server that is starting up refuses with a SQLSTATE.
#[tokio::test]
async fn failed_authentication() {
    let error = connect(postgres::refusing("57P03").await).await.err().unwrap();
    assert_eq!(state(&error), (Some("57P03".into()), Class::Retryable));
}

/// J3: the classes of SQLSTATE, as the driver reports them.
#[tokio::test]
async fn failing_statement() {
    let cases = [
        ("40P01", Class::Retryable),
        ("08007", Class::UnknownOutcome),
        ("23505", Class::Final),
        ("P0001", Class::Final),
    ];
    for (sqlstate, class) in cases {
        let client = connect(postgres::failing(sqlstate).await).await.unwrap();
        let error = client.batch_execute("SELECT 1").await.unwrap_err();
        assert_eq!(state(&error), (Some(sqlstate.into()), class));
    }
}

/// J4, J8: the socket's own error is found in the chain.
#[tokio::test]
async fn refused_connection() {
    let (address, _socket) = no_listener();
    let error = connect(address).await.err().unwrap();
    assert_eq!(extract::failure(&error).causes[0].kind, Some(Kind::ConnectionRefused));
    assert_eq!(class(&error), Class::Retryable);
}

/// J2: a server that goes away while a statement is in flight may have done it.
#[tokio::test]
async fn connection_lost_before_the_response() {
    let client = connect(postgres::leaving().await).await.unwrap();
    let error = client.batch_execute("SELECT 1").await.unwrap_err();
    assert!(error.is_closed());
    assert_eq!(error.fault().kind, Some(Kind::NotConnected));
    assert_eq!(class(&error), Class::UnknownOutcome);
}

/// J7: a mistake that never reached the server decides nothing, and so is final.
#[tokio::test]
async fn invalid_configuration() {
    let error = "port=none".parse::<Config>().unwrap_err();
    assert_eq!(class(&error), Class::Final);
}
