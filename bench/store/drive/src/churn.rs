//! The churn action: submission and processing at the same time.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::peer::Peer;
use crate::run::while_working;
use crate::{handled, signals};

const BATCH_SIZE: i64 = 1000;
/// Large enough that the worker never waits, and small enough that the tables stay small.
const MAX_BACKLOG: i64 = 5 * BATCH_SIZE;

pub(crate) async fn churn(peer: &impl Peer, seconds: u64) -> Result<()> {
    signals::ready().await?;
    let measured = async {
        let rates = tokio::select! {
            result = submit_forever(peer) => return result,
            rates = rates(seconds) => rates,
        };
        signals::done(&first_and_last_fifth(&rates)).await
    };
    while_working(peer, measured).await
}

/// Submits batches whenever the backlog has room. Returns only on an error.
async fn submit_forever(peer: &impl Peer) -> Result<()> {
    let mut submitted = 0;
    loop {
        peer.submit_many(submitted..submitted + BATCH_SIZE).await?;
        submitted += BATCH_SIZE;
        let target = (submitted - MAX_BACKLOG).try_into().unwrap_or(0);
        handled::wait_for(target).await;
    }
}

/// The tasks handled per second, for each second.
async fn rates(seconds: u64) -> Vec<f64> {
    let mut rates = Vec::new();
    for _ in 0..seconds {
        let (before, start) = (handled::count(), Instant::now());
        tokio::time::sleep(Duration::from_secs(1)).await;
        let handled = handled::count() - before;
        rates.push(handled as f64 / start.elapsed().as_secs_f64());
    }
    rates
}

/// The means of the first and of the last fifth.
fn first_and_last_fifth(rates: &[f64]) -> [f64; 2] {
    let fifth = rates.len().div_ceil(5);
    let (first, _) = rates.split_at(fifth);
    let (_, last) = rates.split_at(rates.len() - fifth);
    [first, last].map(|rates| rates.iter().sum::<f64>() / fifth as f64)
}

#[cfg(test)]
mod tests {
    use super::first_and_last_fifth;

    #[test]
    fn means_cover_the_first_and_the_last_fifth() {
        let rates = [10.0, 20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 6.0];
        assert_eq!(first_and_last_fifth(&rates), [15.0, 5.0]);
        assert_eq!(first_and_last_fifth(&[7.0]), [7.0, 7.0]);
    }
}
