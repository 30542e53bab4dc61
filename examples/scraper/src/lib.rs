//! A scraper of three subsystems that once had a retry loop each, and now share one policy file.
//!
//! | to see | look in |
//! |---|---|
//! | the one place where anything is tried again | [`manager`] |
//! | the flag that turns a subsystem from its old loop to the file | [`flags`] |
//! | the three old loops, kept until their flag has been turned for good | [`old`] |
//! | what can go wrong, as facts | [`trouble`] |
//! | the subsystems: they know no delay and count no attempt | [`browser`], [`navigation`], [`telemetry`] |
//! | a page from its first visit to its kept state | [`scraper`] |
//!
//! To be skipped: [`chromium`], a browser on a pipe, and [`world`], the other side.

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
