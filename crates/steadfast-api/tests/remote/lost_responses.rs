//! Requests and answers that get lost (J9): a server that breaks off, once, at a chosen place.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use steadfast_api::remote::Remote;
use steadfast_api::{Api, ErrorKind, NewTask, TaskFilter};
use steadfast_store::TaskId;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::bound;

/// What stands before the server.
struct Between {
    remote: Remote,
    connections: Arc<AtomicUsize>,
}

/// A proxy that lets the first request through to the server and keeps its answer to itself;
/// whatever comes after that is let through both ways.
async fn losing_the_first_answer() -> Between {
    let server = bound().await;
    let to = server.address();
    tokio::spawn(server.run_until(std::future::pending()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut server = TcpStream::connect(to).await.unwrap();
            let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
            tokio::spawn(async move {
                if !is_first {
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                    return;
                }
                let mut buffer = vec![0; 1 << 16];
                let read = client.read(&mut buffer).await.unwrap();
                server.write_all(&buffer[..read]).await.unwrap();
                // The answer is there, so it has been done.
                let _ = server.read(&mut buffer).await.unwrap();
            });
        }
    });
    Between { remote: Remote::new(&format!("http://{address}")).unwrap(), connections }
}

fn task() -> NewTask {
    NewTask::from_json(r#"{"kind": "k", "payload": 1}"#).unwrap()
}

/// J9, D9: a task whose answer was lost is sent again, and is one task, and new.
#[tokio::test]
async fn a_task_whose_answer_was_lost_is_one_task() {
    let Between { remote, connections } = losing_the_first_answer().await;
    let submitted = remote.submit(task()).await.unwrap();
    assert_eq!(connections.load(Ordering::SeqCst), 2);
    assert!(!submitted.existed);
    assert_eq!(remote.stats().await.unwrap().total(), 1);
}

/// J9: so are those of a batch.
#[tokio::test]
async fn a_batch_whose_answer_was_lost_is_taken_once() {
    let Between { remote, .. } = losing_the_first_answer().await;
    let submitted = remote.submit_all(vec![task(), task()]).await.unwrap();
    assert!(submitted.iter().all(|task| !task.existed));
    assert_eq!(remote.stats().await.unwrap().total(), 2);
}

/// J9: an order that may have been obeyed is not given again.
#[tokio::test]
async fn an_order_that_may_have_been_obeyed_is_not_repeated() {
    let Between { remote, connections } = losing_the_first_answer().await;
    let told = remote.cancel(TaskId::fresh()).await.unwrap_err();
    assert_eq!(told.kind, ErrorKind::Unreachable, "{told}");
    assert!(told.detail.contains("broke off") && told.next.is_some(), "{told}");
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

/// J2: a question is asked again.
#[tokio::test]
async fn a_question_whose_answer_was_lost_is_asked_again() {
    let Between { remote, connections } = losing_the_first_answer().await;
    remote.tasks(&TaskFilter::default(), &Default::default()).await.unwrap();
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

/// Section 10: a server that is not there is told with what to do.
#[tokio::test]
async fn a_server_that_is_not_there_says_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let told = Remote::new(&format!("http://{address}")).unwrap().stats().await.unwrap_err();
    assert_eq!(told.kind, ErrorKind::Unreachable);
    assert!(told.detail.contains(&address.to_string()), "{told}");
    assert!(told.detail.to_lowercase().contains("refused"), "{told}");
    assert!(told.next.unwrap().contains("steadfast serve"));
}
