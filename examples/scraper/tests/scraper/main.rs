//! The specification of the scraper (X4), as tests.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod agreement;
mod real;
mod records;
mod reload;

use std::path::PathBuf;

use example_scraper::error::ScraperError;
use example_scraper::manager::RetryManager;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use steadfast::registry::Loader;
use tempfile::TempDir;

/// The example's own policy file.
const POLICIES: &str = include_str!("../../steadfast.yaml");

/// A policy file in its own folder.
struct Scene {
    folder: TempDir,
    file: PathBuf,
}

impl Scene {
    /// The example's file, with these subsystems on their legacy loop.
    fn with_old(subsystems: &str) -> Self {
        Self::of(
            &POLICIES.replace("x-old-loops: [telemetry]", &format!("x-old-loops: [{subsystems}]")),
        )
    }

    fn of(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("steadfast.yaml");
        std::fs::write(&file, text).unwrap();
        Self { folder, file }
    }

    fn manager(&self) -> RetryManager {
        self.manager_with(|loader| loader)
    }

    /// A manager with settings that override the file, without environment variables.
    fn manager_with(&self, set: impl FnOnce(Loader) -> Loader) -> RetryManager {
        let none: [(&str, &str); 0] = [];
        let loader = Loader::file(&self.file).variables(none).unwatched();
        RetryManager::load(set(loader)).unwrap()
    }
}

/// An HTTP error response.
fn answer(status: u16, retry_after: Option<&str>) -> ScraperError {
    let wish = retry_after.map(|wish| (RETRY_AFTER, wish.parse().unwrap()));
    ScraperError::answer(status.try_into().unwrap(), &HeaderMap::from_iter(wish))
}
