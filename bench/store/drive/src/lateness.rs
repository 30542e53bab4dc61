//! The lateness action: the time from due to handled on an idle worker.

use std::time::Duration;

use anyhow::Result;

use crate::peer::{Peer, now};
use crate::run::while_working;
use crate::{handled, signals};

/// The time for a worker to start, to elect a leader and to become idle.
const WARMUP: Duration = Duration::from_secs(12);
/// The time to submit all tasks before the first is due, in microseconds.
const LEAD_MICROS: i64 = 2_000_000;

pub(crate) async fn lateness(peer: &impl Peer, tasks: u64, rate: u64) -> Result<()> {
    let measured = async {
        tokio::time::sleep(WARMUP).await;
        signals::ready().await?;
        handled::record_lateness();
        let first = now() + LEAD_MICROS;
        let interval = 1e6 / rate as f64;
        let due = (0..tasks).map(|task| first + (task as f64 * interval) as i64);
        peer.submit_scheduled(&due.collect::<Vec<_>>()).await?;
        handled::wait_for(tasks).await;
        let lateness = handled::recorded_lateness();
        signals::done(&[0.5, 0.99, 1.0].map(|quantile| milliseconds(&lateness, quantile))).await
    };
    while_working(peer, measured).await
}

/// A quantile of sorted microseconds, in milliseconds.
fn milliseconds(sorted: &[i64], quantile: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let index = (last as f64 * quantile).round() as usize;
    sorted.get(index).map_or(f64::NAN, |micros| *micros as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn quantile_is_one_of_the_values() {
        let sorted: Vec<i64> = (0..=100).map(|millis| millis * 1000).collect();
        assert_eq!(milliseconds(&sorted, 0.5), 50.0);
        assert_eq!(milliseconds(&sorted, 0.99), 99.0);
        assert_eq!(milliseconds(&sorted, 1.0), 100.0);
        assert!(milliseconds(&[], 0.5).is_nan());
    }
}
