//! A bound on what labels say.
//!
//! Each value of a label is a series that is kept for good, here and at whoever scrapes. Users
//! name queues, policies, kinds and operations, perhaps after their customers. So each such label
//! has a hundred values; whatever comes after them is `other`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Label, Metadata, Recorder, SharedString, Unit,
};

/// How many values a label can have that users name.
const MOST: usize = 100;
/// What all others are.
const OTHER: &str = "other";
/// The labels that users name.
const NAMED: [&str; 4] = ["queue", "policy", "operation", "kind"];

/// A recorder that is told of a bounded number of series.
pub(super) struct Bounded<R> {
    recorder: R,
    known: [Known; NAMED.len()],
}

impl<R> Bounded<R> {
    pub(super) fn new(recorder: R) -> Self {
        Self { recorder, known: Default::default() }
    }

    fn bounded<'k>(&self, key: &'k Key) -> Cow<'k, Key> {
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
        let known = NAMED.iter().zip(&self.known).find(|(name, _)| **name == label.key());
        known.is_none_or(|(_, known)| known.admits(label.value()))
    }
}

/// The values that a label has had.
#[derive(Default)]
pub(super) struct Known(RwLock<HashSet<String>>);

impl Known {
    /// Whether there is room for this one, or it has its place already.
    pub(super) fn admits(&self, value: &str) -> bool {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if known.contains(value) || value == OTHER {
            return true;
        }
        if known.len() >= MOST {
            return false;
        }
        drop(known);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            return known.contains(value);
        }
        known.insert(value.to_owned());
        true
    }

    /// The value, or what all are that found no room.
    pub(super) fn bounded<'v>(&self, value: &'v str) -> &'v str {
        if self.admits(value) { value } else { OTHER }
    }
}

impl<R: Recorder> Recorder for Bounded<R> {
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
        self.recorder.register_counter(&self.bounded(key), metadata)
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.recorder.register_gauge(&self.bounded(key), metadata)
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        self.recorder.register_histogram(&self.bounded(key), metadata)
    }
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    /// K4, O3: however many queues there are, the series are a hundred and one.
    #[test]
    fn what_users_name_makes_a_bounded_number_of_series() {
        let inner = PrometheusBuilder::new().build_recorder();
        let handle = inner.handle();
        let recorder = Bounded::new(inner);
        metrics::with_local_recorder(&recorder, || {
            for number in 0..MOST + 50 {
                let queue = format!("queue-{number}");
                metrics::counter!("test_total", "queue" => queue, "reason" => "r").increment(1);
            }
        });
        let text = handle.render();
        let series: Vec<_> = text.lines().filter(|line| line.starts_with("test_total{")).collect();
        assert_eq!(series.len(), MOST + 1, "{text}");
        assert!(series.contains(&r#"test_total{queue="other",reason="r"} 50"#), "{series:?}");
    }

    /// O3: what is not named by users is not bounded here.
    #[test]
    fn other_labels_are_left_alone() {
        let recorder = Bounded::new(());
        assert!(
            (0..2 * MOST)
                .all(|number| { recorder.admits(&Label::new("route", format!("/{number}"))) })
        );
    }
}
