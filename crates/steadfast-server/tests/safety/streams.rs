//! Streams that outlast a token or a session (K1).

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::{IN_TIME, World, bearer, world};

/// Follows events, and has got the first word.
async fn follow(world: &World, header: &str) -> TcpStream {
    let mut following = TcpStream::connect(world.address).await.unwrap();
    let head = format!("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n{header}\r\n\r\n");
    following.write_all(head.as_bytes()).await.unwrap();
    let mut begun = [0; 12];
    following.read_exact(&mut begun).await.unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    following
}

/// Waits for the end, which in chunks is an empty one.
async fn end(mut following: TcpStream) {
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
    end(following).await;
}

/// K1: and when they log out, wherever they did.
#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.viewer).await.session());
    let following = follow(&world, &session).await;
    let own = [&*session, "Sec-Fetch-Site: same-origin"];
    assert_eq!(world.ask("POST /logout", &own, "").await.status, 303);
    end(following).await;
}
