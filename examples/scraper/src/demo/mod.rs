//! The demo: pages with faults, while the policy file changes.

pub(crate) mod report;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use example_scraper::error::ScraperError;
use example_scraper::manager::RetryManager;
use example_scraper::scraper::Scraper;
use example_scraper::test_servers::{Collector, Site};
use futures_util::future::join_all;
use steadfast::observe::SessionState;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::Ended;

const WAIT_TIMEOUT: Duration = Duration::from_secs(30);

/// The parts of the demo.
pub(crate) struct Show<'f> {
    pub(crate) manager: Arc<RetryManager>,
    pub(crate) scraper: Scraper,
    pub(crate) site: Site,
    pub(crate) collector: Collector,
    pub(crate) file: &'f Path,
    pub(crate) began: Instant,
}

impl Show<'_> {
    /// Fetches pages with faults, changes the file while some of them wait, and fetches more.
    pub(crate) async fn once(&self, reload_messages: &mut UnboundedReceiver<String>) -> Ended {
        println!("\n--- pages, with the current policy file; telemetry on its legacy loop");
        let pages = ["catalogue", "slow", "busy", "limited", "dropped", "stuck", "gone"];
        self.site.hold(true);
        let (lost, (), changed) = tokio::join!(
            self.fetch(&pages),
            self.batch(&pages),
            self.change_meanwhile(reload_messages)
        );
        changed?;
        println!("\n--- afterwards");
        for (page, error) in lost {
            self.scraper.lost(page, &error).await?;
        }
        self.scraper.telemetry.heartbeat().await?;
        println!("the collector got {}", self.collector.taken().join(", "));
        println!("\n--- one session in detail");
        report::whole(&self.manager, "browser.save_state", "stuck");
        Ok(())
    }

    async fn change_meanwhile(&self, reload_messages: &mut UnboundedReceiver<String>) -> Ended {
        self.until_waiting("navigation").await?;
        replace(self.file, &changed(&std::fs::read_to_string(self.file)?))?;
        println!("{} the policy file changes while pages wait", self.at());
        let words = tokio::time::timeout(WAIT_TIMEOUT, reload_messages.recv()).await?;
        self.log(&words.unwrap_or_default());
        // Sessions from before the change fail once more, now that the new file is in force.
        self.site.hold(false);
        let second = ["busy-2", "limited-2", "dropped-2"];
        let comes = async {
            self.until_waiting("telemetry").await?;
            println!("{} the collector starts", self.at());
            self.collector.start().map_err(Into::into)
        };
        let (_, _, came): (_, _, Ended) =
            tokio::join!(self.fetch(&second), self.batch(&second), comes);
        came
    }

    /// Fetches pages concurrently. Returns those that were lost.
    async fn fetch<'p>(&self, pages: &[&'p str]) -> Vec<(&'p str, ScraperError)> {
        let fetched = pages.iter().map(|page| async move {
            let got = self.scraper.fetch(page, &self.site.url(page)).await;
            let verdict = if got.is_ok() { "got " } else { "lost" };
            let how = report::in_short(&self.manager, "navigation.visit", page);
            println!("{} {verdict} {page:<10} {how}", self.at());
            got.err().map(|error| (*page, error))
        });
        join_all(fetched).await.into_iter().flatten().collect()
    }

    async fn batch(&self, pages: &[&str]) {
        let sent = self.scraper.telemetry.batch(pages).await;
        let verdict = if sent.is_ok() { "sent" } else { "lost" };
        println!("{} {verdict} telemetry of {} pages", self.at(), pages.len());
    }

    /// Fetches rounds of pages, with reloads of the file, until Ctrl-C.
    pub(crate) async fn until_interrupted(
        &self,
        reload_messages: &mut UnboundedReceiver<String>,
    ) -> Ended {
        println!("edit {} to see its effect; press Ctrl-C to stop", self.file.display());
        self.collector.start()?;
        let rounds = async {
            for round in 1_u64.. {
                let pages = ["catalogue", "busy", "dropped"].map(|page| format!("{page}-{round}"));
                let pages = pages.each_ref().map(String::as_str);
                tokio::join!(self.fetch(&pages), self.batch(&pages));
            }
        };
        let changes = async {
            while let Some(words) = reload_messages.recv().await {
                self.log(&words);
            }
        };
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
            () = rounds => Ok(()),
            () = changes => Ok(()),
        }
    }

    /// Waits until a session of a subsystem is between two attempts.
    async fn until_waiting(&self, subsystem: &str) -> Ended {
        let waits = async {
            while !self.manager.registry.sessions().iter().any(|session| {
                session.state == SessionState::Waiting && session.operation.starts_with(subsystem)
            }) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        Ok(tokio::time::timeout(WAIT_TIMEOUT, waits).await?)
    }

    fn log(&self, words: &str) {
        println!("{} {}", self.at(), words.replace('\n', "\n      "));
    }

    fn at(&self) -> String {
        format!("{:>4.1}s", self.began.elapsed().as_secs_f64())
    }
}

/// The changed policy file: shorter delays, and telemetry under its policy.
fn changed(text: &str) -> String {
    let text = text.replace("x-old-loops: [telemetry]", "x-old-loops: []");
    match text.split_once("  navigation_retry_with_delay:\n") {
        None => text,
        Some((before, after)) => {
            let after = after.replacen("base_delay: 2.0", "base_delay: 0.2", 1);
            format!("{before}  navigation_retry_with_delay:\n{after}")
        }
    }
}

/// Replaces the file by a new one, as an editor does.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let new = file.with_extension("new");
    std::fs::write(&new, text)?;
    std::fs::rename(new, file)
}
