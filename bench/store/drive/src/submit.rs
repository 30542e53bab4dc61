//! The submit actions: one by one, in batches, and scheduled.

use std::time::Instant;

use anyhow::Result;

use crate::peer::{Peer, now};
use crate::signals;

pub(crate) async fn submit_single(peer: &impl Peer, tasks: u64) -> Result<()> {
    signals::ready().await?;
    let start = Instant::now();
    for task in 0..tasks.cast_signed() {
        peer.submit(task).await?;
    }
    signals::done(&[start.elapsed().as_secs_f64()]).await
}

pub(crate) async fn submit_bulk(peer: &impl Peer, tasks: u64, batch: u64) -> Result<()> {
    signals::ready().await?;
    let start = Instant::now();
    let (tasks, batch) = (tasks.cast_signed(), batch.cast_signed());
    let mut submitted = 0;
    while submitted < tasks {
        let end = (submitted + batch).min(tasks);
        peer.submit_many(submitted..end).await?;
        submitted = end;
    }
    signals::done(&[start.elapsed().as_secs_f64()]).await
}

const SCHEDULED_BATCH_SIZE: usize = 10_000;
const WEEK_MICROS: i64 = 7 * 24 * 3600 * 1_000_000;

/// Submits tasks that become due from next week on, one per millisecond.
pub(crate) async fn submit_scheduled(peer: &impl Peer, tasks: u64) -> Result<()> {
    let first = now() + WEEK_MICROS;
    let mut due = (0..tasks.cast_signed()).map(|task| first + task * 1000);
    loop {
        let batch: Vec<i64> = due.by_ref().take(SCHEDULED_BATCH_SIZE).collect();
        if batch.is_empty() {
            return Ok(());
        }
        peer.submit_scheduled(&batch).await?;
    }
}
