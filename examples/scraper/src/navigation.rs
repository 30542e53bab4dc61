//! The navigation subsystem: visits pages.

use std::time::Duration;

use serde::Serialize;

use crate::browser::{Browser, Tab};
use crate::error::{ScraperError, within};

/// A visited page.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// The status of the response.
    pub status: u16,
    /// The title of the page.
    pub title: String,
}

/// The expression that waits until the page is loaded.
const TITLE: &str = "new Promise(done => document.readyState == 'complete' ? done() \
                     : addEventListener('load', done)).then(() => document.title)";

/// Visits a page in a tab, with this timeout per attempt.
pub async fn visit(
    browser: &Browser,
    Tab(tab): &Tab,
    page: &str,
    url: &str,
    limit: Duration,
) -> Result<Page, ScraperError> {
    let go = async || {
        let mut devtools = browser.chromium.devtools.lock().await;
        within(limit, async {
            let answer = devtools.load(tab, url).await?;
            if answer.status.is_client_error() || answer.status.is_server_error() {
                return Err(ScraperError::answer(answer.status, &answer.headers));
            }
            let title = devtools.evaluate(tab, TITLE).await?;
            let title = title.as_str().unwrap_or_default().to_owned();
            Ok(Page { status: answer.status.as_u16(), title })
        })
        .await
    };
    let name = "navigation.route_adaptation.retry_with_delay";
    let record = browser.manager.record().correlation_id(page).context("url", url);
    browser.manager.run("navigation.visit", name, record, go).await
}
