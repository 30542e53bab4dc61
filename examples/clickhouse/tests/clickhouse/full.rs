//! The modern engine, which drops a repeated insert by its token (J9; S3, "Partial Success in
//! Batch INSERT"). It is a large download, so `cargo xtask test --full` runs these.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use example_clickhouse::client::Settings;
use example_clickhouse::faults::fault_proxy::InjectedFault;
use steadfast::Policy;
use tempfile::TempDir;

use crate::{ROWS, Scene, quick};

const PACKAGES: [&str; 2] = ["chdb==4.4.0", "chdb-core==26.9.0"];
const FRONT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clickhouse/front.py");
const WINDOW: &str = "SETTINGS non_replicated_deduplication_window = 1000";

/// J9: with a token an insert with an unknown outcome is sent again, and the server stores it once.
#[tokio::test]
#[ignore = "cargo xtask test --full"]
async fn repeated_insert_with_the_same_token_is_stored_once() {
    let engine = Engine::start();
    let faults = [
        InjectedFault::DropBefore,
        InjectedFault::DropAfter,
        InjectedFault::CutAnswer,
        InjectedFault::SlowAnswer(Duration::from_secs(60)),
        InjectedFault::Answer(503, None),
    ];
    for fault in faults {
        let scene = Scene::before(engine.address, with_tokens(), WINDOW).await;
        scene.script([fault]);
        let report = scene.client.insert(&scene.batch()).await.unwrap();
        assert_eq!((report.attempts, scene.rows().await), (2, ROWS), "{fault:?}");
        assert_eq!(scene.proxy.requests(), 2, "there was no lookup");

        scene.client.insert(&scene.batch()).await.unwrap();
        assert_eq!(scene.rows().await, 2 * ROWS, "another batch of the same rows is another");
    }
}

/// J9: a batch that was given up is settled by sending it again.
#[tokio::test]
#[ignore = "cargo xtask test --full"]
async fn failed_batch_with_a_token_is_settled_by_a_resend() {
    let engine = Engine::start();
    let scene = Scene::before(engine.address, with_tokens(), WINDOW).await;
    scene.always(InjectedFault::DropAfter);
    let batch = scene.batch();
    scene.client.insert(&batch).await.unwrap_err();
    assert_eq!(scene.rows().await, ROWS);

    scene.script([]);
    assert!(scene.client.settle(&batch).await.unwrap());
    assert_eq!(scene.rows().await, ROWS);
}

/// [`Settings::tokens`] depends on the table: without a window rows are stored twice.
#[tokio::test]
#[ignore = "cargo xtask test --full"]
async fn table_without_a_deduplication_window_stores_a_repeat() {
    let engine = Engine::start();
    let scene = Scene::before(engine.address, with_tokens(), "").await;
    scene.script([InjectedFault::DropAfter]);
    scene.client.insert(&scene.batch()).await.unwrap();
    assert_eq!(scene.rows().await, 2 * ROWS);
}

fn with_tokens() -> Settings {
    let requests = Policy::fixed(Duration::from_millis(20))
        .max_attempts(3)
        .attempt_timeout(Duration::from_secs(2));
    Settings { requests, tokens: true, ..quick() }
}

/// An engine with an HTTP front end, stopped when dropped.
struct Engine {
    process: Child,
    address: SocketAddr,
    _data: TempDir,
}

impl Engine {
    fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut process = Command::new(&*PYTHON)
            .arg(FRONT)
            .arg(data.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
        let port: u16 = said.next().unwrap().unwrap().parse().unwrap();
        Self { process, address: (Ipv4Addr::LOCALHOST, port).into(), _data: data }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// A Python environment with the engine, in a directory under cargo's.
static PYTHON: LazyLock<PathBuf> = LazyLock::new(|| {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("chdb");
    let python = place.join("bin/python");
    let there = Command::new(&python).args(["-c", "import chdb"]).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        run(Command::new("python3").args(["-m", "venv"]).arg(&place));
        run(Command::new(place.join("bin/pip"))
            .args(["install", "--quiet", "--no-deps"])
            .args(PACKAGES));
    }
    python
});

fn run(command: &mut Command) {
    let status = command.status();
    let done = status.as_ref().is_ok_and(|status| status.success());
    assert!(done, "{command:?}: {status:?}; check that the Python package index is reachable");
}
