//! The protocol between the benchmark and a peer's program.
//!
//! Every peer runs in a process of its own, so that its CPU is its own and a peer
//! that hangs can be killed. The process does one [`Action`] and ends:
//!
//! ```text
//! DATABASE_URL=… peer NAME ACTION [NUMBER…] [SETTING=VALUE…]
//! ```
//!
//! An action that is measured says `READY` when everything is prepared, waits for a
//! line, does it, says `DONE` with its figures, and stays until its input ends: what
//! it cost is read while it is still there. See [`Action`] for the figures.
//!
//! A peer's own part is a [`Peer`]; [`run`] is everything that is alike for all.

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

/// What the words on a command line ask for.
#[derive(Debug)]
pub struct Request {
    /// What to do.
    pub action: Action,
    /// Where: a URL, or the path of an SQLite file.
    pub database: String,
    /// How.
    pub settings: Settings,
}

impl Request {
    /// Reads what follows a program's name on the command line.
    pub fn read(words: &[String]) -> Result<Self> {
        let (action, settings): (Vec<_>, Vec<_>) =
            words.iter().map(String::as_str).partition(|word| !word.contains('='));
        let database = std::env::var(DATABASE)
            .with_context(|| format!("{DATABASE} says where the tasks are, and is not set"))?;
        if database.is_empty() {
            bail!("{DATABASE} says where the tasks are, and is empty");
        }
        Ok(Request {
            action: Action::parse(&action)?,
            database,
            settings: Settings::parse(&settings)?,
        })
    }
}

/// The variable that says where the tasks are.
pub const DATABASE: &str = "DATABASE_URL";
