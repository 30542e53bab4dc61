//! Event streams that outlast a token or a session (K1).

use std::time::Duration;

use jiff::Timestamp;
use steadfast_server::{NewToken, Role};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::{IN_TIME, Tokens, World, bearer, world, world_of};

/// Opens an event stream and reads the status line.
async fn follow(world: &World, header: &str) -> TcpStream {
    follow_at(world, "/api/v1/events", header).await
}

async fn follow_at(world: &World, path: &str, header: &str) -> TcpStream {
    let mut following = TcpStream::connect(world.address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n\r\n");
    following.write_all(head.as_bytes()).await.unwrap();
    let mut status_line = [0; 12];
    following.read_exact(&mut status_line).await.unwrap();
    assert_eq!(&status_line, b"HTTP/1.1 200");
    following
}

/// Waits for the end of the stream, an empty chunk.
async fn end_of(mut following: TcpStream) {
    let mut rest = Vec::new();
    let ended = async {
        while !rest.ends_with(b"\r\n0\r\n\r\n") {
            assert!(following.read_buf(&mut rest).await.unwrap() > 0, "cut off, not ended");
        }
    };
    timeout(IN_TIME, ended).await.expect("the stream does not end");
}

/// K1: a stream ends when its token is revoked.
#[tokio::test]
async fn stream_ends_when_token_is_revoked() {
    let world = world().await;
    let following = follow(&world, &bearer(&world.tokens.viewer)).await;
    world.tokens.write(&[&world.tokens.admin]);
    end_of(following).await;
}

/// K1: and on logout, wherever it happens.
#[tokio::test]
async fn stream_ends_on_logout() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.viewer).await.session());
    let following = follow(&world, &session).await;
    let own = [&*session, "Sec-Fetch-Site: same-origin"];
    assert_eq!(world.ask("POST /logout", &own, "").await.status, 303);
    end_of(following).await;
}

/// K1: a session does not matter for a stream with a token.
#[tokio::test]
async fn stream_with_token_outlasts_session() {
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

/// A server with one token that expires soon.
async fn brief_world() -> (World, NewToken) {
    let (tokens, end) = (Tokens::new(), Timestamp::now() + Duration::from_secs(2));
    let brief = NewToken::new("brief", Role::Viewer, Some(end)).unwrap();
    tokens.write(&[&brief]);
    let file = tokens.file();
    (world_of(tokens, |server| server.tokens(file)).await, brief)
}

/// K1: and when its token expires.
#[tokio::test]
async fn stream_ends_when_token_expires() {
    let (world, brief) = brief_world().await;
    end_of(follow(&world, &bearer(&brief)).await).await;
    world.ask_as(&brief, "GET /api/v1/stats").await.problem(401);
}

/// K1: the same with a session, and for the streams of pages.
#[tokio::test]
async fn session_stream_ends_when_token_expires() {
    let (world, brief) = brief_world().await;
    let session = format!("Cookie: {}", world.log_in(&brief).await.session());
    end_of(follow_at(&world, "/live", &session).await).await;
}
