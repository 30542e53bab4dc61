//! X4: real components: a Chromium, a site with faults, a collector that is down, a full disk.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use example_scraper::manager::RetryManager;
use example_scraper::scraper::Scraper;
use example_scraper::telemetry::Telemetry;
use example_scraper::test_servers::{Collector, Site};
use example_scraper::{browser, chromium};
use serde_json::{Value, json};
use steadfast::observe::{Event, MetricsSummary, Session, SessionState};

use super::Scene;

const TIMEOUT: Duration = Duration::from_secs(60);

/// The example's policies, with shorter delays.
fn hurried(scene: &Scene) -> Arc<RetryManager> {
    let quick = [
        "browser_state_timeout",
        "browser_disk_full",
        "navigation_retry_with_delay",
        "telemetry_batch_processing",
    ];
    Arc::new(scene.manager_with(|loader| {
        quick.into_iter().fold(loader, |loader, id| loader.set(id, "base_delay", "50ms"))
    }))
}

fn of_page(sessions: &[Session], operation: &str, page: &str) -> Session {
    let found = sessions.iter().find(|session| {
        session.operation == operation && session.correlation_id.as_deref() == Some(page)
    });
    found.unwrap_or_else(|| panic!("no {operation} of {page}")).clone()
}

fn errors(session: &Session) -> Vec<String> {
    let errors = session.attempts.iter().filter_map(|attempt| attempt.error.as_ref());
    errors.map(ToString::to_string).collect()
}

/// X4, J4, J6: pages are fetched despite timeouts, 503, 429 and dropped connections; a 404 is not
/// retried; the state of a page is stored.
#[tokio::test(flavor = "multi_thread")]
async fn browser_fetches_pages_under_every_fault() {
    let program = chromium::find(std::env::var_os("CHROMIUM").map(Into::into)).unwrap();
    let scene = Scene::with_old("");
    let manager = hurried(&scene);
    let (site, collector) = (Site::open().await.unwrap(), Collector::away().unwrap());
    let folder = scene.folder.path();
    let mut scraper =
        Scraper::start(&program, Arc::clone(&manager), &collector.url(), folder).await.unwrap();
    scraper.visit_limit = Duration::from_secs(5);

    for page in ["catalogue", "slow", "busy", "limited", "dropped", "stuck"] {
        let got = scraper.fetch(page, &site.url(page)).await.unwrap();
        assert_eq!((got.status, got.title.as_str()), (200, page));
        let kept = std::fs::read_to_string(folder.join(format!("{page}.json"))).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), json!({"title": page}));
    }
    let lost = scraper.fetch("gone", &site.url("gone")).await.unwrap_err();
    assert_eq!(lost.http_status(), Some(404));
    scraper.browser.close().await;

    let sessions = manager.journal.sessions();
    let visit = |page: &str| of_page(&sessions, "navigation.visit", page);
    assert_eq!(errors(&visit("catalogue")), [""; 0]);
    assert_eq!(errors(&visit("slow")), ["TimeoutError: Operation timed out after 5 seconds"]);
    assert_eq!(errors(&visit("busy")), ["HttpError: the server answered 503"; 2]);
    assert_eq!(errors(&visit("gone")), ["HttpError: the server answered 404"]);
    let dropped = errors(&visit("dropped"));
    assert!(dropped.len() == 1 && dropped[0].starts_with("ConnectionError: "), "{dropped:?}");
    let limited = visit("limited");
    assert_eq!(errors(&limited), ["HttpError: the server answered 429"]);
    let (wait, delay) = (Duration::from_secs(1), limited.attempts[1].delay);
    assert!((wait..=wait.mul_f64(1.1)).contains(&delay), "as the server asked: {delay:?}");

    let state = of_page(&sessions, "browser.save_state", "stuck");
    assert_eq!(state.attempts[0].error.as_ref().unwrap().error_type, "TimeoutError");
    assert_eq!(state.final_result, Some(json!({"title": "stuck"})));
}

