//! The reader that all formats share.
//!
//! A map is not searched but emptied: each supported setting is [taken] out of it, and the
//! remaining entries are reported as unsupported. An unforeseen or misspelled setting is therefore
//! never overlooked.
//!
//! [taken]: super::value::Fields::take

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use steadfast::__private::Findings;
use steadfast::__private::nearest;
use steadfast::__private::tree::{self, Content, Node, Span};
use steadfast::duration;
use steadfast::file::{Format, Problem, Problems, Source};

use super::names::excerpt;
use super::report::{ImportReport, ImportedMapping, Unsupported};
use super::value::{Fields, Read, Value, number};
use super::{ImportFormat, names};

/// An import in progress.
pub(super) struct Reader<'s> {
    pub(super) source: &'s Source,
    pub(super) report: ImportReport,
    /// How many policies asked for each id.
    pub(super) ids: HashMap<String, u32>,
    mapped: HashSet<[String; 3]>,
    findings: Findings,
}

impl<'s> Reader<'s> {
    pub(super) fn new(format: ImportFormat, source: &'s Source) -> Self {
        let report = ImportReport {
            format,
            file: source.name().to_owned(),
            policies: Vec::new(),
            mappings: Vec::new(),
            unsupported: Vec::new(),
        };
        let findings = Findings::new(source);
        Self { source, report, ids: HashMap::new(), mapped: HashSet::new(), findings }
    }

    pub(super) fn finish(mut self) -> Result<ImportReport, Problems> {
        self.report.unsupported.sort_by_key(|item| (item.line, item.column));
        // A setting that several policies inherit is read once for each of them.
        let mut seen = HashSet::new();
        self.report.unsupported.retain(|item| seen.insert(item.to_string()));
        let mut seen = HashSet::new();
        let mut problems = self.findings.finish();
        problems.retain(|problem| seen.insert(problem.to_string()));
        Problems::into_result(problems).map(|()| self.report)
    }

    /// Reports a text that is too long. The parser of [trees](Self::tree) has the same limit.
    pub(super) fn check_size(&mut self) -> bool {
        let checked = tree::check_size(self.source);
        checked.map_err(|problem| self.add_problem(problem)).is_ok()
    }

    /// Parses the text as JSON if it starts with a bracket, and as YAML otherwise.
    pub(super) fn tree(&mut self) -> Option<Node> {
        let json = self.source.text().trim_start().starts_with(['{', '[']);
        let (tree, problems) =
            tree::parse(self.source, if json { Format::Json } else { Format::Yaml });
        problems.into_iter().for_each(|problem| self.add_problem(problem));
        tree
    }

    pub(super) fn add_problem(&mut self, problem: Problem) {
        self.findings.add(|| problem);
    }

    /// Reports an invalid value.
    pub(super) fn invalid(&mut self, value: &Value<'_>, message: impl Into<String>) {
        let problem = Problem::at(self.source, value.node.span, message);
        self.add_problem(problem.field(&value.path));
    }

    /// Reports an invalid value, with what to do about it.
    pub(super) fn invalid_with_hint(
        &mut self,
        value: &Value<'_>,
        message: impl Into<String>,
        hint: &str,
    ) {
        let problem = Problem::at(self.source, value.node.span, message).field(&value.path);
        self.add_problem(problem.suggest(hint));
    }

    pub(super) fn missing(&mut self, fields: &Fields<'_>, name: &str, hint: &str) {
        let problem = Problem::at(self.source, fields.span, format!("missing field `{name}`"));
        self.add_problem(problem.field(&fields.path).suggest(hint));
    }

    /// Reports a valid setting that a policy cannot express.
    pub(super) fn unsupported(&mut self, value: &Value<'_>, reason: impl Into<String>) {
        self.unsupported_part(value, value.name(), reason);
    }

    /// Reports a part of a setting's meaning that a policy cannot express.
    pub(super) fn unsupported_part(
        &mut self,
        value: &Value<'_>,
        what: impl Into<String>,
        reason: impl Into<String>,
    ) {
        self.unsupported_at(value.key_span, &value.path, what, reason);
    }

