//! Freezing a server: it holds its connections and locks, and does not answer.
//!
//! A stalled disk or a suspended machine looks like this to clients. The server has a process per
//! connection and a parent; the parent is stopped first, and awaited, so that it starts no more
//! processes while they are listed.

use std::fs;
use std::io;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// Stops the server and its child processes.
pub(super) fn freeze(server: Pid) -> io::Result<()> {
    kill_process(server, Signal::STOP)?;
    let until_stopped = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(server), until_stopped)?;
    signal_all(&children(server)?, Signal::STOP)
}

/// Resumes them; processes that were not stopped are not affected.
pub(super) fn thaw(server: Pid) -> io::Result<()> {
    signal_all(&children(server)?, Signal::CONT)?;
    Ok(kill_process(server, Signal::CONT)?)
}

/// A process that has ended is not reaped by its stopped parent, so its id is not reused.
fn signal_all(processes: &[Pid], signal: Signal) -> io::Result<()> {
    processes.iter().try_for_each(|process| Ok(kill_process(*process, signal)?))
}

fn children(parent: Pid) -> io::Result<Vec<Pid>> {
    let parent = parent.as_raw_pid();
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"))?;
    let ids = children.split_whitespace().filter_map(|id| id.parse().ok());
    Ok(ids.filter_map(Pid::from_raw).collect())
}
