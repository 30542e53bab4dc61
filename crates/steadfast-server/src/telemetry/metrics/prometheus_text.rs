//! Gauges in the Prometheus text format.

use std::fmt::Write;

use metrics_exporter_prometheus::formatting::{
    sanitize_label_value, write_help_line, write_type_line,
};

use super::gauges::{GAUGES, GaugeSnapshot, Series};

/// Appends all gauges.
pub(super) fn write(text: &mut String, snapshot: &GaugeSnapshot) {
    for gauge in GAUGES {
        let series = (gauge.series)(snapshot);
        if series.is_empty() {
            continue;
        }
        write_help_line(text, gauge.name, None, None, gauge.help);
        write_type_line(text, gauge.name, None, None, "gauge");
        series.iter().for_each(|series| line(text, gauge.name, series));
    }
}

fn line(text: &mut String, name: &str, Series { labels, value }: &Series) {
    let label =
        |(name, value): &(&str, String)| format!("{name}=\"{}\"", sanitize_label_value(value));
    let labels = labels.iter().map(label).collect::<Vec<_>>().join(",");
    let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name}{labels} {value}");
}