    pub(super) fn unsupported_at(
        &mut self,
        span: Span,
        path: &str,
        what: impl Into<String>,
        reason: impl Into<String>,
    ) {
        let position = self.source.position(span.range().start);
        self.report.unsupported.push(Unsupported {
            line: Some(position.line),
            column: Some(position.column),
            path: path.to_owned(),
            what: what.into(),
            reason: reason.into(),
        });
    }

    /// Reports every entry that was not taken out of a map. `others` are keys that the other
    /// system has and a policy does not, each with the reason.
    pub(super) fn report_remaining(&mut self, fields: Fields<'_>, others: &[(&str, &str)]) {
        for entry in &fields.remaining {
            let value = fields.value(entry);
            let same = |name: &&str| fields.same(name, &entry.key);
            if fields.taken.iter().any(&same) {
                let message = "duplicate key in another spelling";
                let problem = Problem::at(self.source, entry.key_span, message);
                self.add_problem(problem.field(&value.path).suggest("remove one of the two"));
                continue;
            }
            match others.iter().find(|(name, _)| same(name)) {
                Some((_, reason)) => self.unsupported(&value, *reason),
                None => self.unsupported(&value, fields.unknown(&entry.key, others)),
            }
        }
    }

    /// Maps a name to the policy that was read from `from`. The first mapping of a name wins.
    pub(super) fn map(&mut self, name: [&str; 3], policy: &str, from: &Value<'_>) {
        let [subsystem, operation, case] = name.map(names::part);
        if !self.mapped.insert([subsystem.clone(), operation.clone(), case.clone()]) {
            let what = format!("the name {}", excerpt(&operation));
            let reason = format!("mapped to another policy already; use this one's id, {policy}");
            return self.unsupported_part(from, what, reason);
        }
        let policy = policy.to_owned();
        self.report.mappings.push(ImportedMapping { subsystem, operation, case, policy });
    }
}

