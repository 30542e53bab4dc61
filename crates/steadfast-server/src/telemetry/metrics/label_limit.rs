//! A limit on the number of label values.
//!
//! Each label value is a series that is kept forever, here and in Prometheus. Users name queues, policies,
//! kinds and operations, perhaps after their customers. So each such label has at most a hundred values;
//! further ones become `other`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Label, Metadata, Recorder, SharedString, Unit,
};

/// The maximum number of values of a user-defined label.
const MAX_LABEL_VALUES: usize = 100;
const OTHER: &str = "other";
/// Labels with user-defined values.
const LIMITED_LABELS: [&str; 4] = ["queue", "policy", "operation", "kind"];

/// A recorder with a limited number of series.
pub(super) struct LabelLimit<R> {
    recorder: R,
    values: [LabelValues; LIMITED_LABELS.len()],
}

impl<R> LabelLimit<R> {
    pub(super) fn new(recorder: R) -> Self {
        Self { recorder, values: Default::default() }
    }

    fn limited<'k>(&self, key: &'k Key) -> Cow<'k, Key> {
        if key.labels().all(|label| self.admits(label)) {
            return Cow::Borrowed(key);
        }
        let label = |label: &Label| match self.admits(label) {
            true => label.clone(),
            false => Label::new(label.key().to_owned(), OTHER),
        };
        let labels = key.labels().map(label).collect::<Vec<_>>();
        Cow::Owned(Key::from_parts(key.name().to_owned(), labels))
    }

    fn admits(&self, label: &Label) -> bool {
        let values =
            LIMITED_LABELS.iter().zip(&self.values).find(|(name, _)| **name == label.key());
        values.is_none_or(|(_, values)| values.admits(label.value()))
    }
}

#[derive(Default)]
pub(super) struct LabelValues(RwLock<HashSet<String>>);

impl LabelValues {
    /// Whether the value is admitted, or the limit allows to admit it.
    pub(super) fn admits(&self, value: &str) -> bool {
        let values = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if values.contains(value) || value == OTHER {
            return true;
        }
        if values.len() >= MAX_LABEL_VALUES {
            return false;
        }
        drop(values);
        let mut values = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if values.len() >= MAX_LABEL_VALUES {
            return values.contains(value);
        }
        values.insert(value.to_owned());
        true
    }

    /// The value, or `other` over the limit.
    pub(super) fn limited<'v>(&self, value: &'v str) -> &'v str {
        if self.admits(value) { value } else { OTHER }
    }
}

impl<R: Recorder> Recorder for LabelLimit<R> {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.recorder.describe_counter(name, unit, help);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.recorder.describe_gauge(name, unit, help);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.recorder.describe_histogram(name, unit, help);
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        self.recorder.register_counter(&self.limited(key), metadata)
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.recorder.register_gauge(&self.limited(key), metadata)
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        self.recorder.register_histogram(&self.limited(key), metadata)
    }
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    /// K4, O3: any number of queues makes at most a hundred and one series.
    #[test]
    fn user_defined_label_values_are_limited() {
        let inner = PrometheusBuilder::new().build_recorder();
        let handle = inner.handle();
        let recorder = LabelLimit::new(inner);
        metrics::with_local_recorder(&recorder, || {
            for number in 0..MAX_LABEL_VALUES + 50 {
                let queue = format!("queue-{number}");
                metrics::counter!("test_total", "queue" => queue, "reason" => "r").increment(1);
            }
        });
        let text = handle.render();
        let series: Vec<_> = text.lines().filter(|line| line.starts_with("test_total{")).collect();
        assert_eq!(series.len(), MAX_LABEL_VALUES + 1, "{text}");
        assert!(series.contains(&r#"test_total{queue="other",reason="r"} 50"#), "{series:?}");
    }

    /// O3: other labels are not limited.
    #[test]
    fn other_labels_are_not_limited() {
        let recorder = LabelLimit::new(());
        assert!(
            (0..2 * MAX_LABEL_VALUES)
                .all(|number| { recorder.admits(&Label::new("route", format!("/{number}"))) })
        );
    }
}