/// X4, J4: telemetry waits for a collector that is down, and reports once.
#[tokio::test]
async fn telemetry_waits_for_a_collector_that_is_away() {
    let manager = hurried(&Scene::with_old(""));
    let collector = Collector::away().unwrap();
    let telemetry = Telemetry::to(&collector.url(), Arc::clone(&manager)).unwrap();
    let come = async {
        let waits = |sessions: Vec<steadfast::observe::ActiveSession>| {
            sessions.iter().any(|session| session.state == SessionState::Waiting)
        };
        while !waits(manager.registry.sessions()) {
            tokio::task::yield_now().await;
        }
        collector.start().unwrap();
    };
    let both = async { tokio::join!(telemetry.batch(&["catalogue"]), come) };
    let (sent, ()) = tokio::time::timeout(TIMEOUT, both).await.unwrap();
    assert_eq!(sent, Ok(200));
    assert_eq!(collector.taken(), ["batch"]);
    let session = &manager.journal.sessions()[0];
    assert!(session.success && session.retry_count() > 0);
    assert_eq!(session.attempts[0].error.as_ref().unwrap().error_type, "ConnectionError");
}

/// S4, `disk_full`: a write to a full disk is attempted twice.
#[tokio::test]
async fn full_disk_is_retried_and_fails() {
    let manager = hurried(&Scene::with_old(""));
    let full = Path::new("/dev/full");
    let lost = browser::keep(&manager, "catalogue", &json!({}), full).await.unwrap_err();
    assert_eq!(lost.name(), "DiskFullError");
    assert_eq!(manager.journal.sessions()[0].total_attempts(), 2);
}

/// X4, F4: the demo. The file changes while pages wait: earlier sessions end under the old policy,
/// later ones have the new delay, and telemetry leaves its legacy loop.
#[test]
fn running_scraper_applies_a_changed_file() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records.json");
    let mut program = Command::new(env!("CARGO_BIN_EXE_example-scraper"));
    let ended = program.arg("--records").arg(&records).output().unwrap();
    let shown = String::from_utf8(ended.stdout).unwrap();
    assert!(ended.status.success(), "{shown}\n{}", String::from_utf8_lossy(&ended.stderr));
    assert!(shown.contains("navigation_retry_with_delay.base_delay: 2 → 0.2"), "{shown}");
    assert!(shown.contains("x-old-loops: [\"telemetry\"] → []"), "{shown}");

    let records: Value = serde_json::from_str(&std::fs::read_to_string(records).unwrap()).unwrap();
    let sessions: Vec<Session> = serde_json::from_value(records["sessions"].clone()).unwrap();
    let [before, after] =
        ["busy", "busy-2"].map(|page| of_page(&sessions, "navigation.visit", page));
    // When the last delay of the first was drawn, the new file was in force.
    assert!(before.attempts[1].timestamp + before.attempts[1].duration > after.start_time);
    let [before, after] = [before, after].map(|session| session.attempts[2].delay);
    assert!(before >= Duration::from_millis(3600), "{before:?}");
    assert!(after <= Duration::from_millis(400), "{after:?}");
    // The first batch used the legacy loop.
    let batches = sessions.iter().filter(|session| session.operation == "telemetry.batch");
    assert_eq!(batches.count(), 1);
    serde_json::from_value::<Vec<Event>>(records["events"].clone()).unwrap();
    serde_json::from_value::<MetricsSummary>(records["metrics"].clone()).unwrap();
}

/// Runs the program without a browser. Returns its exit code and its error.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_example-scraper"));
    let ended = program.args(arguments).env("PATH", "").env_remove("CHROMIUM").output().unwrap();
    (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
}

/// X4: a missing browser is reported with what to do.
#[test]
fn missing_browser_error_says_what_to_install() {
    let (code, stderr) = run(&[]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("apt-get install chromium") && stderr.contains("--browser"),
        "{stderr}"
    );
    let (code, stderr) = run(&["--browser", "/no/such/browser"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("no browser at /no/such/browser"), "{stderr}");
    let (code, stderr) = run(&["--polices", "steadfast.yaml"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("--policies"), "{stderr}");
}

/// F2: a missing policy file is reported.
#[test]
fn missing_policy_file_is_reported() {
    let (code, stderr) = run(&["--browser", "/bin/true", "--policies", "/no/such.yaml"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("/no/such.yaml"), "{stderr}");
}

/// J4: a browser that dies is a lost connection, and starting another is worth a try.
#[tokio::test]
async fn program_that_is_not_a_browser_is_started_three_times() {
    let scene = Scene::with_old("");
    let manager = Arc::new(
        scene.manager_with(|loader| loader.set("browser_session_default", "base_delay", "10ms")),
    );
    let started = browser::Browser::start(Path::new("/bin/true"), Arc::clone(&manager));
    assert_eq!(started.await.err().unwrap().to_string(), "ConnectionError: the browser is gone");
    assert_eq!(manager.journal.sessions()[0].total_attempts(), 3);
}
