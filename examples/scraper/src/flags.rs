//! Which subsystems still run their old loop: one line of the policy file.
//!
//! A migration is turned subsystem by subsystem, and back if it must be. Keys that begin with
//! `x-` are the reader's own, so the flag lives beside the policies that it turns to.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use serde::Deserialize;

const SUBSYSTEMS: [&str; 3] = ["browser", "navigation", "telemetry"];

/// Those that still run their old loop.
#[derive(Default)]
pub struct Flags(RwLock<BTreeSet<String>>);

/// What the policy file says beside policies.
#[derive(Deserialize)]
struct Own {
    #[serde(rename = "x-old-loops", default)]
    old_loops: BTreeSet<String>,
}

impl Flags {
    /// Takes them from a file; what turned, in words. If they are wrong, none turns.
    pub fn read(&self, file: &Path) -> Result<Vec<String>, String> {
        let new = written(file)?;
        let mut flags = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *flags, new);
        let to_file = old.difference(&flags).map(|s| format!("{s}: from its old loop to the file"));
        let back = flags.difference(&old).map(|s| format!("{s}: from the file to its old loop"));
        Ok(to_file.chain(back).collect())
    }

    /// Whether the subsystem that a name begins with still runs its old loop.
    pub fn is_old(&self, name: &str) -> bool {
        let subsystem = name.split('.').next().unwrap_or(name);
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(subsystem)
    }
}

fn written(file: &Path) -> Result<BTreeSet<String>, String> {
    let place = format!("{}: x-old-loops", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| format!("{place}: {error}"))?;
    let own: Own = serde_saphyr::from_str(&text).map_err(|error| format!("{place}: {error}"))?;
    match own.old_loops.iter().find(|name| !SUBSYSTEMS.contains(&name.as_str())) {
        None => Ok(own.old_loops),
        Some(unknown) => Err(format!(
            "{place}: no subsystem is called {unknown}, only {}",
            SUBSYSTEMS.join(", ")
        )),
    }
}
