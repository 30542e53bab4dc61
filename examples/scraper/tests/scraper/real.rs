//! X4: on the real components. A Chromium, a site that answers it badly, a collector that is
//! away, a disk that is full.

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

const PATIENCE: Duration = Duration::from_secs(60);

/// The example's policies, with less to wait for.
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

/// X4, J4, J6: pages are had through timeouts, 503, 429 and dropped connections; a 404 is not
/// tried again; what a page has to say is kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_real_browser_fetches_pages_through_every_trouble() {
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
    assert_eq!(limited.attempts[1].delay, Duration::from_secs(1), "as the server asked");

    let state = of_page(&sessions, "browser.save_state", "stuck");
    assert_eq!(state.attempts[0].error.as_ref().unwrap().error_type, "TimeoutError");
    assert_eq!(state.final_result, Some(json!({"title": "stuck"})));
}

/// X4, J4: telemetry waits for a collector that is away, and tells it once.
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
        collector.come().unwrap();
    };
    let both = async { tokio::join!(telemetry.batch(&["catalogue"]), come) };
    let (sent, ()) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert_eq!(sent, Ok(200));
    assert_eq!(collector.taken(), ["batch"]);
    let session = &manager.journal.sessions()[0];
    assert!(session.success && session.retry_count() > 0);
    assert_eq!(session.attempts[0].error.as_ref().unwrap().error_type, "ConnectionError");
}

/// S4, `disk_full`: a full disk is asked twice.
#[tokio::test]
async fn a_full_disk_is_tried_again_and_given_up() {
    let manager = hurried(&Scene::with_old(""));
    let full = Path::new("/dev/full");
    let lost = browser::keep(&manager, "catalogue", &json!({}), full).await.unwrap_err();
    assert_eq!(lost.name(), "DiskFullError");
    assert_eq!(manager.journal.sessions()[0].total_attempts(), 2);
}

/// X4, F4: the normal run. The file changes while pages wait: who began before ends under what
/// was in force then, who began after has the new delay, and telemetry leaves its old loop.
#[test]
fn the_normal_run_takes_a_changed_file() {
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
    // The first batch went by the old loop.
    let batches = sessions.iter().filter(|session| session.operation == "telemetry.batch");
    assert_eq!(batches.count(), 1);
    serde_json::from_value::<Vec<Event>>(records["events"].clone()).unwrap();
    serde_json::from_value::<MetricsSummary>(records["metrics"].clone()).unwrap();
}

/// Runs the program where there is no browser; how it ends, and what it says.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_example-scraper"));
    let ended = program.args(arguments).env("PATH", "").env_remove("CHROMIUM").output().unwrap();
    (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
}

/// X4: whoever has no browser is told what to do.
#[test]
fn without_a_browser_it_says_what_to_install() {
    let (code, told) = run(&[]);
    assert_eq!(code, Some(1));
    assert!(told.contains("apt-get install chromium") && told.contains("--browser"), "{told}");
    let (code, told) = run(&["--browser", "/no/such/browser"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("no browser is at /no/such/browser"), "{told}");
    let (code, told) = run(&["--polices", "steadfast.yaml"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("--policies"), "{told}");
}

/// F2: a policy file that is not there is said.
#[test]
fn a_policy_file_that_is_not_there_is_said() {
    let (code, told) = run(&["--browser", "/bin/true", "--policies", "/no/such.yaml"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("/no/such.yaml"), "{told}");
}

/// J4: a browser that dies is a lost connection, and starting another is worth a try.
#[tokio::test]
async fn a_program_that_is_no_browser_is_started_three_times() {
    let scene = Scene::with_old("");
    let manager = Arc::new(
        scene.manager_with(|loader| loader.set("browser_session_default", "base_delay", "10ms")),
    );
    let started = browser::Browser::start(Path::new("/bin/true"), Arc::clone(&manager));
    assert_eq!(started.await.err().unwrap().to_string(), "ConnectionError: the browser is gone");
    assert_eq!(manager.journal.sessions()[0].total_attempts(), 3);
}
