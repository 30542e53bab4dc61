//! A description of the machine and the versions of the peers.

use std::fs;
use std::process::Command;
use std::thread;

/// The crates whose versions are reported, by their names in the lock file.
const CRATES: &[&str] = &[
    "tokio",
    "backoff",
    "backon",
    "failsafe",
    "recloser",
    "relentless",
    "retry",
    "retry-policies",
    "tokio-retry",
    "tokio-retry2",
    "tower",
];

/// The description, as one paragraph.
pub fn description() -> String {
    let crates =
        CRATES.iter().map(|name| format!("{name} {}", locked_version(LOCK, name).unwrap_or("?")));
    format!(
        "Measured on {cores} × {processor} ({architecture}); {rustc}; {valgrind}; {crates}.",
        cores = thread::available_parallelism().map_or(0, usize::from),
        processor = processor().unwrap_or_else(|| "an unknown processor".to_owned()),
        architecture = std::env::consts::ARCH,
        rustc = version_of("rustc"),
        valgrind = version_of("valgrind"),
        crates = crates.collect::<Vec<_>>().join(", "),
    )
}

fn processor() -> Option<String> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(": ")?.1.to_owned())
}

fn version_of(program: &str) -> String {
    let output = Command::new(program).arg("--version").output();
    output.map_or_else(
        |_| format!("{program} not found"),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

/// The lock file of this program.
const LOCK: &str = include_str!("../Cargo.lock");

fn locked_version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let (_, package) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    Some(package.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_is_in_the_lock_file() {
        for name in CRATES {
            assert!(locked_version(LOCK, name).is_some(), "{name}");
        }
        assert_eq!(locked_version(LOCK, "no-such-crate"), None);
    }
}
