//! Child processes and their CPU time.

use std::fs;
use std::process::{Command, Output};
use std::time::Duration;

/// The error of a measurement.
pub type Error = Box<dyn std::error::Error>;

/// Runs a command to completion.
///
/// # Errors
/// The command cannot be started, or exits with a failure.
pub fn run(command: &mut Command) -> Result<Output, Error> {
    let output = command.output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}\n{log}", output.status).into());
    }
    Ok(output)
}

/// Runs a command to completion and returns the CPU time of it and its children.
///
/// # Errors
/// As [`run`]; or the system has no `/proc`.
pub fn cpu_time(command: &mut Command) -> Result<Duration, Error> {
    let before = cpu_time_of_children()?;
    run(command)?;
    Ok(cpu_time_of_children()?.saturating_sub(before))
}

/// The CPU time of all completed child processes and their own children.
fn cpu_time_of_children() -> Result<Duration, Error> {
    const STAT: &str = "/proc/self/stat";
    let stat = fs::read_to_string(STAT).map_err(|error| format!("{STAT}: {error}"))?;
    let ticks = ticks_of_children(&stat);
    let ticks = ticks.ok_or_else(|| format!("{STAT}: unexpected content `{stat}`"))?;
    Ok(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}

/// The unit of times in `/proc`, the same on every architecture.
const TICKS_PER_SECOND: u64 = 100;

/// The sum of `cutime` and `cstime`, fields 16 and 17 of `proc_pid_stat(5)`. The second field, the
/// name of the program, may contain blanks and parentheses.
fn ticks_of_children(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split_whitespace().skip(13);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_children_are_found_behind_any_program_name() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 100 200 0 0 11 12 130 14 20 0 1 0 99 0 0";
        assert_eq!(ticks_of_children(stat), Some(144));
        assert_eq!(ticks_of_children("7 (a) S 1"), None);
    }

    #[test]
    fn cpu_time_includes_grandchildren() {
        let busy = "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; true";
        let time = cpu_time(Command::new("sh").args(["-c", busy])).unwrap();
        assert!(time > Duration::ZERO);
    }

    #[test]
    fn failed_command_is_an_error_with_its_log() {
        let error = run(Command::new("sh").args(["-c", "echo no disk >&2; exit 3"])).unwrap_err();
        assert!(error.to_string().contains("no disk"), "{error}");
    }
}
