//! A scraper of three subsystems that once had a retry loop each, and now share one policy file.
//!
//! | part | module |
//! |---|---|
//! | the only code that retries | [`manager`] |
//! | the flags that select between a legacy loop and a policy | [`flags`] |
//! | the three legacy loops, until all subsystems are migrated | [`legacy_loops`] |
//! | the errors, as facts | [`error`] |
//! | the subsystems, without retry code | [`browser`], [`navigation`], [`telemetry`] |
//! | the visit of a page, and the storage of its state | [`scraper`] |
//!
//! Support code: [`chromium`], a client of the browser over a pipe, and [`test_servers`].

pub mod browser;
pub mod chromium;
pub mod error;
pub mod flags;
pub mod legacy_loops;
pub mod manager;
pub mod navigation;
pub mod scraper;
pub mod telemetry;
pub mod test_servers;
