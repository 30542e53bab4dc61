//! The browser subsystem: starts a real browser, opens tabs and keeps the state of pages. And
//! navigation, which goes to them.
//!
//! Each step is tried again under the case of the policy file that says what is to be expected
//! of it: a page that is asked for its state may take too long, a disk may be full.

mod chromium;
mod devtools;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

pub use chromium::find;
pub use devtools::Page;

use crate::manager::{Job, RetryManager};
use crate::trouble::{Trouble, within};
use chromium::Chromium;

/// How long the browser may take for what is its own.
const ANSWER: Duration = Duration::from_secs(10);
/// What a page has to say of itself.
const STATE: &str = "window.state ? window.state() : {title: document.title}";

/// A browser.
pub struct Browser {
    manager: Arc<RetryManager>,
    chromium: Chromium,
}

/// A tab of it.
pub struct Tab(String);

impl Browser {
    /// Starts one.
    pub async fn start(program: &Path, manager: Arc<RetryManager>) -> Result<Self, Trouble> {
        let job = Job::new("browser.start", "browser.session_operations.default");
        let chromium = manager.run(job, || Chromium::start(program)).await?;
        Ok(Self { manager, chromium })
    }

    /// What it calls itself.
    pub fn product(&self) -> &str {
        &self.chromium.product
    }

    /// Opens a tab.
    pub async fn open_tab(&self, page: &str) -> Result<Tab, Trouble> {
        let job = Job::new("browser.open_tab", "browser.session_operations.default").page(page);
        let open =
            || async { within(ANSWER, self.chromium.devtools.lock().await.open_tab()).await };
        self.manager.run(job, open).await.map(Tab)
    }

    /// Closes a tab. One that stays open does no harm.
    pub async fn close_tab(&self, Tab(tab): Tab) {
        let mut devtools = self.chromium.devtools.lock().await;
        let _ = within(ANSWER, devtools.call(&tab, "Page.close", json!({}))).await;
    }

    /// Goes to a page, within this time each time.
    pub async fn visit(
        &self,
        Tab(tab): &Tab,
        page: &str,
        url: &str,
        limit: Duration,
    ) -> Result<Page, Trouble> {
        let job = Job::new("navigation.visit", "navigation.route_adaptation.retry_with_delay");
        let visit = || async { self.chromium.devtools.lock().await.visit(tab, url, limit).await };
        self.manager.run(job.page(page).about("url", url), visit).await
    }

    /// What the page in a tab has to say of itself, within this time each time.
    pub async fn state(
        &self,
        Tab(tab): &Tab,
        page: &str,
        limit: Duration,
    ) -> Result<Value, Trouble> {
        let job = Job::new("browser.save_state", "browser.state_operations.timeout").page(page);
        let ask =
            || async { self.chromium.devtools.lock().await.evaluate(tab, STATE, limit).await };
        self.manager.run(job, ask).await
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
) -> Result<(), Trouble> {
    let job = Job::new("browser.keep_state", "browser.state_operations.disk_full").page(page);
    manager.run(job, || async { Ok(tokio::fs::write(file, state.to_string()).await?) }).await
}
