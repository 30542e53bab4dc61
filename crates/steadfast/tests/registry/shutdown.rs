//! Ending well.

use std::io;
use std::sync::mpsc::channel;
use std::time::Duration;

use steadfast::Reason;

use super::{Scene, attempts};

/// Sessions under way may end; new ones are cancelled before their first attempt.
#[tokio::test(start_paused = true)]
async fn shutdown_waits_for_running_sessions() {
    let scene = Scene::unwatched(&attempts(1));
    let registry = scene.registry.clone();
    let session = tokio::spawn(async move {
        let work = || async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            Ok::<_, io::Error>("done")
        };
        registry.run("p", work).await
    });
    while scene.registry.sessions().is_empty() {
        tokio::task::yield_now().await;
    }
    let stopped = scene.registry.shutdown(Duration::from_secs(10)).await;
    assert_eq!(stopped.cancelled, 0);
    assert_eq!(session.await.unwrap().unwrap(), "done");

    let mut tried = 0;
    let late = scene.registry.run("p", || {
        tried += 1;
        Ok::<_, io::Error>(())
    });
    assert_eq!(late.call().unwrap_err().reason(), Reason::Cancelled);
    assert!(tried == 0 && scene.registry.health().stopping);
}

/// What has not ended in time is cancelled.
#[tokio::test(start_paused = true)]
async fn shutdown_cancels_sessions_after_the_grace() {
    let text = "version: '1.1.0'\npolicies: {p: {base_delay: 1d, max_delay: 1d}}\n";
    let scene = Scene::unwatched(text);
    let registry = scene.registry.clone();
    let down = || async { Err::<(), _>(io::Error::from(io::ErrorKind::TimedOut)) };
    let session = tokio::spawn(async move { registry.run("p", down).await });
    while scene.registry.sessions().is_empty() {
        tokio::task::yield_now().await;
    }
    let stopped = scene.registry.shutdown(Duration::from_secs(10)).await;
    assert_eq!(stopped.cancelled, 1);
    assert_eq!(session.await.unwrap().unwrap_err().reason(), Reason::Cancelled);
}

/// The same from a thread.
#[test]
fn blocking_shutdown_waits_for_running_sessions() {
    let scene = Scene::unwatched(&attempts(1));
    let (began, begun) = channel();
    std::thread::scope(|scope| {
        let session = scope.spawn(|| {
            let work = || {
                began.send(()).unwrap();
                while !scene.registry.health().stopping {
                    std::thread::yield_now();
                }
                Ok::<_, io::Error>("done")
            };
            scene.registry.run("p", work).call()
        });
        begun.recv().unwrap();
        let stopped = scene.registry.shutdown_blocking(Duration::from_secs(60));
        assert_eq!(stopped.cancelled, 0);
        assert_eq!(session.join().unwrap().unwrap(), "done");
    });
}

/// A session that was made before the shutdown and is awaited after it is cancelled, too.
#[tokio::test(start_paused = true)]
async fn session_that_waits_after_a_shutdown_is_cancelled() {
    let scene = Scene::unwatched(&attempts(1));
    let pending = scene.registry.run("p", std::future::pending::<io::Result<()>>);
    scene.registry.shutdown(Duration::ZERO).await;
    let ended = tokio::time::timeout(Duration::from_secs(60), pending).await;
    let error = ended.expect("it does not wait for ever").unwrap_err();
    assert_eq!(error.reason(), Reason::Cancelled);
    assert!(scene.registry.sessions().is_empty());
}

/// However long the grace, there is a moment at which it ends, or none.
#[test]
fn infinite_grace_does_not_overflow() {
    let scene = Scene::unwatched(&attempts(1));
    assert_eq!(scene.registry.shutdown_blocking(Duration::MAX).cancelled, 0);
    assert_eq!(scene.registry.shutdown_blocking(Duration::MAX).cancelled, 0, "once more");
}
