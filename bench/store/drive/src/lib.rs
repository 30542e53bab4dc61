//! The protocol between the benchmark and a peer's program.
//!
//! Every peer runs in its own process, so that its CPU time can be measured and a peer that hangs can
//! be killed. The process performs one [`Action`] and exits:
//!
//! ```text
//! DATABASE_URL=… peer NAME ACTION [NUMBER…] [SETTING=VALUE…]
//! ```
//!
//! A measured action prints `READY` when it is prepared, waits for a line on standard input, runs,
//! prints `DONE` with its results, and waits until standard input closes: resource usage is read while
//! the process still exists. [`Action`] describes the results.
//!
//! A peer implements [`Peer`]; [`run`] is the part that all peers share.

mod action;
mod churn;
mod drain;
mod handled;
mod lateness;
mod peer;
mod run;
mod settings;
mod signals;
mod submit;

pub use action::Action;
pub use handled::handled;
pub use peer::Peer;
pub use run::run;
pub use settings::Settings;
pub use signals::{DONE, READY};

use anyhow::{Context, Result, bail};

/// The parsed command line of a peer's program.
#[derive(Debug)]
pub struct Request {
    /// The action to perform.
    pub action: Action,
    /// The URL of the database, or the path of an SQLite file.
    pub database: String,
    /// The settings of the peer.
    pub settings: Settings,
}

impl Request {
    /// Parses the arguments after the program's name.
    ///
    /// # Errors
    /// An argument is invalid, or `DATABASE_URL` is not set.
    pub fn parse(words: &[String]) -> Result<Self> {
        let (action, settings): (Vec<_>, Vec<_>) =
            words.iter().map(String::as_str).partition(|word| !word.contains('='));
        let database = std::env::var(DATABASE_URL)
            .with_context(|| format!("{DATABASE_URL}: must be set to the database"))?;
        if database.is_empty() {
            bail!("{DATABASE_URL}: must not be empty");
        }
        Ok(Request {
            action: Action::parse(&action)?,
            database,
            settings: Settings::parse(&settings)?,
        })
    }
}

/// The environment variable with the database.
pub const DATABASE_URL: &str = "DATABASE_URL";
