//! Who keeps what is counted in this process.
//!
//! The `metrics` facade has one recorder for a whole process. The first server of a process
//! installs one; a program that has installed its own before keeps it, and exports those figures
//! itself: then `/metrics` tells how the store stands, and no more.

use std::sync::OnceLock;
use std::time::Duration;

use metrics::gauge;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use tokio::time::{MissedTickBehavior, interval};
use tracing::warn;

use super::catalog;
use super::label_limit::Bounded;

/// How often what was measured is put in order, should nobody ask for it.
const UPKEEP: Duration = Duration::from_secs(5);

/// The figures of this process.
#[derive(Clone, Debug)]
pub(crate) struct Recorder(Option<Kept>);

#[derive(Clone, Debug)]
struct Kept {
    handle: PrometheusHandle,
    process: Collector,
}

impl Recorder {
    /// The one of this process, installed if there is none.
    pub(crate) fn installed() -> Self {
        static INSTALLED: OnceLock<Option<Kept>> = OnceLock::new();
        Self(INSTALLED.get_or_init(install).clone())
    }

    /// All of them, in the text format of Prometheus.
    pub(crate) fn render(&self) -> String {
        let Some(Kept { handle, process }) = &self.0 else {
            return String::new();
        };
        process.collect();
        handle.render()
    }

    /// Keeps what is measured from piling up, and knows how the process is: where figures are sent
    /// and nobody scrapes, this is all who look. For as long as it runs.
    pub(crate) async fn keep_up(self) {
        let mut rounds = interval(UPKEEP);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let Some(Kept { handle, process }) = self.0 else {
            return;
        };
        loop {
            rounds.tick().await;
            process.collect();
            handle.run_upkeep();
        }
    }
}

fn install() -> Option<Kept> {
    let builder = catalog::with_buckets(PrometheusBuilder::new()).unwrap_or_default();
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(Bounded::new(fanned_out(recorder))).is_err() {
        warn!(target: "steadfast", "this program has a recorder of its own: its figures are not at /metrics");
        return None;
    }
    catalog::describe();
    let process = Collector::default();
    process.describe();
    gauge!("steadfast_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    Some(Kept { handle, process })
}

#[cfg(not(feature = "otlp"))]
fn fanned_out(recorder: impl metrics::Recorder) -> impl metrics::Recorder {
    recorder
}

/// What is counted goes out over OTLP, too, if there is where to.
#[cfg(feature = "otlp")]
fn fanned_out(
    recorder: impl metrics::Recorder + Send + Sync + 'static,
) -> metrics_util::layers::Fanout {
    let fanout = metrics_util::layers::FanoutBuilder::default().add_recorder(recorder);
    match crate::telemetry::otlp::recorder() {
        Some(otlp) => fanout.add_recorder(otlp).build(),
        None => fanout.build(),
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    /// O3: where figures are sent and nobody scrapes, how the process is is known as well.
    #[tokio::test]
    async fn how_the_process_is_is_known_without_a_scrape() {
        let recorder = Recorder::installed();
        let Kept { handle, .. } = recorder.0.clone().unwrap();
        let _: Result<(), _> = timeout(Duration::from_millis(100), recorder.keep_up()).await;
        let figures = handle.render();
        assert!(figures.contains("\nprocess_resident_memory_bytes "), "{figures}");
    }
}
