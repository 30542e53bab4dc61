//! The navigation subsystem: goes to pages.

use std::time::Duration;

use serde::Serialize;

use crate::browser::{Browser, Tab};
use crate::error::{ScraperError, within};

/// A page that was had.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// How the server answered.
    pub status: u16,
    /// What the page is called.
    pub title: String,
}

/// Answers when the page is there.
const TITLE: &str = "new Promise(done => document.readyState == 'complete' ? done() \
                     : addEventListener('load', done)).then(() => document.title)";

/// Goes to a page in a tab, within this time each time.
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
