//! The recorder of this process.
//!
//! The `metrics` facade has one recorder per process. The first server installs one; if the program has
//! installed its own, it keeps it and exports those metrics itself, and `/metrics` has only the gauges of
//! the store.

use std::sync::OnceLock;
use std::time::Duration;

use metrics::gauge;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use tokio::time::{MissedTickBehavior, interval};
use tracing::warn;

use super::catalog;
use super::label_limit::LabelLimit;

const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// The recorder, unless the program has installed its own.
#[derive(Clone, Debug)]
pub(crate) struct Recorder(Option<Installed>);

#[derive(Clone, Debug)]
struct Installed {
    handle: PrometheusHandle,
    process: Collector,
}

impl Recorder {
    /// The recorder of this process, installed on the first call.
    pub(crate) fn installed() -> Self {
        static INSTALLED: OnceLock<Option<Installed>> = OnceLock::new();
        Self(INSTALLED.get_or_init(install).clone())
    }

    pub(crate) fn render(&self) -> String {
        let Some(Installed { handle, process }) = &self.0 else {
            return String::new();
        };
        process.collect();
        handle.render()
    }

    /// Compacts histograms and updates process metrics, which nothing else does when metrics are exported
    /// over OTLP only. Runs forever.
    pub(crate) async fn run_upkeep(self) {
        let mut ticks = interval(UPKEEP_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let Some(Installed { handle, process }) = self.0 else {
            return;
        };
        loop {
            ticks.tick().await;
            process.collect();
            handle.run_upkeep();
        }
    }
}

fn install() -> Option<Installed> {
    let builder = catalog::with_buckets(PrometheusBuilder::new()).unwrap_or_default();
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(LabelLimit::new(fanned_out(recorder))).is_err() {
        warn!(target: "steadfast", "the program has installed its own metrics recorder; /metrics omits its metrics");
        return None;
    }
    catalog::describe();
    let process = Collector::default();
    process.describe();
    gauge!("steadfast_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    Some(Installed { handle, process })
}

#[cfg(not(feature = "otlp"))]
fn fanned_out(recorder: impl metrics::Recorder) -> impl metrics::Recorder {
    recorder
}

/// Also sends to OTLP if configured.
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

    /// O3: process metrics are updated without scrapes.
    #[tokio::test]
    async fn process_metrics_are_updated_without_scrapes() {
        let recorder = Recorder::installed();
        let Installed { handle, .. } = recorder.0.clone().unwrap();
        let _: Result<(), _> = timeout(Duration::from_millis(100), recorder.run_upkeep()).await;
        let text = handle.render();
        assert!(text.contains("\nprocess_resident_memory_bytes "), "{text}");
    }
}
