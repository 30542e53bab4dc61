//! The lateness action: the time from due to handled, on an idle worker.

use std::time::Duration;

use anyhow::Result;

use crate::peer::{Peer, now};
use crate::run::while_working;
use crate::{handled, signals};

/// Time for a worker to start, to elect a leader and to find nothing to do.
const SETTLE: Duration = Duration::from_secs(12);
/// Time to submit everything before the first is due, in microseconds.
const AHEAD: i64 = 2_000_000;

pub(crate) async fn lateness(peer: &impl Peer, tasks: u64, rate: u64) -> Result<()> {
    let measured = async {
        tokio::time::sleep(SETTLE).await;
        signals::ready().await?;
        handled::keep_lateness();
        let first = now() + AHEAD;
        let apart = 1e6 / rate as f64;
        let due = (0..tasks).map(|task| first + (task as f64 * apart) as i64);
        peer.submit_later(&due.collect::<Vec<_>>()).await?;
        handled::until(tasks).await;
        let lateness = handled::lateness();
        signals::done(&[0.5, 0.99, 1.0].map(|part| milliseconds(&lateness, part))).await
    };
    while_working(peer, measured).await
}

/// The lateness that this part of all tasks did not exceed.
fn milliseconds(sorted: &[i64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = (last as f64 * part).round() as usize;
    sorted.get(place).map_or(f64::NAN, |late| *late as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let late: Vec<i64> = (0..=100).map(|late| late * 1000).collect();
        assert_eq!(milliseconds(&late, 0.5), 50.0);
        assert_eq!(milliseconds(&late, 0.99), 99.0);
        assert_eq!(milliseconds(&late, 1.0), 100.0);
        assert!(milliseconds(&[], 0.5).is_nan());
    }
}
