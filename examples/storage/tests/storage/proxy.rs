//! A proxy that can cut connections.
//!
//! Only this determines on which side of a commit a connection is lost.

use std::sync::{Arc, Mutex};

use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The message that is lost, together with the connection.
#[derive(Clone, Copy)]
pub(crate) enum Cut {
    /// The next request that contains this: it does not reach the server.
    Request(&'static [u8]),
    /// The response to it: the server has processed the request.
    Answer(&'static [u8]),
}

pub(crate) struct Proxy {
    /// The URL of the server through the proxy.
    pub(crate) url: String,
    next: Next,
}

type Next = Arc<Mutex<Option<Cut>>>;

impl Proxy {
    pub(crate) async fn before(url: &str) -> Self {
        let server: PgConnectOptions = url.parse().unwrap();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (user, database) = (server.get_username(), server.get_database().unwrap());
        let url = format!("postgres://{user}@127.0.0.1:{port}/{database}?sslmode=disable");
        let next = Next::default();
        let proxy = Self { url, next: Arc::clone(&next) };
        let place = (server.get_host().to_owned(), server.get_port());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(place.clone()).await.unwrap();
                tokio::spawn(pass(client, server, Arc::clone(&next)));
            }
        });
        proxy
    }

    pub(crate) fn cut_next(&self, cut: Cut) {
        *self.next.lock().unwrap() = Some(cut);
    }
}

/// Forwards everything until one side closes, or the cut.
async fn pass(mut client: TcpStream, mut server: TcpStream, next: Next) {
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            Ok(length @ 1..) = client.read(&mut asked) => {
                let request = &asked[..length];
                match due(&next, request) {
                    Some(Cut::Request(_)) => return,
                    Some(Cut::Answer(_)) => {
                        server.write_all(request).await.unwrap();
                        // The first byte is sent when the statement is done.
                        server.readable().await.unwrap();
                        return;
                    }
                    None if server.write_all(request).await.is_err() => return,
                    None => {}
                }
            }
            Ok(length @ 1..) = server.read(&mut answered) => {
                if client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
            else => return,
        }
    }
}

fn due(next: &Next, request: &[u8]) -> Option<Cut> {
    next.lock().unwrap().take_if(|cut| {
        let (Cut::Request(text) | Cut::Answer(text)) = cut;
        request.windows(text.len()).any(|part| part == *text)
    })
}
