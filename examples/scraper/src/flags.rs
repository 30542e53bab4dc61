//! The feature flags: subsystems that still run their legacy retry loop.
//!
//! A migration is turned subsystem by subsystem, and back if it must be. Keys that begin with
//! `x-` are the reader's own, so the flag lives beside the policies that it turns to, and is
//! checked and put in force together with them.

use std::collections::BTreeSet;

use steadfast::file::{Policies, Problem};

const KEY: &str = "x-old-loops";
const SUBSYSTEMS: [&str; 3] = ["browser", "navigation", "telemetry"];

/// Those that still run their old loop.
pub fn old_loops(policies: &Policies) -> Result<BTreeSet<String>, Problem> {
    let old: BTreeSet<String> = policies.extension(KEY)?.unwrap_or_default();
    match old.iter().find(|name| !SUBSYSTEMS.contains(&name.as_str())) {
        None => Ok(old),
        Some(unknown) => Err(policies
            .problem(KEY, format!("no subsystem is called {unknown}"))
            .suggest(format!("the subsystems are {}", SUBSYSTEMS.join(", ")))),
    }
}

/// Whether the subsystem that a name begins with is one of them.
pub fn is_old(policies: &Policies, name: &str) -> bool {
    let subsystem = name.split('.').next().unwrap_or(name);
    old_loops(policies).is_ok_and(|old| old.contains(subsystem))
}
