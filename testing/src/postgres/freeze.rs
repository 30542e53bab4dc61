//! Freezing a server: it holds its connections and its locks, and answers nobody.
//!
//! That is what a stalled disk or a suspended machine looks like from outside. The
//! server is a process for each connection and a parent of them all; the parent is
//! stopped first, and waited for, so that it starts no more while they are counted.

use std::fs;
use std::io;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// Stops the server and everything that it started.
pub(super) fn freeze(server: Pid) -> io::Result<()> {
    kill_process(server, Signal::STOP)?;
    let until_stopped = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(server), until_stopped)?;
    signal_all(&children(server)?, Signal::STOP)
}

/// Lets them go on; those that were not stopped take no notice.
pub(super) fn thaw(server: Pid) -> io::Result<()> {
    signal_all(&children(server)?, Signal::CONT)?;
    Ok(kill_process(server, Signal::CONT)?)
}

/// One that has ended is still its parent's to bury, so nothing else has its id.
fn signal_all(processes: &[Pid], signal: Signal) -> io::Result<()> {
    processes.iter().try_for_each(|process| Ok(kill_process(*process, signal)?))
}

fn children(parent: Pid) -> io::Result<Vec<Pid>> {
    let parent = parent.as_raw_pid();
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"))?;
    let ids = children.split_whitespace().filter_map(|id| id.parse().ok());
    Ok(ids.filter_map(Pid::from_raw).collect())
}
