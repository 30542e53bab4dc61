//! Walking through a foreign file so that nothing in it is overlooked.
//!
//! A map is not searched but emptied: each setting that is understood is [taken] out of
//! it, and what is left in the end is reported as lost. So a setting that nobody thought
//! of, and one that is misspelt, shows up by itself.
//!
//! [taken]: super::value::Fields::take

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::imported::{Imported, ImportedMapping, Lost};
use super::names::shown;
use super::value::{Fields, Spelling, Value, described, number};
use super::{ForeignFormat, names};
use steadfast::duration;
use steadfast::file::tree::{self, Content, Node, Span};
use steadfast::file::{Format, Problem, Problems, Source};
use steadfast::nearest;

const MAX_BYTES: usize = 8 * 1024 * 1024;

/// How many problems are told; nobody reads more.
const MAX_TOLD: usize = 1000;

/// What has been read so far.
pub(super) struct Reader<'s> {
    pub(super) source: &'s Source,
    pub(super) imported: Imported,
    /// How often an id was wanted.
    pub(super) ids: HashMap<String, u32>,
    mapped: HashSet<[String; 3]>,
    problems: Vec<Problem>,
    untold: usize,
}

impl<'s> Reader<'s> {
    pub(super) fn new(format: ForeignFormat, source: &'s Source) -> Self {
        let imported = Imported {
            format,
            file: source.name().to_owned(),
            policies: Vec::new(),
            mappings: Vec::new(),
            lost: Vec::new(),
        };
        Self {
            source,
            imported,
            ids: HashMap::new(),
            mapped: HashSet::new(),
            problems: Vec::new(),
            untold: 0,
        }
    }

    pub(super) fn finish(mut self) -> Result<Imported, Problems> {
        if self.untold > 0 {
            let message = format!("there are {} problems more", self.untold);
            let problem = Problem::of_file(self.source.name(), message);
            self.problems.push(problem.suggest("mend the first ones"));
        }
        self.imported.lost.sort_by_key(|lost| (lost.line, lost.column));
        // What several policies inherit is read once for each.
        let mut seen = HashSet::new();
        self.imported.lost.retain(|lost| seen.insert(lost.to_string()));
        let mut seen = HashSet::new();
        self.problems.retain(|problem| seen.insert(problem.to_string()));
        Problems::unless_none(self.problems).map(|()| self.imported)
    }

    /// Whether the text is not too long. Trees have the same bound.
    pub(super) fn fits(&mut self) -> bool {
        let fits = self.source.text().len() <= MAX_BYTES;
        if !fits {
            let message = format!("it has more than {} MiB", MAX_BYTES / 1024 / 1024);
            let problem = Problem::of_file(self.source.name(), message);
            self.add(problem.suggest("is this the right file? If so, split it"));
        }
        fits
    }

    /// The tree of a text that is JSON, or else YAML.
    pub(super) fn tree(&mut self) -> Option<Node> {
        let json = self.source.text().trim_start().starts_with(['{', '[']);
        let (tree, problems) =
            tree::parse(self.source, if json { Format::Json } else { Format::Yaml });
        for problem in problems {
            self.add(problem);
        }
        tree
    }

    pub(super) fn add(&mut self, problem: Problem) {
        if self.problems.len() < MAX_TOLD {
            self.problems.push(problem);
        } else {
            self.untold += 1;
        }
    }

    /// The value is not what it should be.
    pub(super) fn wrong(&mut self, value: &Value<'_>, message: impl Into<String>) {
        let problem = Problem::at(self.source, value.node.at, message);
        self.add(problem.field(&value.path));
    }

    /// The same, with what to do about it.
    pub(super) fn wrong_but(&mut self, value: &Value<'_>, message: String, next: &str) {
        let problem = Problem::at(self.source, value.node.at, message).field(&value.path);
        self.add(problem.suggest(next));
    }

    pub(super) fn missing(&mut self, fields: &Fields<'_>, name: &str, next: &str) {
        let problem = Problem::at(self.source, fields.at, format!("{name} is missing"));
        self.add(problem.field(&fields.path).suggest(next));
    }

    /// The value is understood, and cannot be said in a policy.
    pub(super) fn lose(&mut self, value: &Value<'_>, why: impl Into<String>) {
        self.lose_what(value, value.in_words(), why);
    }

    /// Something about the value cannot be said in a policy.
    pub(super) fn lose_what(
        &mut self,
        value: &Value<'_>,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.lose_at(value.key_at, &value.path, what, why);
    }

    pub(super) fn lose_at(
        &mut self,
        at: Span,
        path: &str,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        let place = self.source.place(at.range().start);
        self.imported.lost.push(Lost {
            line: Some(place.line),
            column: Some(place.column),
            path: path.to_owned(),
            what: what.into(),
            why: why.into(),
        });
    }

    /// Everything that was not taken out of a map is lost. `others` are keys that the other
    /// system knows, with why a policy does not.
    pub(super) fn leave(&mut self, fields: Fields<'_>, others: &[(&str, &str)]) {
        for entry in &fields.left {
            let value = fields.value(entry);
            let same = |name: &&str| fields.spelling.same(name, &entry.key);
            if fields.known.iter().any(&same) {
                let message = "it is written twice, the other time in another spelling";
                let problem = Problem::at(self.source, entry.key_at, message);
                self.add(problem.field(&value.path).suggest("remove one of the two"));
                continue;
            }
            match others.iter().find(|(name, _)| same(name)) {
                Some((_, why)) => self.lose(&value, *why),
                None => self.lose(&value, fields.unknown(&entry.key, others)),
            }
        }
    }

