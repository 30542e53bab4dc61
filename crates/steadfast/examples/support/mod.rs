//! A server for the examples.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const RESPONSES: [&str; 2] = [
    "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
];

/// Starts a server that is busy at first, and returns its URL.
pub(crate) async fn busy_http_server() -> io::Result<String> {
    // This build of reqwest has no TLS provider of its own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        for response in RESPONSES {
            let (mut stream, _) = listener.accept().await?;
            let _ = stream.read(&mut [0; 1024]).await?;
            stream.write_all(response.as_bytes()).await?;
        }
        io::Result::Ok(())
    });
    Ok(url)
}
