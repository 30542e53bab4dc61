//! The drain action: the processing of tasks that were submitted before.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::peer::Peer;
use crate::run::while_working;
use crate::{handled, signals};

pub(crate) async fn drain(peer: &impl Peer, tasks: u64) -> Result<()> {
    signals::ready().await?;
    let start = Instant::now();
    let drained = async {
        handled::wait_for(tasks).await;
        let handlers = start.elapsed();
        wait_until_finished(peer, tasks).await?;
        signals::done(&[handlers.as_secs_f64(), start.elapsed().as_secs_f64()]).await
    };
    while_working(peer, drained).await
}

/// Waits until the database has the outcomes of all tasks.
///
/// Many peers write outcomes in batches after the handlers have run, without a notification, so the
/// database is polled.
async fn wait_until_finished(peer: &impl Peer, tasks: u64) -> Result<()> {
    while !peer.finished(tasks.cast_signed()).await? {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}
