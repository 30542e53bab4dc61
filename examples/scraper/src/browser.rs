//! The browser subsystem: starts a real browser, opens tabs and stores the state of pages.
//!
//! Each step uses the policy for its expected error: reading a page's state may time out, a disk may
//! be full.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::chromium::Chromium;
use crate::error::{ScraperError, within};
use crate::manager::RetryManager;

/// Timeout for the browser's own operations.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(10);
/// The expression for the state of a page.
const STATE: &str = "window.state ? window.state() : {title: document.title}";

/// A browser.
pub struct Browser {
    pub(crate) manager: Arc<RetryManager>,
    pub(crate) chromium: Chromium,
}

/// A tab of the browser.
pub struct Tab(pub(crate) String);

impl Browser {
    /// Starts a browser.
    pub async fn start(program: &Path, manager: Arc<RetryManager>) -> Result<Self, ScraperError> {
        let (name, record) = ("browser.session_operations.default", manager.record());
        let start = || Chromium::start(program);
        let chromium = manager.run("browser.start", name, record, start).await?;
        Ok(Self { manager, chromium })
    }

    /// The product name of the browser.
    pub fn product(&self) -> &str {
        &self.chromium.product
    }

    /// Opens a tab.
    pub async fn open_tab(&self, page: &str) -> Result<Tab, ScraperError> {
        let name = "browser.session_operations.default";
        let record = self.manager.record().correlation_id(page);
        let open =
            async || within(BROWSER_TIMEOUT, self.chromium.devtools.lock().await.open_tab()).await;
        self.manager.run("browser.open_tab", name, record, open).await.map(Tab)
    }

    /// Closes a tab. Errors are ignored.
    pub async fn close_tab(&self, Tab(tab): Tab) {
        let mut devtools = self.chromium.devtools.lock().await;
        let _ = within(BROWSER_TIMEOUT, devtools.call(&tab, "Page.close", json!({}))).await;
    }

    /// Reads the state of the page in a tab, with this timeout per attempt.
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

    /// Closes the browser.
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
