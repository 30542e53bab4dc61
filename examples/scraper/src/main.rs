//! Runs the scraper on a real browser, with faults, while its policy file changes.

mod demo;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use demo::{Show, report};
use example_scraper::chromium;
use example_scraper::manager::RetryManager;
use example_scraper::scraper::Scraper;
use example_scraper::test_servers::{Collector, Site};
use steadfast::registry::Loader;
use tokio::sync::mpsc::unbounded_channel;

const POLICIES: &str = include_str!("../steadfast.yaml");

/// Scrape pages with a browser, navigation and telemetry that share one policy file
#[derive(Parser)]
#[command(name = "scraper")]
struct Options {
    /// Policy file to run with until Ctrl-C; edit it to see the effect
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
    /// Browser program [default: CHROMIUM, or a Chromium on the PATH]
    #[arg(long, value_name = "PROGRAM")]
    browser: Option<PathBuf>,
    /// File for all sessions, events and metrics, as JSON
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scraper: {error}");
            ExitCode::FAILURE
        }
    }
}

type Ended = Result<(), Box<dyn std::error::Error>>;

async fn run(options: Options) -> Ended {
    let named = options.browser.or_else(|| std::env::var_os("CHROMIUM").map(PathBuf::from));
    let program = chromium::find(named)?;
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("steadfast.yaml");
    std::fs::write(&copy, POLICIES)?;
    let file = options.policies.as_ref().unwrap_or(&copy);
    let (report_reload, mut reload_messages) = unbounded_channel();
    let loader =
        Loader::file(file).on_change(move |change| drop(report_reload.send(change.to_string())));
    let manager = Arc::new(RetryManager::load(loader)?);

    let (site, collector) = (Site::open().await?, Collector::away()?);
    let scraper =
        Scraper::start(&program, Arc::clone(&manager), &collector.url(), folder.path()).await?;
    println!("{} is running; the site is up, the collector is down", scraper.browser.product());
    let show = Show { manager, scraper, site, collector, file, began: Instant::now() };
    match options.policies {
        None => show.once(&mut reload_messages).await?,
        Some(_) => show.until_interrupted(&mut reload_messages).await?,
    }
    let Show { manager, scraper, .. } = show;
    scraper.browser.close().await;

    println!("\n--- metrics of all sessions");
    report::figures(&manager);
    if let Some(file) = options.records {
        std::fs::write(&file, format!("{:#}", report::records(&manager)))?;
    }
    Ok(())
}
