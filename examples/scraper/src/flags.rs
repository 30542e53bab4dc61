//! The feature flags: subsystems that still run their legacy retry loop.
//!
//! Subsystems are migrated one by one, and can be switched back. The policy file allows any key that
//! begins with `x-`, so the flags are in the same file as the policies, and are checked and applied
//! together with them.

use std::collections::BTreeSet;

use steadfast::file::{Policies, Problem};

const KEY: &str = "x-old-loops";
const SUBSYSTEMS: [&str; 3] = ["browser", "navigation", "telemetry"];

/// The subsystems that still run their legacy loop.
pub fn old_loops(policies: &Policies) -> Result<BTreeSet<String>, Problem> {
    let old: BTreeSet<String> = policies.extension(KEY)?.unwrap_or_default();
    match old.iter().find(|name| !SUBSYSTEMS.contains(&name.as_str())) {
        None => Ok(old),
        Some(unknown) => Err(policies
            .problem(KEY, format!("unknown subsystem `{unknown}`"))
            .suggest(format!("the subsystems are {}", SUBSYSTEMS.join(", ")))),
    }
}

/// Whether the subsystem of an operation is one of them.
pub fn is_old(policies: &Policies, name: &str) -> bool {
    let subsystem = name.split('.').next().unwrap_or(name);
    old_loops(policies).is_ok_and(|old| old.contains(subsystem))
}
