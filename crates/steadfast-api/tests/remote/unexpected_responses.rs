//! Whoever answers and is no Steadfast server.

use steadfast_api::remote::Remote;
use steadfast_api::{Api, ErrorKind, EventFilter, NewTask};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server that always answers this; what it was asked is told.
async fn answering(answer: &'static str) -> (Remote, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, asked) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut buffer = vec![0; 1 << 16];
            let read = client.read(&mut buffer).await.unwrap();
            let _ = tell.send(String::from_utf8_lossy(&buffer[..read]).into_owned());
            client.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (Remote::new(&format!("http://{address}")).unwrap(), asked)
}

/// K4: a page of another server is told as one.
#[tokio::test]
async fn an_answer_of_another_server_is_told_as_one() {
    for (answer, kind, told) in [
        (
            "HTTP/1.1 404 Not Found\r\ncontent-length: 5\r\nconnection: close\r\n\r\n<html",
            ErrorKind::Other,
            "404",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\n<html",
            ErrorKind::Other,
            "cannot be read",
        ),
        (
            "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            ErrorKind::Unauthenticated,
            "401",
        ),
    ] {
        let error = answering(answer).await.0.stats().await.unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.detail.contains(told) && error.next.is_some(), "{error}");
    }
}

/// K1: nobody is followed: the token is for this server alone.
#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let moved = "HTTP/1.1 308 Permanent Redirect\r\nlocation: http://127.0.0.1:1/elsewhere\r\n\
                 content-length: 0\r\nconnection: close\r\n\r\n";
    let error = answering(moved).await.0.stats().await.unwrap_err();
    assert!(error.next.unwrap().contains("http://127.0.0.1:1/elsewhere"));
}

/// J6: a server that is busy for a moment is asked again.
#[tokio::test]
async fn a_server_that_is_busy_is_asked_again() {
    let busy = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 0\r\n\
                connection: close\r\n\r\n";
    let (remote, mut asked) = answering(busy).await;
    let error = remote.stats().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreachable);
    let mut times = 0;
    while asked.try_recv().is_ok() {
        times += 1;
    }
    assert!(times > 1, "asked {times} times");
}

/// D9: what is done and cannot be shown is told so, and is not asked for again.
#[tokio::test]
async fn what_is_done_and_cannot_be_shown_is_asked_for_once() {
    let unread = "HTTP/1.1 202 Accepted\r\ncontent-type: application/problem+json\r\n\
                  connection: close\r\n\r\n{\"type\":\"urn:steadfast:unread\",\"title\":\"t\",\
                  \"status\":202,\"detail\":\"d\",\"id\":\"i\"}";
    let (remote, mut asked) = answering(unread).await;
    let task = NewTask::from_json(r#"{"kind": "a", "payload": 1}"#).unwrap();
    let told = remote.submit(task).await.unwrap_err();
    assert_eq!(told.kind, ErrorKind::Unread, "{told}");
    assert_eq!(told.id.as_deref().map(String::as_str), Some("i"));
    assert!(asked.try_recv().is_ok() && asked.try_recv().is_err());
}

/// K1: the token goes along, and is never shown.
#[tokio::test]
async fn a_token_is_sent_and_not_shown() {
    let (remote, mut asked) =
        answering("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await;
    let remote = remote.with_token("sf_s3cret").unwrap();
    assert!(!format!("{remote:?}").contains("s3cret"));
    let error = remote.stats().await.unwrap_err();
    assert!(!error.to_string().contains("s3cret"));
    let request = asked.recv().await.unwrap().to_lowercase();
    assert!(request.contains("authorization: bearer sf_s3cret\r\n"), "{request}");
    for wrong in ["", "two words", "line\nbreak"] {
        let refused = remote.clone().with_token(wrong).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("token"));
    }
}

/// O1: an event that cannot be read is passed over, and not asked for again.
#[tokio::test]
async fn an_event_that_cannot_be_read_is_passed_over() {
    let stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
                  id: 5\ndata: {\"a\":\"newer event\"}\n\n";
    let (remote, mut asked) = answering(stream).await;
    let following =
        tokio::spawn(async move { remote.follow(EventFilter::default(), 4).next().await });
    for last in ["last-event-id: 4", "last-event-id: 5"] {
        let request = asked.recv().await.unwrap();
        assert!(request.contains(last), "{request}");
    }
    assert!(!following.is_finished());
    following.abort();
}

/// K4: a server that takes the question and says nothing is not waited for for ever.
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let remote = Remote::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let error = remote.follow(EventFilter::default(), 0).next().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreachable, "{error}");
}
