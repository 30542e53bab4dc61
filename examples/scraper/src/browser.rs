//! The browser subsystem: starts a real browser, opens tabs and keeps the state of pages.
//!
//! Each step is tried again under the case of the policy file that says what is to be expected
//! of it: a page that is asked for its state may take too long, a disk may be full.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::chromium::Chromium;
use crate::error::{ScraperError, within};
use crate::manager::RetryManager;

/// How long the browser may take for what is its own.
const ANSWER: Duration = Duration::from_secs(10);
/// What a page has to say of itself.
const STATE: &str = "window.state ? window.state() : {title: document.title}";

/// A browser.
pub struct Browser {
    pub(crate) manager: Arc<RetryManager>,
    pub(crate) chromium: Chromium,
}

/// A tab of it.
pub struct Tab(pub(crate) String);

impl Browser {
    /// Starts one.
    pub async fn start(program: &Path, manager: Arc<RetryManager>) -> Result<Self, ScraperError> {
        let (name, record) = ("browser.session_operations.default", manager.record());
        let start = || Chromium::start(program);
        let chromium = manager.run("browser.start", name, record, start).await?;
        Ok(Self { manager, chromium })
    }

    /// What it calls itself.
    pub fn product(&self) -> &str {
        &self.chromium.product
    }

    /// Opens a tab.
    pub async fn open_tab(&self, page: &str) -> Result<Tab, ScraperError> {
        let name = "browser.session_operations.default";
        let record = self.manager.record().correlation_id(page);
        let open = async || within(ANSWER, self.chromium.devtools.lock().await.open_tab()).await;
        self.manager.run("browser.open_tab", name, record, open).await.map(Tab)
    }

    /// Closes a tab. One that stays open does no harm.
    pub async fn close_tab(&self, Tab(tab): Tab) {
        let mut devtools = self.chromium.devtools.lock().await;
        let _ = within(ANSWER, devtools.call(&tab, "Page.close", json!({}))).await;
    }

    /// What the page in a tab has to say of itself, within this time each time.
    pub async fn state(
        &self,
        Tab(tab): &Tab,
        page: &str,
        limit: Duration,
    ) -> Result<Value, ScraperError> {
        let name = "browser.state_operations.timeout";
        let record = self.manager.record().correlation_id(page);
        let ask = async || {
            let mut devtools = self.chromium.devtools.lock().await;
            within(limit, devtools.evaluate(tab, STATE)).await
        };
        self.manager.run("browser.save_state", name, record, ask).await
    }

    /// Closes it.
    pub async fn close(self) {
        self.chromium.close().await;
    }
}

/// Writes a page's state to a file.
pub async fn keep(
    manager: &RetryManager,
    page: &str,
    state: &Value,
    file: &Path,
) -> Result<(), ScraperError> {
    let name = "browser.state_operations.disk_full";
    let record = manager.record().correlation_id(page);
    let write = async || Ok(tokio::fs::write(file, state.to_string()).await?);
    manager.run("browser.keep_state", name, record, write).await
}
