//! Responses that are not of a Steadfast server.

use steadfast_api::remote::Remote;
use steadfast_api::{Api, ErrorKind, EventFilter, NewTask};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server with a fixed response, and a channel of its requests.
async fn responding_with(
    response: &'static str,
) -> (Remote, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, requests) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut buffer = vec![0; 1 << 16];
            let read = client.read(&mut buffer).await.unwrap();
            let _ = sender.send(String::from_utf8_lossy(&buffer[..read]).into_owned());
            client.write_all(response.as_bytes()).await.unwrap();
        }
    });
    (Remote::new(&format!("http://{address}")).unwrap(), requests)
}

/// K4: a response of another server is reported as such.
#[tokio::test]
async fn response_of_another_server_is_reported() {
    for (response, kind, message) in [
        (
            "HTTP/1.1 404 Not Found\r\ncontent-length: 5\r\nconnection: close\r\n\r\n<html",
            ErrorKind::Other,
            "404",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\n<html",
            ErrorKind::Other,
            "cannot decode",
        ),
        (
            "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            ErrorKind::Unauthenticated,
            "401",
        ),
    ] {
        let error = responding_with(response).await.0.stats().await.unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.detail.contains(message) && error.next.is_some(), "{error}");
    }
}

/// K1: a redirect is not followed: the token is for this server alone.
#[tokio::test]
async fn redirect_is_reported_and_not_followed() {
    let moved = "HTTP/1.1 308 Permanent Redirect\r\nlocation: http://127.0.0.1:1/elsewhere\r\n\
                 content-length: 0\r\nconnection: close\r\n\r\n";
    let error = responding_with(moved).await.0.stats().await.unwrap_err();
    assert!(error.next.unwrap().contains("http://127.0.0.1:1/elsewhere"));
}

/// J6: a request to a busy server is retried.
#[tokio::test]
async fn request_to_busy_server_is_retried() {
    let busy = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 0\r\n\
                connection: close\r\n\r\n";
    let (remote, mut requests) = responding_with(busy).await;
    let error = remote.stats().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreachable);
    let mut count = 0;
    while requests.try_recv().is_ok() {
        count += 1;
    }
    assert!(count > 1, "{count} requests");
}

/// D9: a change that cannot be read back is reported as done, and is not repeated.
#[tokio::test]
async fn accepted_response_is_not_retried() {
    let unread = "HTTP/1.1 202 Accepted\r\ncontent-type: application/problem+json\r\n\
                  connection: close\r\n\r\n{\"type\":\"urn:steadfast:unread\",\"title\":\"t\",\
                  \"status\":202,\"detail\":\"d\",\"id\":\"i\"}";
    let (remote, mut requests) = responding_with(unread).await;
    let task = NewTask::from_json(r#"{"kind": "a", "payload": 1}"#).unwrap();
    let error = remote.submit(task).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::ReadBackFailed, "{error}");
    assert_eq!(error.id.as_deref().map(String::as_str), Some("i"));
    assert!(requests.try_recv().is_ok() && requests.try_recv().is_err());
}

/// K1: the token is sent, and never shown.
#[tokio::test]
async fn token_is_sent_and_not_shown() {
    let (remote, mut requests) =
        responding_with("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await;
    let remote = remote.with_token("sf_s3cret").unwrap();
    assert!(!format!("{remote:?}").contains("s3cret"));
    let error = remote.stats().await.unwrap_err();
    assert!(!error.to_string().contains("s3cret"));
    let request = requests.recv().await.unwrap().to_lowercase();
    assert!(request.contains("authorization: bearer sf_s3cret\r\n"), "{request}");
    for invalid in ["", "two words", "line\nbreak"] {
        let rejected = remote.clone().with_token(invalid).unwrap_err();
        assert_eq!(rejected.field.as_deref(), Some("token"));
    }
}

/// O1: an event that cannot be decoded is skipped, and not requested again.
#[tokio::test]
async fn undecodable_event_is_skipped() {
    let stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
                  id: 5\ndata: {\"a\":\"newer event\"}\n\n";
    let (remote, mut requests) = responding_with(stream).await;
    let following =
        tokio::spawn(async move { remote.follow(EventFilter::default(), 4).next().await });
    for last in ["last-event-id: 4", "last-event-id: 5"] {
        let request = requests.recv().await.unwrap();
        assert!(request.contains(last), "{request}");
    }
    assert!(!following.is_finished());
    following.abort();
}

/// K4: a server that accepts the connection and sends nothing is given up.
#[tokio::test(start_paused = true)]
async fn stream_from_silent_server_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let remote = Remote::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let error = remote.follow(EventFilter::default(), 0).next().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreachable, "{error}");
}
