//! F4: the policy file and its flags change while the scraper runs.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use example_scraper::error::ScraperError;
use example_scraper::flags;
use example_scraper::manager::RetryManager;
use steadfast::registry::Loader;
use tokio::sync::Notify;

use super::{POLICIES, Scene, answer};

const TIMEOUT: Duration = Duration::from_secs(60);

impl Scene {
    fn watched(&self) -> (RetryManager, Receiver<String>) {
        let (sender, changes) = channel();
        let loader = Loader::file(&self.file)
            .on_change(move |change| sender.send(change.to_string()).unwrap_or_default());
        (RetryManager::load(loader).unwrap(), changes)
    }

    /// Replaces the file as an editor does.
    fn replace(&self, text: &str) {
        let new = self.folder.path().join("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, &self.file).unwrap();
    }
}

fn is_old(manager: &RetryManager, subsystem: &str) -> bool {
    flags::is_old(&manager.registry.policies(), subsystem)
}

fn short_delays() -> String {
    POLICIES.replace("base_delay: 2.0", "base_delay: 0.2")
}

/// F4: a change is applied while the program runs, and reported as a diff.
#[test]
fn change_is_applied_and_reported() {
    let scene = Scene::of(POLICIES);
    let (manager, changes) = scene.watched();
    scene.replace(&short_delays());
    let words = changes.recv_timeout(TIMEOUT).unwrap();
    assert!(words.contains("version 2 is active"), "{words}");
    let change = "policies.navigation_retry_with_delay.base_delay: 2 → 0.2";
    assert!(words.contains(change), "{words}");
    let policy = manager.registry.policy("navigation.route_adaptation.retry_with_delay");
    assert_eq!(policy.timing().base_delay(1), Duration::from_millis(200));
}

/// X4: a flag is switched on and off without a restart; only policies record sessions.
#[tokio::test]
async fn flag_is_switched_at_run_time_and_back() {
    let scene = Scene::of(POLICIES);
    let (manager, changes) = scene.watched();
    let beat = async || {
        let name = "telemetry.simple_retries.default";
        let fine = async || Ok::<_, ScraperError>(1);
        manager.run("telemetry.heartbeat", name, manager.record(), fine).await.unwrap();
    };
    beat().await;
    assert!(manager.journal.sessions().is_empty(), "a legacy loop left a record");

    let turned = |to: &str| {
        scene.replace(&POLICIES.replace("x-old-loops: [telemetry]", to));
        changes.recv_timeout(TIMEOUT).unwrap()
    };
    let words = turned("x-old-loops: []");
    assert!(words.ends_with("x-old-loops: [\"telemetry\"] → []"), "{words}");
    beat().await;
    assert_eq!(manager.journal.sessions().len(), 1);
    let words = turned("x-old-loops: [telemetry]  # again");
    assert!(words.ends_with("x-old-loops: [] → [\"telemetry\"]"), "{words}");
    beat().await;
    assert_eq!(manager.journal.sessions().len(), 1);
}

/// F4: a session ends under the policy that it started with; the next has the new one.
#[tokio::test]
async fn session_ends_under_the_policy_that_it_started_with() {
    let scene = Scene::of(&short_delays());
    let (manager, changes) = scene.watched();
    let name = "navigation.route_adaptation.retry_with_delay";
    let (failed, changed) = (Notify::new(), Notify::new());
    let attempt = async || {
        failed.notify_one();
        changed.notified().await;
        changed.notify_one();
        Err::<(), _>(answer(503, None))
    };
    let visit = || manager.run("navigation.visit", name, manager.record(), attempt);
    let change = async {
        failed.notified().await;
        let once = short_delays().replace("max_attempts: 3", "max_attempts: 1");
        scene.replace(&once);
        changes.recv_timeout(TIMEOUT).unwrap();
        changed.notify_one();
    };
    let (ended, ()) = tokio::join!(visit(), change);
    ended.unwrap_err();
    visit().await.unwrap_err();
    let attempts: Vec<_> = manager.journal.sessions().iter().map(|s| s.total_attempts()).collect();
    assert_eq!(attempts, [3, 1]);
}

/// F4: an invalid file changes nothing and is reported with the position of the error.
#[test]
fn invalid_file_is_reported_and_changes_nothing() {
    let scene = Scene::of(POLICIES);
    let (manager, changes) = scene.watched();
    let wrong = POLICIES.replace("max_attempts: 5", "max_atempts: 5");
    scene.replace(&wrong.replace("x-old-loops: [telemetry]", "x-old-loops: []"));
    let words = changes.recv_timeout(TIMEOUT).unwrap();
    assert!(words.contains("rejected, version 1 stays active"), "{words}");
    assert!(words.contains("max_attempts"), "{words}");
    let policy = manager.registry.policy("browser.state_operations.network_error");
    assert_eq!(policy.max_attempts(), 5);
    assert!(is_old(&manager, "telemetry"), "the flag changed");
}

/// F2: a flag for an unknown subsystem is reported with its position and the valid ones, and no part of
/// the file is applied.
#[test]
fn invalid_flag_is_reported_and_changes_nothing() {
    let wrong = short_delays().replace("x-old-loops: [telemetry]", "x-old-loops: [telemetri]");
    let expected_error = ":6:14: x-old-loops: unknown subsystem `telemetri`; \
                      the subsystems are browser, navigation, telemetry";
    let scene = Scene::of(&wrong);
    let refused = RetryManager::load(Loader::file(&scene.file)).err().unwrap().to_string();
    assert!(refused.ends_with(expected_error), "{refused}");

    let scene = Scene::of(POLICIES);
    let (manager, changes) = scene.watched();
    scene.replace(&wrong);
    let words = changes.recv_timeout(TIMEOUT).unwrap();
    assert!(words.contains("rejected, version 1 stays active"), "{words}");
    assert!(words.ends_with(expected_error), "{words}");
    assert!(is_old(&manager, "telemetry"));
    let policy = manager.registry.policy("navigation.route_adaptation.retry_with_delay");
    assert_eq!(policy.timing().base_delay(1), Duration::from_secs(2));
}
