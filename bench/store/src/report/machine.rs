//! A description of the machine and the versions of the peers.

use std::fs;
use std::io::Write;
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::Result;

use super::Bench;
use super::markdown::number;
use crate::measure::rounds::median;

/// The crates whose versions are reported, by their names in the lock file.
const CRATES: &[&str] = &[
    "tokio",
    "tokio-postgres",
    "graphile_worker",
    "apalis-postgres",
    "awa",
    "underway",
    "libsqlite3-sys",
    "apalis-sqlite",
];

/// The crates of effectum's lock file.
const EFFECTUM_CRATES: &[&str] = &["effectum", "libsqlite3-sys"];

/// The lock file of this workspace.
const LOCK: &str = include_str!("../../Cargo.lock");
/// The lock file of effectum's program.
const EFFECTUM_LOCK: &str = include_str!("../../effectum/Cargo.lock");

/// The description, as one paragraph.
pub fn description(bench: &mut Bench) -> Result<String> {
    let mut peers = versions(LOCK, CRATES);
    let effectum = versions(EFFECTUM_LOCK, EFFECTUM_CRATES);
    peers.push(effectum.join(" with "));
    peers.extend(bench.programs.node_versions());
    Ok(format!(
        "Measured on {cores} × {processor} ({architecture}); {rustc}; PostgreSQL {postgres}, \
         durable by its defaults; {peers}. {fsync} µs for an fsync of 8 kB. {rounds}.",
        cores = thread::available_parallelism().map_or(0, usize::from),
        processor = processor().unwrap_or_else(|| "an unknown processor".to_owned()),
        architecture = std::env::consts::ARCH,
        rustc = rustc(),
        postgres = bench.postgres.version()?,
        peers = peers.join(", "),
        fsync = number(fsync_seconds()? * 1e6, 0),
        rounds = match bench.rounds {
            1 => "One round".to_owned(),
            rounds => format!("Medians of {rounds} rounds"),
        },
    ))
}

/// The median seconds of an fsync in the directory of the databases, which limits single commits.
fn fsync_seconds() -> Result<f64> {
    let mut file = tempfile::tempfile()?;
    let mut times = Vec::new();
    for _ in 0..101 {
        let start = Instant::now();
        file.write_all(&[1; 8192])?;
        file.sync_data()?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(median(&times, |time| *time))
}

fn versions(lock: &str, names: &[&str]) -> Vec<String> {
    let version = |name: &&str| format!("{name} {}", locked_version(lock, name).unwrap_or("?"));
    names.iter().map(version).collect()
}

fn processor() -> Option<String> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(": ")?.1.to_owned())
}

fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    output.map_or_else(
        |_| "rustc not found".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

fn locked_version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let (_, package) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    Some(package.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_is_in_its_lock_file() {
        for (lock, crates) in [(LOCK, CRATES), (EFFECTUM_LOCK, EFFECTUM_CRATES)] {
            for name in crates {
                assert!(locked_version(lock, name).is_some(), "{name}");
            }
        }
        assert_eq!(locked_version(LOCK, "no-such-crate"), None);
    }
}
