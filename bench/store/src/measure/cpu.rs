//! CPU time of processes, in seconds.
//!
//! The clock of a process counts nanoseconds of all its threads, those that ended
//! included. Only for children that ended there is nothing but ticks of 10 ms, summed up
//! by their parent; a measured run loses few.

use anyhow::Result;
use nix::sys::time::TimeValLike;
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use procfs::process::{Process, all_processes};

/// Of one process.
pub fn of(pid: u32) -> Result<f64> {
    let clock = clock_getcpuclockid(Pid::from_raw(pid.cast_signed()))?;
    Ok(clock.now()?.num_nanoseconds() as f64 / 1e9)
}

/// Of a process and its children, those that ended included.
pub fn of_family(pid: u32) -> Result<f64> {
    let parent = Process::new(pid.cast_signed())?.stat()?;
    let ended = (parent.cutime + parent.cstime) as f64 / procfs::ticks_per_second() as f64;
    // A child that ends while it is read was counted by its parent a moment later.
    let children = all_processes()?.filter_map(|process| process.ok()?.stat().ok());
    let children = children.filter(|child| child.ppid == parent.pid);
    let alive = children.filter_map(|child| of(child.pid.cast_unsigned()).ok());
    Ok(of(pid)? + ended + alive.sum::<f64>())
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::process::Command;

    use super::*;

    fn burn() {
        (0..20_000_000u64).fold(0, |sum, n| black_box(sum ^ n));
    }

    #[test]
    fn a_process_is_charged_for_its_threads_even_when_they_have_ended() {
        let before = of(std::process::id()).unwrap();
        std::thread::spawn(burn).join().unwrap();
        assert!(of(std::process::id()).unwrap() - before > 0.001);
    }

    #[test]
    fn a_family_is_charged_for_a_child_that_has_ended() {
        let before = of_family(std::process::id()).unwrap();
        let burns = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", burns]).status().unwrap().success());
        assert!(of_family(std::process::id()).unwrap() - before > 0.01);
    }
}
