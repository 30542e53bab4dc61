//! The process of a headless browser.
//!
//! This module has nothing to do with retries.

mod devtools;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;

use crate::error::{ScraperError, within};
use devtools::{DevTools, gone};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Headless, and without requests to other hosts.
const FLAGS: [&str; 10] = [
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "about:blank",
];
/// The browser expects its pipe at file descriptors 3 and 4; `Command` can set 0 and 1.
const SHELL: &str = r#"exec "$0" "$@" 3<&0 4>&1 >&2"#;
const TO_START: Duration = Duration::from_secs(20);
const TO_CLOSE: Duration = Duration::from_secs(5);

/// The given browser, or an installed one.
pub fn find(named: Option<PathBuf>) -> Result<PathBuf, String> {
    if let Some(named) = named {
        let missing = format!("no browser at {}: use the path of the program", named.display());
        return Some(named).filter(|program| program.is_file()).ok_or(missing);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let mut places = NAMES.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    places.find(|place| place.is_file()).ok_or_else(|| {
        format!(
            "no browser is installed: none of {} is on the PATH. Install Debian's package \
             chromium (apt-get install chromium), or select a Chromium with --browser or CHROMIUM",
            NAMES.join(", ")
        )
    })
}

/// A running Chromium.
#[derive(Serialize)]
pub(crate) struct Chromium {
    pub(crate) product: String,
    #[serde(skip)]
    pub(crate) devtools: Mutex<DevTools>,
    #[serde(skip)]
    process: Child,
    /// Its temporary profile.
    #[serde(skip)]
    _profile: TempDir,
}

impl Chromium {
    /// Starts the browser, and waits until it responds.
    pub(crate) async fn start(program: &Path) -> Result<Self, ScraperError> {
        let profile = tempfile::Builder::new().prefix("scraper-").tempdir()?;
        let mut process = Command::new("sh")
            .args(["-c", SHELL])
            .arg(program)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // The sandbox does not run as root.
            .args(is_root().then_some("--no-sandbox"))
            .args(FLAGS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(commands), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(gone());
        };
        let mut devtools = DevTools::over(commands, answers);
        let version = within(TO_START, devtools.call("", "Browser.getVersion", json!({}))).await?;
        let product = version.get("product").and_then(|product| product.as_str());
        let product = product.unwrap_or("a browser").to_owned();
        Ok(Self { product, devtools: Mutex::new(devtools), process, _profile: profile })
    }

    /// Closes the browser before its profile is removed.
    pub(crate) async fn close(mut self) {
        let mut devtools = self.devtools.lock().await;
        let _ = within(TO_CLOSE, devtools.call("", "Browser.close", json!({}))).await;
        drop(devtools);
        let _ = tokio::time::timeout(TO_CLOSE, self.process.wait()).await;
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}
