//! A daemon that replays recorded requests and checks whether the service still responds the same.
//!
//! Recordings are files; each is a *run*. A run is discovered once, replayed until it has a
//! verdict, and survives the daemon. Nothing here counts attempts, computes delays or
//! classifies errors: a run is a task of `steadfast-store`, and a worker of `steadfast-worker` runs it.
//!
//! ```text
//!   files ──discover──▶ store ──worker──▶ replay ──▶ verdict: passed, needs_review, failed
//!                         │                  │ calls the service
//!                         └──▶ view `runs`   └──▶ an error: again later, or `error` for good
//! ```

pub mod compare;
pub mod config;
pub mod daemon;
pub mod demo;
pub mod discover;
pub mod replay;
pub mod view;
