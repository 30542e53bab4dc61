//! F4: the policy file and its flags change while the scraper runs.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use example_scraper::error::ScraperError;
use example_scraper::flags;
use example_scraper::manager::RetryManager;
use steadfast::registry::Loader;
use tokio::sync::Notify;

use super::{POLICIES, Scene, answer};

const PATIENCE: Duration = Duration::from_secs(60);

impl Scene {
    fn watched(&self) -> (RetryManager, Receiver<String>) {
        let (tell, told) = channel();
        let loader = Loader::file(&self.file)
            .on_change(move |change| tell.send(change.to_string()).unwrap_or_default());
        (RetryManager::load(loader).unwrap(), told)
    }

    /// As an editor does it.
    fn replace(&self, text: &str) {
        let new = self.folder.path().join("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, &self.file).unwrap();
    }
}

fn is_old(manager: &RetryManager, subsystem: &str) -> bool {
    flags::is_old(&manager.registry.policies(), subsystem)
}

fn in_a_hurry() -> String {
    POLICIES.replace("base_delay: 2.0", "base_delay: 0.2")
}

/// F4: a change is taken while the program runs, and told as a diff.
#[test]
fn a_change_is_taken_and_told() {
    let scene = Scene::of(POLICIES);
    let (manager, told) = scene.watched();
    scene.replace(&in_a_hurry());
    let words = told.recv_timeout(PATIENCE).unwrap();
    assert!(words.contains("version 2 is in force"), "{words}");
    let change = "policies.navigation_retry_with_delay.base_delay: 2 → 0.2";
    assert!(words.contains(change), "{words}");
    let policy = manager.registry.policy("navigation.route_adaptation.retry_with_delay");
    assert_eq!(policy.timing().base_delay(1), Duration::from_millis(200));
}

/// X4: a flag is turned, and back, without a restart; with it comes the record.
#[tokio::test]
async fn a_flag_is_turned_while_it_runs_and_back() {
    let scene = Scene::of(POLICIES);
    let (manager, told) = scene.watched();
    let beat = async || {
        let name = "telemetry.simple_retries.default";
        let fine = async || Ok::<_, ScraperError>(1);
        manager.run("telemetry.heartbeat", name, manager.record(), fine).await.unwrap();
    };
    beat().await;
    assert!(manager.journal.sessions().is_empty(), "an old loop leaves no record");

    let turned = |to: &str| {
        scene.replace(&POLICIES.replace("x-old-loops: [telemetry]", to));
        told.recv_timeout(PATIENCE).unwrap()
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

/// F4: a session ends under the policy that it began with; the next has the new one.
#[tokio::test]
async fn a_session_ends_under_the_policy_that_it_began_with() {
    let scene = Scene::of(&in_a_hurry());
    let (manager, told) = scene.watched();
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
        let once = in_a_hurry().replace("max_attempts: 3", "max_attempts: 1");
        scene.replace(&once);
        told.recv_timeout(PATIENCE).unwrap();
        changed.notify_one();
    };
    let (ended, ()) = tokio::join!(visit(), change);
    ended.unwrap_err();
    visit().await.unwrap_err();
    let attempts: Vec<_> = manager.journal.sessions().iter().map(|s| s.total_attempts()).collect();
    assert_eq!(attempts, [3, 1]);
}

/// F4: a file with a mistake changes nothing and is told with its place.
#[test]
fn a_bad_file_is_told_and_changes_nothing() {
    let scene = Scene::of(POLICIES);
    let (manager, told) = scene.watched();
    let wrong = POLICIES.replace("max_attempts: 5", "max_atempts: 5");
    scene.replace(&wrong.replace("x-old-loops: [telemetry]", "x-old-loops: []"));
    let words = told.recv_timeout(PATIENCE).unwrap();
    assert!(words.contains("refused, version 1 stays in force"), "{words}");
    assert!(words.contains("max_attempts"), "{words}");
    let policy = manager.registry.policy("browser.state_operations.network_error");
    assert_eq!(policy.max_attempts(), 5);
    assert!(is_old(&manager, "telemetry"), "nor did a flag turn");
}

/// F2: a flag for a subsystem that there is not is told with its place and the right ones, and
/// nothing of its file is in force.
#[test]
fn a_wrong_flag_is_told_and_changes_nothing() {
    let wrong = in_a_hurry().replace("x-old-loops: [telemetry]", "x-old-loops: [telemetri]");
    let told_right = ":6:14: x-old-loops: no subsystem is called telemetri; \
                      the subsystems are browser, navigation, telemetry";
    let scene = Scene::of(&wrong);
    let refused = RetryManager::load(Loader::file(&scene.file)).err().unwrap().to_string();
    assert!(refused.ends_with(told_right), "{refused}");

    let scene = Scene::of(POLICIES);
    let (manager, told) = scene.watched();
    scene.replace(&wrong);
    let words = told.recv_timeout(PATIENCE).unwrap();
    assert!(words.contains("refused, version 1 stays in force"), "{words}");
    assert!(words.ends_with(told_right), "{words}");
    assert!(is_old(&manager, "telemetry"));
    let policy = manager.registry.policy("navigation.route_adaptation.retry_with_delay");
    assert_eq!(policy.timing().base_delay(1), Duration::from_secs(2));
}
