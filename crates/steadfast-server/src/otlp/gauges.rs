//! How the store and the guards stand, told each time figures are sent.

use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;
use tokio::runtime::Handle;

use crate::app::{App, Passing};
use crate::metrics::gauges::{FAMILIES, Seen};

/// Has a meter tell them for as long as the server is there.
pub(super) fn tell(meter: &Meter, app: &App, runtime: &Handle) {
    for family in FAMILIES {
        let (app, runtime) = (app.passing(), runtime.clone());
        meter
            .f64_observable_gauge(family.name)
            .with_description(family.help)
            .with_callback(move |observer| {
                // Asked on a thread of OpenTelemetry's own, which may wait.
                let Some(seen) = runtime.block_on(look(&app)) else {
                    return;
                };
                for series in (family.series)(&seen) {
                    let labels = series.labels.into_iter();
                    let labels: Vec<_> =
                        labels.map(|(name, value)| KeyValue::new(name, value)).collect();
                    observer.observe(series.value, &labels);
                }
            })
            .build();
    }
}

async fn look(app: &Passing) -> Option<Seen> {
    Some(Seen::of(&app.still_there()?).await)
}
