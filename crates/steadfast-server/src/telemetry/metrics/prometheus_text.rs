//! Families of series in the text format of Prometheus.

use std::fmt::Write;

use metrics_exporter_prometheus::formatting::{
    sanitize_label_value, write_help_line, write_type_line,
};

use super::gauges::{FAMILIES, Seen, Series};

/// Adds everything that was seen.
pub(super) fn write(text: &mut String, seen: &Seen) {
    for family in FAMILIES {
        let series = (family.series)(seen);
        if series.is_empty() {
            continue;
        }
        write_help_line(text, family.name, None, None, family.help);
        write_type_line(text, family.name, None, None, "gauge");
        series.iter().for_each(|series| line(text, family.name, series));
    }
}

fn line(text: &mut String, name: &str, Series { labels, value }: &Series) {
    let said =
        |(name, value): &(&str, String)| format!("{name}=\"{}\"", sanitize_label_value(value));
    let labels = labels.iter().map(said).collect::<Vec<_>>().join(",");
    let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
    // A text takes whatever is written to it.
    let _ = writeln!(text, "{name}{labels} {value}");
}
