//! The submit actions: one by one, in batches, and for later.

use std::time::Instant;

use anyhow::Result;

use crate::peer::{Peer, now};
use crate::signals;

pub(crate) async fn submit_single(peer: &impl Peer, tasks: u64) -> Result<()> {
    signals::ready().await?;
    let began = Instant::now();
    for task in 0..tasks.cast_signed() {
        peer.submit(task).await?;
    }
    signals::done(&[began.elapsed().as_secs_f64()]).await
}

pub(crate) async fn submit_bulk(peer: &impl Peer, tasks: u64, batch: u64) -> Result<()> {
    signals::ready().await?;
    let began = Instant::now();
    let (tasks, batch) = (tasks.cast_signed(), batch.cast_signed());
    let mut submitted = 0;
    while submitted < tasks {
        let end = (submitted + batch).min(tasks);
        peer.submit_many(submitted..end).await?;
        submitted = end;
    }
    signals::done(&[began.elapsed().as_secs_f64()]).await
}

const BATCH: usize = 10_000;
const WEEK: i64 = 7 * 24 * 3600 * 1_000_000;

/// One a millisecond, beginning in a week.
pub(crate) async fn submit_later(peer: &impl Peer, tasks: u64) -> Result<()> {
    let first = now() + WEEK;
    let mut due = (0..tasks.cast_signed()).map(|task| first + task * 1000);
    loop {
        let batch: Vec<i64> = due.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(());
        }
        peer.submit_later(&batch).await?;
    }
}