    /// A name that leads to the policy that was made of `from`. It can lead to one alone.
    pub(super) fn map(&mut self, name: [&str; 3], policy: &str, from: &Value<'_>) {
        let [subsystem, operation, case] = name.map(names::part);
        if !self.mapped.insert([subsystem.clone(), operation.clone(), case.clone()]) {
            let why = format!("another policy has it; find this one by its id, {policy}");
            return self.lose_what(from, format!("the name {}", shown(&operation)), why);
        }
        let policy = policy.to_owned();
        self.imported.mappings.push(ImportedMapping { subsystem, operation, case, policy });
    }
}

/// Reading a value as what it should be. What it is not is reported.
impl Reader<'_> {
    pub(super) fn fields<'t>(
        &mut self,
        value: &Value<'t>,
        spelling: Spelling,
    ) -> Option<Fields<'t>> {
        match &value.node.content {
            Content::Map(entries) => Some(Fields::new(value, entries, spelling)),
            _ => {
                self.wrong(value, format!("{} is not a map of settings", described(value.node)));
                None
            }
        }
    }

    pub(super) fn list<'t>(&mut self, value: &Value<'t>) -> Vec<Value<'t>> {
        match &value.node.content {
            Content::List(_) => value.items(),
            _ => {
                self.wrong(value, format!("{} is not a list", described(value.node)));
                Vec::new()
            }
        }
    }

    pub(super) fn text<'t>(&mut self, value: &Value<'t>) -> Option<&'t str> {
        let text = value.as_text();
        if text.is_none() {
            self.wrong(value, format!("{} is not a text", described(value.node)));
        }
        text
    }

    pub(super) fn bool(&mut self, value: &Value<'_>) -> Option<bool> {
        let read = match &value.node.content {
            Content::Bool(bool) => Some(*bool),
            Content::Word(word) => word.to_ascii_lowercase().parse().ok(),
            Content::Text(text) if self.reads_quoted() => text.to_ascii_lowercase().parse().ok(),
            _ => None,
        };
        if read.is_none() {
            self.wrong(value, format!("{} is neither true nor false", described(value.node)));
        }
        read
    }

    pub(super) fn number(&mut self, value: &Value<'_>) -> Option<f64> {
        let read = match &value.node.content {
            Content::Number(number) => Some(*number),
            Content::Word(word) => number(word),
            Content::Text(text) if self.reads_quoted() => number(text),
            _ => None,
        };
        let read = read.filter(|number| number.is_finite());
        if read.is_none() {
            self.wrong(value, format!("{} is not a number", described(value.node)));
        }
        read
    }

    /// A factor: a number above 0.
    pub(super) fn factor(&mut self, value: &Value<'_>) -> Option<f64> {
        let number = self.number(value)?;
        if number <= 0.0 {
            self.wrong(value, format!("{number} is not above 0"));
            return None;
        }
        Some(number)
    }

    pub(super) fn count(&mut self, value: &Value<'_>) -> Option<u32> {
        let number = self.number(value)?;
        if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
            return Some(number as u32);
        }
        self.wrong(value, format!("{number} is not a whole number from 0 to {}", u32::MAX));
        None
    }

    /// A text, or a whole number as one: `408` may be written without quotes.
    pub(super) fn number_or_text(&mut self, value: &Value<'_>) -> Option<String> {
        match value.node.content {
            Content::Number(_) => self.count(value).map(|number| number.to_string()),
            _ => self.text(value).map(str::to_owned),
        }
    }

    /// A number of seconds.
    pub(super) fn seconds(&mut self, value: &Value<'_>) -> Option<Duration> {
        let seconds = self.number(value)?;
        match duration::from_seconds(seconds) {
            Ok(duration) => Some(duration),
            Err(_) => {
                self.wrong(value, format!("{seconds} is not a number of seconds"));
                None
            }
        }
    }

    /// A duration as Protocol Buffers write it in JSON: seconds, with an `s` behind.
    pub(super) fn proto_duration(&mut self, value: &Value<'_>) -> Option<Duration> {
        let seconds = value.as_text().and_then(|text| text.strip_suffix('s'));
        let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let read = seconds.filter(digits).and_then(|seconds| duration::parse(seconds).ok());
        if read.is_none() {
            let message = format!("{} is not a duration", described(value.node));
            self.wrong_but(value, message, "write it in seconds, like 0.25s");
        }
        read
    }

    /// One of a few names.
    pub(super) fn one_of<'n>(&mut self, value: &Value<'_>, names: &[&'n str]) -> Option<&'n str> {
        let text = self.text(value)?;
        let found = names.iter().find(|name| name.eq_ignore_ascii_case(text)).copied();
        if found.is_none() {
            self.none_of(value, text, names);
        }
        found
    }

    /// A name that is none of those that could stand there.
    pub(super) fn none_of(&mut self, value: &Value<'_>, wrong: &str, names: &[&str]) {
        let message = format!("`{}` is none of {}", shown(wrong), names.join(", "));
        let problem = Problem::at(self.source, value.node.at, message).field(&value.path);
        self.add(problem.meant(nearest(wrong, names.iter().copied())));
    }

    /// Whether a number in quotes is a number: Spring and Protocol Buffers say so, and
    /// properties know nothing but texts.
    fn reads_quoted(&self) -> bool {
        matches!(
            self.imported.format,
            ForeignFormat::MicroProfile | ForeignFormat::Resilience4j | ForeignFormat::Envoy
        )
    }
}
