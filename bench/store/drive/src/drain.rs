//! The drain action: processes tasks that were submitted before.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::peer::Peer;
use crate::run::while_working;
use crate::{handled, signals};

pub(crate) async fn drain(peer: &impl Peer, tasks: u64) -> Result<()> {
    signals::ready().await?;
    let began = Instant::now();
    let drained = async {
        handled::until(tasks).await;
        let handlers = began.elapsed();
        until_finished(peer, tasks).await?;
        signals::done(&[handlers.as_secs_f64(), began.elapsed().as_secs_f64()]).await
    };
    while_working(peer, drained).await
}

/// A handler that has run is not yet a task that is finished: many peers write to
/// the database later, in batches, without a notification, so it is polled.
async fn until_finished(peer: &impl Peer, tasks: u64) -> Result<()> {
    while !peer.finished(tasks.cast_signed()).await? {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}
