//! Running under a name.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::observe::{Memory, Recorder, Session, SessionState, Tally};
use steadfast::registry::Loader;
use steadfast::{Attempt, CancelHandle, Policy, Reason};

use super::{Scene, attempts};

fn down() -> io::Result<()> {
    Err(io::ErrorKind::ConnectionRefused.into())
}

/// F6: a session runs under the policy that its name leads to, blocking and async.
#[tokio::test]
async fn name_runs_under_its_policy() {
    let scene = Scene::unwatched(&attempts(4));
    let error = scene.registry.run("p", down).call().unwrap_err();
    assert_eq!((error.attempts(), error.reason()), (4, Reason::AttemptsExhausted));
    let error = scene.registry.run("p", || async { down() }).await.unwrap_err();
    assert_eq!(error.attempts(), 4);
}

/// Everything that can be said of a call can be said here, too.
#[test]
fn run_accepts_all_options_of_a_call() {
    let scene = Scene::unwatched(&attempts(3));
    let mut heard = Vec::new();
    let sent = scene
        .registry
        .run("p", |attempt: Attempt| {
            if attempt.number() < 2 {
                Err(io::Error::from(io::ErrorKind::TimedOut))
            } else {
                Ok(attempt.key().to_string())
            }
        })
        .key("invoice-42")
        .on_event(|event| heard.push((event.operation.to_owned(), event.attempt)))
        .call()
        .unwrap();
    assert_eq!(
        (sent.as_str(), heard),
        ("invoice-42", [1, 2].map(|attempt| ("p".to_owned(), attempt)).to_vec())
    );
}

/// O1: a session counts for the subsystem that its policy was found under, whatever it is called;
/// a policy's id is no subsystem.
#[test]
fn session_counts_for_the_subsystem_of_its_policy() {
    let text = "version: '1.1.0'\npolicies: {p: {}}\n\
                subsystem_mappings: {browser: {state: {timeout: p}}}\n";
    let scene = Scene::unwatched(text);
    let memory = Memory::default();
    let run = |found_by: &str, name: &str| {
        let session = scene.registry.run(found_by, || Ok::<_, io::Error>(())).named(name).seed(7);
        session.instrument(Recorder::new(&memory)).call().unwrap();
    };
    run("browser.state.timeout", "save_state");
    run("browser.state.timeout", "browser.save_state");
    run("p", "navigation.visit");
    let sessions = memory.sessions();
    let written = |place: usize| serde_json::to_value(&sessions[place]).unwrap();
    assert_eq!(written(0)["subsystem"], "browser");
    assert_eq!(serde_json::from_value::<Session>(written(0)).unwrap(), sessions[0]);
    assert_eq!((written(1).get("subsystem"), written(2).get("subsystem")), (None, None));

    let mut tally = Tally::new(Timestamp::MIN, Timestamp::MAX);
    assert!(sessions.iter().all(|session| tally.add(session)));
    let shares = tally.summary().by_subsystem;
    let counts: Vec<_> = shares.iter().map(|(name, share)| (&**name, share.sessions)).collect();
    assert_eq!(counts, [("browser", 2), ("navigation", 1)]);
}

/// I6: the sessions under way are listed by the name that they were run by, and one can be
/// called off while it waits.
#[tokio::test]
async fn session_is_listed_and_cancelled() {
    let text = "version: '1.1.0'\npolicies: {p: {base_delay: 1h, max_delay: 1h}}\n\
                subsystem_mappings: {browser: {state: {timeout: p}}}\n";
    let scene = Scene::unwatched(text);
    let registry = scene.registry.clone();
    let session = tokio::spawn(async move {
        registry.run("browser.state.timeout", || async { down() }).await.unwrap_err()
    });
    let listed = loop {
        if let [listed] = &scene.registry.sessions()[..]
            && listed.state == SessionState::Waiting
        {
            break listed.clone();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(listed.operation, "browser.state.timeout");
    assert_eq!((listed.policy_id.as_deref(), listed.attempt), (Some("p"), 2));
    assert_eq!(scene.registry.health().sessions, 1);
    assert!(scene.registry.cancel(listed.session_id));
    assert_eq!(session.await.unwrap().reason(), Reason::Cancelled);
    assert!(scene.registry.sessions().is_empty() && !scene.registry.cancel(listed.session_id));
}

/// I6: a blocking session is listed from its first attempt on.
#[test]
fn blocking_session_is_listed_in_its_first_attempt() {
    let scene = Scene::unwatched(&attempts(1));
    let registry = scene.registry.clone();
    let seen = registry.clone().run("p", || {
        let listed = registry.sessions();
        Ok::<_, io::Error>((listed.len(), listed[0].state))
    });
    assert_eq!(seen.call().unwrap(), (1, SessionState::Attempting));
    assert!(scene.registry.sessions().is_empty());
}

/// F4: a session ends under the policy that it began with.
#[test]
fn session_keeps_the_policy_of_its_start() {
    let scene = Scene::unwatched(&attempts(5));
    let made = AtomicU32::new(0);
    let error = scene
        .registry
        .run("p", || {
            if made.fetch_add(1, Ordering::Relaxed) == 1 {
                scene.write(&attempts(2));
                scene.registry.reload().unwrap();
            }
            down()
        })
        .call()
        .unwrap_err();
    assert_eq!((error.attempts(), scene.attempts()), (5, 2));
}

/// Clones are the same registry, and it can be used from many threads.
#[test]
fn clones_share_state() {
    let scene = Scene::unwatched(&attempts(2));
    let clone = scene.registry.clone();
    let (began, begun) = channel();
    let (go_on, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let run = clone.run("p", move || {
                began.send(()).unwrap();
                wait.recv().unwrap();
                Ok::<_, io::Error>(())
            });
            run.call().unwrap();
        });
        begun.recv().unwrap();
        assert_eq!(scene.registry.sessions().len(), 1);
        go_on.send(()).unwrap();
    });
}

/// P6: without a file the presets are available.
#[test]
fn registry_without_a_file_has_the_presets() {
    let none: [(&str, &str); 0] = [];
    let registry = Loader::presets().variables(none).load().unwrap();
    let sql: &Policy = &registry.policy("sql");
    assert_eq!(sql.timing().base_delay(1), Duration::from_millis(500));
    let health = registry.health();
    assert!(health.current && health.file.is_none() && !health.watching);
    assert!(registry.reload().unwrap().is_none());
}

/// I6: a session with its own handle, or its own seed, is cancelled by its id
/// all the same.
#[tokio::test]
async fn session_with_its_own_handle_is_cancelled_by_its_id() {
    let scene =
        Scene::unwatched("version: '1.1.0'\npolicies: {p: {base_delay: 1h, max_delay: 1h}}\n");
    let registry = scene.registry.clone();
    let session = tokio::spawn(async move {
        let own = CancelHandle::new();
        registry.run("p", || async { down() }).seed(1).cancel_with(&own).await.unwrap_err()
    });
    let listed = loop {
        match scene.registry.sessions().pop() {
            Some(listed) if listed.state == SessionState::Waiting => break listed,
            _ => tokio::task::yield_now().await,
        }
    };
    assert!(scene.registry.cancel(listed.session_id));
    let ended = tokio::time::timeout(Duration::from_secs(30), session).await;
    assert_eq!(ended.expect("it is called off").unwrap().reason(), Reason::Cancelled);
}
