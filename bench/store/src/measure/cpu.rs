//! CPU time of processes, in seconds.
//!
//! The CPU clock of a process counts the nanoseconds of all its threads, including those that ended.
//! The time of children that ended is available only from their parent, in ticks of 10 ms; few
//! children end during a measured run.

use anyhow::Result;
use nix::sys::time::TimeValLike;
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use procfs::process::{Process, all_processes};

/// The CPU time of one process.
pub fn of_process(pid: u32) -> Result<f64> {
    let clock = clock_getcpuclockid(Pid::from_raw(pid.cast_signed()))?;
    Ok(clock.now()?.num_nanoseconds() as f64 / 1e9)
}

/// The CPU time of a process and its children, including those that ended.
pub fn of_process_and_children(pid: u32) -> Result<f64> {
    let parent = Process::new(pid.cast_signed())?.stat()?;
    let ended = (parent.cutime + parent.cstime) as f64 / procfs::ticks_per_second() as f64;
    // A child that ends during the loop is skipped: its parent counts it at the next call.
    let children = all_processes()?.filter_map(|process| process.ok()?.stat().ok());
    let children = children.filter(|child| child.ppid == parent.pid);
    let alive = children.filter_map(|child| of_process(child.pid.cast_unsigned()).ok());
    Ok(of_process(pid)? + ended + alive.sum::<f64>())
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::process::Command;

    use super::*;

    fn burn_cpu() {
        (0..20_000_000u64).fold(0, |sum, n| black_box(sum ^ n));
    }

    #[test]
    fn process_time_includes_ended_threads() {
        let before = of_process(std::process::id()).unwrap();
        std::thread::spawn(burn_cpu).join().unwrap();
        assert!(of_process(std::process::id()).unwrap() - before > 0.001);
    }

    #[test]
    fn children_time_includes_an_ended_child() {
        let before = of_process_and_children(std::process::id()).unwrap();
        let busy_loop = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", busy_loop]).status().unwrap().success());
        assert!(of_process_and_children(std::process::id()).unwrap() - before > 0.01);
    }
}
