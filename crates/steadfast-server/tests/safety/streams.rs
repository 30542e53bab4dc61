//! Streams that outlast a token (K1).

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::{IN_TIME, bearer, world};

/// K1: whoever follows events is let go when their token is taken back.
#[tokio::test]
async fn a_stream_ends_with_its_token() {
    let world = world().await;
    let mut following = TcpStream::connect(world.address).await.unwrap();
    let token = bearer(&world.tokens.viewer);
    let head = format!("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n{token}\r\n\r\n");
    following.write_all(head.as_bytes()).await.unwrap();
    let mut begun = [0; 12];
    following.read_exact(&mut begun).await.unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    world.tokens.write(&[&world.tokens.admin]);
    // A stream in chunks has ended when an empty one has come.
    let mut rest = Vec::new();
    let ended = async {
        while !rest.ends_with(b"\r\n0\r\n\r\n") {
            assert!(following.read_buf(&mut rest).await.unwrap() > 0, "cut off, not ended");
        }
    };
    timeout(IN_TIME, ended).await.expect("it goes on");
}
