//! Streams that outlast a token or a session (K1).

use std::time::Duration;

use jiff::Timestamp;
use steadfast_server::{NewToken, Role};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::{IN_TIME, Tokens, World, bearer, world, world_of};

/// Follows events, and has got the first word.
async fn follow(world: &World, header: &str) -> TcpStream {
    follow_at(world, "/api/v1/events", header).await
}

async fn follow_at(world: &World, path: &str, header: &str) -> TcpStream {
    let mut following = TcpStream::connect(world.address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n\r\n");
    following.write_all(head.as_bytes()).await.unwrap();
    let mut begun = [0; 12];
    following.read_exact(&mut begun).await.unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    following
}

/// Waits for the end, which in chunks is an empty one.
async fn end_of(mut following: TcpStream) {
    let mut rest = Vec::new();
    let ended = async {
        while !rest.ends_with(b"\r\n0\r\n\r\n") {
            assert!(following.read_buf(&mut rest).await.unwrap() > 0, "cut off, not ended");
        }
    };
    timeout(IN_TIME, ended).await.expect("it goes on");
}

/// K1: whoever follows events is let go when their token is taken back.
#[tokio::test]
async fn a_stream_ends_with_its_token() {
    let world = world().await;
    let following = follow(&world, &bearer(&world.tokens.viewer)).await;
    world.tokens.write(&[&world.tokens.admin]);
    end_of(following).await;
}

/// K1: and when they log out, wherever they did.
#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.viewer).await.session());
    let following = follow(&world, &session).await;
    let own = [&*session, "Sec-Fetch-Site: same-origin"];
    assert_eq!(world.ask("POST /logout", &own, "").await.status, 303);
    end_of(following).await;
}

/// K1: a session is nothing to whoever shows a token beside it.
#[tokio::test]
async fn a_stream_with_a_token_outlasts_a_session_beside_it() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.viewer).await.session());
    let both = format!("{session}\r\n{}", bearer(&world.tokens.admin));
    let mut following = follow(&world, &both).await;
    let own = [&*session, "Sec-Fetch-Site: same-origin"];
    assert_eq!(world.ask("POST /logout", &own, "").await.status, 303);
    let ended = async {
        let mut rest = Vec::new();
        while following.read_buf(&mut rest).await.unwrap() > 0 {
            assert!(!rest.ends_with(b"\r\n0\r\n\r\n"), "it ended");
        }
    };
    assert!(timeout(Duration::from_millis(500), ended).await.is_err());
}

/// A server with one token, which expires soon.
async fn brief_world() -> (World, NewToken) {
    let (tokens, end) = (Tokens::new(), Timestamp::now() + Duration::from_secs(2));
    let brief = NewToken::new("brief", Role::Viewer, Some(end)).unwrap();
    tokens.write(&[&brief]);
    let file = tokens.file();
    (world_of(tokens, |server| server.tokens(file)).await, brief)
}

/// K1: and when their token expires, in the midst of it.
#[tokio::test]
async fn a_stream_ends_when_its_token_expires() {
    let (world, brief) = brief_world().await;
    end_of(follow(&world, &bearer(&brief)).await).await;
    world.ask_as(&brief, "GET /api/v1/stats").await.problem(401);
}

/// K1: with a session it is no other, and the streams of pages are no others.
#[tokio::test]
async fn a_stream_of_a_session_ends_when_its_token_expires() {
    let (world, brief) = brief_world().await;
    let session = format!("Cookie: {}", world.log_in(&brief).await.session());
    end_of(follow_at(&world, "/live", &session).await).await;
}
