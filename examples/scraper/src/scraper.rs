//! The scraper: fetches pages, stores their state, and reports failures.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::browser::{self, Browser, Tab};
use crate::error::ScraperError;
use crate::manager::RetryManager;
use crate::navigation::{self, Page};
use crate::telemetry::Telemetry;

/// A scraper that stores the states of pages in a folder.
pub struct Scraper {
    /// The browser.
    pub browser: Browser,
    /// The telemetry.
    pub telemetry: Telemetry,
    /// Timeout for the visit of a page.
    pub visit_limit: Duration,
    /// Timeout for reading its state.
    pub state_limit: Duration,
    manager: Arc<RetryManager>,
    folder: PathBuf,
}

impl Scraper {
    /// Starts the scraper with a browser.
    pub async fn start(
        program: &Path,
        manager: Arc<RetryManager>,
        collector: &str,
        folder: &Path,
    ) -> Result<Self, ScraperError> {
        Ok(Self {
            browser: Browser::start(program, Arc::clone(&manager)).await?,
            telemetry: Telemetry::to(collector, Arc::clone(&manager))?,
            visit_limit: Duration::from_secs(2),
            state_limit: Duration::from_secs(1),
            manager,
            folder: folder.to_owned(),
        })
    }

    /// Fetches a page in its own tab, and stores its state.
    pub async fn fetch(&self, page: &str, url: &str) -> Result<Page, ScraperError> {
        let tab = self.browser.open_tab(page).await?;
        let got = self.fetch_in(&tab, page, url).await;
        self.browser.close_tab(tab).await;
        got
    }

    async fn fetch_in(&self, tab: &Tab, page: &str, url: &str) -> Result<Page, ScraperError> {
        let got = navigation::visit(&self.browser, tab, page, url, self.visit_limit).await?;
        let state = self.browser.state(tab, page, self.state_limit).await?;
        let file = self.folder.join(format!("{page}.json"));
        browser::keep(&self.manager, page, &state, &file).await?;
        Ok(got)
    }

    /// Reports a page that was lost.
    pub async fn lost(&self, page: &str, error: &ScraperError) -> Result<(), ScraperError> {
        self.telemetry.error(page, error).await?;
        self.telemetry.alert(&format!("{page} is lost")).await.map(drop)
    }
}
