//! As much of a PostgreSQL server as it takes to fail: it lets a client in and
//! answers its first message with an error, or with silence.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::peer;

/// A server that lets nobody in.
pub(crate) async fn refusing(sqlstate: &'static str) -> SocketAddr {
    peer(move |mut stream| async move {
        read_startup(&mut stream).await;
        stream.write_all(&error("FATAL", sqlstate)).await.unwrap();
    })
    .await
}

/// A server on which every statement fails.
pub(crate) async fn failing(sqlstate: &'static str) -> SocketAddr {
    peer(move |mut stream| async move {
        welcome(&mut stream).await;
        while read_message(&mut stream).await.is_some_and(|tag| tag == b'Q') {
            let answer = [error("ERROR", sqlstate), ready()].concat();
            stream.write_all(&answer).await.unwrap();
        }
    })
    .await
}

/// A server that goes away while it works on a statement.
pub(crate) async fn leaving() -> SocketAddr {
    peer(|mut stream| async move {
        welcome(&mut stream).await;
        read_message(&mut stream).await;
    })
    .await
}

async fn welcome(stream: &mut TcpStream) {
    read_startup(stream).await;
    let authenticated = message(b'R', &0_u32.to_be_bytes());
    let key = message(b'K', &[0; 8]);
    let version = message(b'S', b"server_version\x0015.0\0");
    let encoding = message(b'S', b"client_encoding\0UTF8\0");
    let hello = [authenticated, version, encoding, key, ready()].concat();
    stream.write_all(&hello).await.unwrap();
}

/// The first message of a client has no tag.
async fn read_startup(stream: &mut TcpStream) {
    read_body(stream).await.unwrap();
}

async fn read_message(stream: &mut TcpStream) -> Option<u8> {
    let tag = stream.read_u8().await.ok()?;
    read_body(stream).await?;
    Some(tag)
}

async fn read_body(stream: &mut TcpStream) -> Option<()> {
    let length = stream.read_u32().await.ok()?;
    let mut body = vec![0; usize::try_from(length).ok()?.checked_sub(4)?];
    stream.read_exact(&mut body).await.ok()?;
    Some(())
}

fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

fn error(severity: &str, sqlstate: &str) -> Vec<u8> {
    let fields = format!("S{severity}\0V{severity}\0C{sqlstate}\0Mas the test wished\0\0");
    message(b'E', fields.as_bytes())
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[tag], &length.to_be_bytes()[..], body].concat()
}
