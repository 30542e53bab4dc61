//! The churn action: submits and processes tasks at the same time.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::peer::Peer;
use crate::run::while_working;
use crate::{handled, signals};

const BATCH: i64 = 1000;
/// Enough that the worker never waits, and little enough that the tables stay small.
const BACKLOG: i64 = 5 * BATCH;

pub(crate) async fn churn(peer: &impl Peer, seconds: u64) -> Result<()> {
    signals::ready().await?;
    let measured = async {
        let rates = tokio::select! {
            failed = feed(peer) => return failed,
            rates = rates(seconds) => rates,
        };
        signals::done(&start_and_end(&rates)).await
    };
    while_working(peer, measured).await
}

/// Keeps the backlog full, for ever.
async fn feed(peer: &impl Peer) -> Result<()> {
    let mut submitted = 0;
    loop {
        peer.submit_many(submitted..submitted + BATCH).await?;
        submitted += BATCH;
        let goal = (submitted - BACKLOG).try_into().unwrap_or(0);
        handled::until(goal).await;
    }
}

/// How many were handled a second, in each second.
async fn rates(seconds: u64) -> Vec<f64> {
    let mut rates = Vec::new();
    for _ in 0..seconds {
        let (before, began) = (handled::count(), Instant::now());
        tokio::time::sleep(Duration::from_secs(1)).await;
        let handled = handled::count() - before;
        rates.push(handled as f64 / began.elapsed().as_secs_f64());
    }
    rates
}

/// The mean of the first and of the last fifth.
fn start_and_end(rates: &[f64]) -> [f64; 2] {
    let fifth = rates.len().div_ceil(5);
    let (first, _) = rates.split_at(fifth);
    let (_, last) = rates.split_at(rates.len() - fifth);
    [first, last].map(|rates| rates.iter().sum::<f64>() / fifth as f64)
}

#[cfg(test)]
mod tests {
    use super::start_and_end;

    #[test]
    fn the_start_and_the_end_are_a_fifth_each() {
        let rates = [10.0, 20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 6.0];
        assert_eq!(start_and_end(&rates), [15.0, 5.0]);
        assert_eq!(start_and_end(&[7.0]), [7.0, 7.0]);
    }
}