/// Typed values. A value of another type is reported.
impl Reader<'_> {
    /// What a setting says; `None` if it is absent or invalid.
    pub(super) fn read<'t, T>(
        &mut self,
        from: Option<Value<'t>>,
        read: impl FnOnce(&mut Self, &Value<'t>) -> Option<T>,
    ) -> Option<Read<'t, T>> {
        let value = read(self, from.as_ref()?)?;
        Some(Read { value, from })
    }

    /// What a setting says; the other system's default if it is absent or invalid.
    pub(super) fn read_or<'t, T>(
        &mut self,
        from: Option<Value<'t>>,
        read: impl FnOnce(&mut Self, &Value<'t>) -> Option<T>,
        default: T,
    ) -> Read<'t, T> {
        let value = from.as_ref().and_then(|value| read(self, value)).unwrap_or(default);
        Read { value, from }
    }

    /// Reports a value that is not of its type.
    fn expect<T>(&mut self, read: Option<T>, value: &Value<'_>, wanted: &str) -> Option<T> {
        if read.is_none() {
            self.invalid(value, format!("expected {wanted}, not {}", value.describe()));
        }
        read
    }

    pub(super) fn fields<'t>(&mut self, value: &Value<'t>) -> Option<Fields<'t>> {
        let is_relaxed = self.report.format.has_relaxed_keys();
        let fields = match &value.node.content {
            Content::Map(entries) => Some(Fields::new(value, entries, is_relaxed)),
            _ => None,
        };
        if fields.is_none() {
            self.invalid(value, format!("expected a map, not {}", value.describe()));
        }
        fields
    }

    pub(super) fn list<'t>(&mut self, value: &Value<'t>) -> Vec<Value<'t>> {
        let items = value.is_list().then(|| value.items());
        self.expect(items, value, "a list").unwrap_or_default()
    }

    pub(super) fn text<'t>(&mut self, value: &Value<'t>) -> Option<&'t str> {
        self.expect(value.as_text(), value, "a string")
    }

    pub(super) fn bool(&mut self, value: &Value<'_>) -> Option<bool> {
        let read = match &value.node.content {
            Content::Bool(bool) => Some(*bool),
            Content::Plain(word) => word.to_ascii_lowercase().parse().ok(),
            Content::Text(text) if self.report.format.has_quoted_scalars() => {
                text.to_ascii_lowercase().parse().ok()
            }
            _ => None,
        };
        self.expect(read, value, "true or false")
    }

    pub(super) fn number(&mut self, value: &Value<'_>) -> Option<f64> {
        let read = match &value.node.content {
            Content::Number(number) => Some(*number),
            Content::Plain(word) => number(word),
            Content::Text(text) if self.report.format.has_quoted_scalars() => number(text),
            _ => None,
        };
        self.expect(read.filter(|number| number.is_finite()), value, "a number")
    }

    /// A number greater than 0.
    pub(super) fn factor(&mut self, value: &Value<'_>) -> Option<f64> {
        let number = self.number(value)?;
        if number <= 0.0 {
            self.invalid(value, format!("must be greater than 0, not {number}"));
            return None;
        }
        Some(number)
    }

    pub(super) fn count(&mut self, value: &Value<'_>) -> Option<u32> {
        let number = self.number(value)?;
        if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
            return Some(number as u32);
        }
        self.invalid(
            value,
            format!("expected a whole number from 0 to {}, not {number}", u32::MAX),
        );
        None
    }

    /// A string, or an integer as a string: `408` needs no quotes.
    pub(super) fn number_or_text(&mut self, value: &Value<'_>) -> Option<String> {
        match value.node.content {
            Content::Number(_) => self.count(value).map(|number| number.to_string()),
            _ => self.text(value).map(str::to_owned),
        }
    }

    /// A number of seconds.
    pub(super) fn seconds(&mut self, value: &Value<'_>) -> Option<Duration> {
        self.scaled(value, 1.0, "seconds")
    }

    /// A number of a unit of time, which has `seconds`.
    pub(super) fn scaled(
        &mut self,
        value: &Value<'_>,
        seconds: f64,
        unit: &str,
    ) -> Option<Duration> {
        let number = self.number(value)?;
        let read = duration::from_seconds(number * seconds).ok();
        if read.is_none() {
            self.invalid(value, format!("expected a number of {unit}, not {number}"));
        }
        read
    }

    /// A duration in the JSON form of Protocol Buffers: seconds with the suffix `s`.
    pub(super) fn proto_duration(&mut self, value: &Value<'_>) -> Option<Duration> {
        let seconds = value.as_text().and_then(|text| text.strip_suffix('s'));
        let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let read = seconds.filter(digits).and_then(|seconds| duration::parse(seconds).ok());
        if read.is_none() {
            self.not_a_duration(value, "write seconds, like 0.25s");
        }
        read
    }

    pub(super) fn not_a_duration(&mut self, value: &Value<'_>, hint: &str) {
        self.invalid_with_hint(
            value,
            format!("expected a duration, not {}", value.describe()),
            hint,
        );
    }

    /// One of `names`, in any case.
    pub(super) fn one_of<'n>(&mut self, value: &Value<'_>, names: &[&'n str]) -> Option<&'n str> {
        let text = self.text(value)?;
        let found = names.iter().find(|name| name.eq_ignore_ascii_case(text)).copied();
        if found.is_none() {
            self.unknown_name(value, text, names);
        }
        found
    }

    /// Reports a name that is not in `names`.
    pub(super) fn unknown_name(&mut self, value: &Value<'_>, name: &str, names: &[&str]) {
        let message = format!("`{}` is not one of {}", excerpt(name), names.join(", "));
        let problem = Problem::at(self.source, value.node.span, message).field(&value.path);
        self.add_problem(problem.did_you_mean(nearest(name, names.iter().copied())));
    }
}
