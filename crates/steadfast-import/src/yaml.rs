//! A policy file out of what was read.
//!
//! It is meant to be read and kept by people: fields in the order in which they were
//! found, quotes only where YAML would read something else, and a comment for each thing
//! that was lost.

use std::collections::HashMap;

use super::imported::{Imported, ImportedMapping, ImportedPolicy};
use steadfast::policy::Setting;

const VERSION: &str = "1.1.0";

pub(super) fn write(imported: &Imported) -> String {
    let mut file = Writer::default();
    file.comments(imported);
    file.line(0, &format!("version: \"{VERSION}\""));
    file.line(0, "policies:");
    for policy in &imported.policies {
        file.policy(policy);
    }
    file.mappings(&imported.mappings);
    file.0
}

/// YAML wants the colon within 1024 letters of a key's beginning; longer keys have a form of
/// their own.
const LONGEST_KEY: usize = 1000;

#[derive(Default)]
struct Writer(String);

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        self.0.extend(std::iter::repeat_n("  ", depth));
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// A key, and what stands on its line.
    fn key(&mut self, depth: usize, key: &str, value: &str) {
        let key = scalar(key);
        if key.len() <= LONGEST_KEY {
            return self.line(depth, format!("{key}: {value}").trim_end());
        }
        self.line(depth, &format!("? {key}"));
        self.line(depth, format!(": {value}").trim_end());
    }

    fn comments(&mut self, imported: &Imported) {
        let Imported { format, file, lost, .. } = imported;
        self.comment(&format!("Imported from {file}: {}.", format.about()));
        if lost.is_empty() {
            return;
        }
        self.line(0, "#");
        self.comment("Not carried over, or not exactly:");
        for lost in lost {
            self.comment(&format!("- {lost}"));
        }
        self.0.push('\n');
    }

    /// One line, whatever the text.
    fn comment(&mut self, text: &str) {
        let visible = text.replace(|letter: char| letter.is_control() || is_break(letter), " ");
        self.line(0, &format!("# {visible}"));
    }

    fn policy(&mut self, policy: &ImportedPolicy) {
        if policy.fields.is_empty() {
            return self.key(1, &policy.id, "{}");
        }
        self.key(1, &policy.id, "");
        let parts = policy.fields.iter().map(|(path, _)| split(path).0);
        for part in distinct(parts) {
            if !part.is_empty() {
                self.line(2, &format!("{part}:"));
            }
            let depth = if part.is_empty() { 2 } else { 3 };
            for (path, value) in policy.fields.iter().filter(|(path, _)| split(path).0 == part) {
                self.line(depth, &format!("{}: {}", split(path).1, written(value)));
            }
        }
    }

    /// Names that share a part share its line, so that no key is written twice.
    fn mappings(&mut self, mappings: &[ImportedMapping]) {
        if mappings.is_empty() {
            return;
        }
        self.line(0, "subsystem_mappings:");
        for (subsystem, mappings) in grouped(mappings.iter(), |mapping| &mapping.subsystem) {
            self.key(1, subsystem, "");
            for (operation, mappings) in grouped(mappings.into_iter(), |mapping| &mapping.operation)
            {
                self.key(2, operation, "");
                for (case, mappings) in grouped(mappings.into_iter(), |mapping| &mapping.case) {
                    let policy = mappings.first().map_or("", |mapping| &mapping.policy);
                    self.key(3, case, &scalar(policy));
                }
            }
        }
    }
}

/// Mappings by one of their parts, in the order of the first of each.
fn grouped<'m>(
    mappings: impl Iterator<Item = &'m ImportedMapping>,
    part: impl Fn(&'m ImportedMapping) -> &'m String,
) -> Vec<(&'m str, Vec<&'m ImportedMapping>)> {
    let mut places = HashMap::new();
    let mut groups: Vec<(&str, Vec<_>)> = Vec::new();
    for mapping in mappings {
        let name = part(mapping).as_str();
        let place = *places.entry(name).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, group)) => group.push(mapping),
            None => groups.push((name, vec![mapping])),
        }
    }
    groups
}

/// The part of a policy that a field belongs to, and its name there.
fn split(path: &str) -> (&str, &str) {
    path.split_once('.').unwrap_or(("", path))
}

fn distinct<'t>(names: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

fn written(value: &Setting) -> String {
    match value {
        Setting::Bool(bool) => bool.to_string(),
        Setting::Number(number) => number.to_string(),
        Setting::Text(text) | Setting::Word(text) => scalar(text),
        Setting::List(items) => {
            let items: Vec<_> = items.iter().map(written).collect();
            format!("[{}]", items.join(", "))
        }
        Setting::Map(_) | Setting::Null => "null".to_owned(),
    }
}

/// A text, in quotes if it would be read as something else without.
pub(super) fn scalar(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            _ if letter.is_control() || is_break(letter) => {
                quoted.push_str(&format!("\\U{:08x}", u32::from(letter)));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

fn is_break(letter: char) -> bool {
    matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn is_plain(text: &str) -> bool {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:".contains(&byte);
    let ends_well = text.ends_with(|letter: char| letter.is_ascii_alphanumeric());
    text.bytes().all(safe)
        && ends_well
        && match text.bytes().next() {
            Some(first) if first.is_ascii_alphabetic() => !is_keyword(text),
            Some(first) if first.is_ascii_digit() => !is_number_like(text),
            _ => false,
        }
}

/// What some reader of YAML takes for a truth value or nothing.
fn is_keyword(text: &str) -> bool {
    const KEYWORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(text))
}

/// `5xx` and `500ms` are none; `08`, `2E000`, `0x10` and `1:30` are.
fn is_number_like(text: &str) -> bool {
    if matches!(text.as_bytes(), [b'1'..=b'5', b'x', b'x']) {
        return false;
    }
    let radix = ["0x", "0o", "0b"].iter().any(|prefix| text.starts_with(prefix));
    let says_more = |letter: char| letter.is_ascii_alphabetic() && !matches!(letter, 'e' | 'E');
    radix || text.contains(':') || !text.contains(says_more)
}
