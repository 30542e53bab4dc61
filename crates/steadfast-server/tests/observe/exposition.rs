//! A strict parser of the Prometheus text format.

use std::collections::{BTreeMap, BTreeSet};

/// One line: a series and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

/// The parsed metrics.
#[derive(Debug, Default)]
pub(crate) struct Exposition {
    /// The type of each family, in the order of the text.
    pub(crate) types: BTreeMap<String, String>,
    pub(crate) helps: BTreeSet<String>,
    pub(crate) samples: Vec<Sample>,
}

impl Exposition {
    /// Parses a text and panics on invalid input.
    pub(crate) fn read(text: &str) -> Self {
        assert!(text.ends_with('\n'), "the last line ends, too");
        let mut read = Self::default();
        let mut finished = BTreeSet::new();
        let mut current = String::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let family = match line.strip_prefix("# ") {
                Some(comment) => read.comment(comment),
                None => read.sample(line),
            };
            if family != current {
                assert!(finished.insert(family.clone()), "{family} is not contiguous");
                current = family;
            }
        }
        read.check_series();
        read.check_histograms();
        read
    }

    fn comment(&mut self, comment: &str) -> String {
        let mut words = comment.splitn(3, ' ');
        let (what, name) = (words.next().unwrap(), words.next().expect("a name").to_owned());
        assert!(is_name(&name), "{name}");
        match what {
            "HELP" => assert!(self.helps.insert(name.clone()), "two meanings of {name}"),
            "TYPE" => {
                let kind = words.next().expect("a type").to_owned();
                assert!(["counter", "gauge", "histogram"].contains(&kind.as_str()), "{kind}");
                assert!(self.types.insert(name.clone(), kind).is_none(), "two types of {name}");
            }
            _ => panic!("an unknown comment: {comment}"),
        }
        name
    }

    /// Parses a sample line and returns its family.
    fn sample(&mut self, line: &str) -> String {
        let (series, value) = line.rsplit_once(' ').expect("a value");
        let (name, labels) = match series.split_once('{') {
            Some((name, labels)) => (name, read_labels(labels)),
            None => (series, BTreeMap::new()),
        };
        assert!(is_name(name), "{name}");
        let value = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
        self.samples.push(Sample { name: name.to_owned(), labels, value });
        self.family(name).unwrap_or_else(|| panic!("no type before {line}"))
    }

    fn family(&self, name: &str) -> Option<String> {
        if self.types.contains_key(name) {
            return Some(name.to_owned());
        }
        let whole = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end))?;
        (self.types.get(whole).map(String::as_str) == Some("histogram")).then(|| whole.to_owned())
    }

    fn check_series(&self) {
        let mut seen = BTreeSet::new();
        for sample in &self.samples {
            let series = format!("{} {:?}", sample.name, sample.labels);
            assert!(seen.insert(series), "duplicate series: {sample:?}");
            let kind = self.types.get(&sample.name).map(String::as_str);
            if kind == Some("counter") {
                assert!(sample.name.ends_with("_total") && sample.value >= 0.0, "{sample:?}");
            }
        }
    }

    /// Checks that buckets are cumulative.
    fn check_histograms(&self) {
        let mut last: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for bucket in self.samples.iter().filter(|sample| sample.name.ends_with("_bucket")) {
            let mut labels = bucket.labels.clone();
            let le: f64 = labels.remove("le").expect("le").parse().unwrap();
            let series = format!("{} {labels:?}", bucket.name.trim_end_matches("_bucket"));
            if let Some((before, count)) = last.insert(series, (le, bucket.value)) {
                assert!(before < le && count <= bucket.value, "{bucket:?}");
            }
        }
        for count in self.samples.iter().filter(|sample| sample.name.ends_with("_count")) {
            let series = format!("{} {:?}", count.name.trim_end_matches("_count"), count.labels);
            assert_eq!(last.get(&series), Some(&(f64::INFINITY, count.value)), "{series}");
        }
    }

    /// The value of the only series with this name and these labels.
    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let has = |sample: &&Sample| {
            let said = |(key, value): &(&str, &str)| {
                sample.labels.get(*key).map(String::as_str) == Some(*value)
            };
            sample.name == name && labels.iter().all(said)
        };
        let found: Vec<_> = self.samples.iter().filter(has).collect();
        assert!(!found.is_empty(), "no {name}{labels:?}");
        found.iter().map(|sample| sample.value).sum()
    }

    pub(crate) fn names(&self) -> BTreeSet<&str> {
        self.samples.iter().map(|sample| sample.name.as_str()).collect()
    }
}

fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == ':';
    letters.next().is_some_and(is_letter)
        && letters.all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

/// Reads `a="b",c="d"}`.
fn read_labels(text: &str) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    let mut rest = text;
    loop {
        let (name, behind) = rest.split_once("=\"").expect("a label");
        assert!(is_name(name) && !name.contains(':'), "{name}");
        let (value, behind) = read_value(behind);
        assert!(labels.insert(name.to_owned(), value).is_none(), "{name} twice");
        match behind.strip_prefix(',') {
            Some(more) => rest = more,
            None => {
                assert_eq!(behind, "}", "{text}");
                return labels;
            }
        }
    }
}

/// A value up to its closing quote, and the rest.
fn read_value(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (value, &text[at + 1..]),
            '\\' => match letters.next().expect("what is escaped").1 {
                'n' => value.push('\n'),
                escaped @ ('"' | '\\') => value.push(escaped),
                other => panic!("\\{other} is no escape"),
            },
            letter => value.push(letter),
        }
    }
    panic!("no closing quote: {text}")
}
