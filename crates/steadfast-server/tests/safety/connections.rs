//! Connection limits (K4).

use std::time::Duration;

use steadfast_testing::poll::eventually;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep, timeout};

use crate::{IN_TIME, Tokens, World, request, world_of};

/// The write timeout in this test.
const WRITE_TIMEOUT: Duration = Duration::from_millis(500);
/// Requests of the large description: more than all buffers hold.
const TIMES: usize = 400;

async fn impatient_world() -> World {
    world_of(Tokens::new(), |server| server.io_timeout(WRITE_TIMEOUT)).await
}

/// Asks for much, and reads nothing yet.
async fn ask_for_much(world: &World) -> TcpStream {
    let mut connection = TcpStream::connect(world.address).await.unwrap();
    let one = request("GET /openapi.json", &[], "");
    let many = one.replace("Connection: close\r\n", "").repeat(TIMES - 1) + &one;
    connection.write_all(many.as_bytes()).await.unwrap();
    connection
}

/// K4: a client that never reads is disconnected.
#[tokio::test]
async fn unread_response_is_aborted() {
    let world = impatient_world().await;
    let mut connection = ask_for_much(&world).await;
    // A write detects a closed connection without reading.
    eventually("the connection is closed", async || connection.write_all(b"\r\n").await.is_err())
        .await;
}

/// K4: a slow reader is served for as long as it takes.
#[tokio::test]
async fn slowly_read_response_is_complete() {
    let world = impatient_world().await;
    let mut connection = ask_for_much(&world).await;
    let (began, mut read, mut piece) = (Instant::now(), Vec::new(), vec![0; 512 << 10]);
    loop {
        let bytes = timeout(IN_TIME, connection.read(&mut piece)).await.unwrap().unwrap();
        if bytes == 0 {
            break;
        }
        read.extend_from_slice(&piece[..bytes]);
        if began.elapsed() < 3 * WRITE_TIMEOUT {
            // The client is slow, but never as slow as the timeout.
            sleep(WRITE_TIMEOUT / 10).await;
        }
    }
    assert!(began.elapsed() >= 3 * WRITE_TIMEOUT, "it was too little: {} bytes", read.len());
    assert_eq!(String::from_utf8_lossy(&read).matches("HTTP/1.1 200").count(), TIMES);
}

/// Whether a client at this local address is served.
async fn is_served(world: &World, from: &str) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
    let mut connection = socket.connect(world.address).await.unwrap();
    let sent = request("GET /healthz", &[], "").replace("Connection: close\r\n", "");
    connection.write_all(sent.as_bytes()).await.ok()?;
    let mut status_line = [0; 12];
    let read = timeout(IN_TIME, connection.read_exact(&mut status_line)).await;
    read.expect("the server does not respond").ok()?;
    assert_eq!(&status_line, b"HTTP/1.1 200");
    Some(connection)
}

/// K4: one client cannot hold all connections, and can reuse released ones.
#[tokio::test]
async fn one_client_cannot_take_all_connections() {
    let world = world_of(Tokens::new(), |server| server.max_connections(4)).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(is_served(&world, "127.0.0.1").await.expect("it has a share"));
    }
    assert!(is_served(&world, "127.0.0.1").await.is_none(), "it has its share");
    assert!(is_served(&world, "127.0.0.2").await.is_some(), "others have theirs");
    drop(held);
    eventually("released connections can be used again", async || {
        is_served(&world, "127.0.0.1").await.is_some()
    })
    .await;
}
