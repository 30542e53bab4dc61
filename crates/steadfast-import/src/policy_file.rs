//! The YAML policy file of an import.
//!
//! It is written for people to maintain: fields in the order of the source, quotes only where YAML
//! requires them, and a comment for each unsupported setting.

use std::collections::HashMap;

use steadfast::policy::Setting;

use super::report::{ImportReport, ImportedMapping, ImportedPolicy};

const VERSION: &str = "1.1.0";

pub(super) fn write(report: &ImportReport) -> String {
    let mut values = vec![(vec!["version"], format!("\"{VERSION}\""))];
    for ImportedPolicy { id, fields } in &report.policies {
        if fields.is_empty() {
            values.push((vec!["policies", id], "{}".to_owned()));
        }
        // Sections follow the policy's own fields.
        let (sections, own): (Vec<_>, Vec<_>) =
            fields.iter().partition(|(path, _)| path.contains('.'));
        values.extend(own.into_iter().chain(sections).map(|(path, value)| {
            (["policies", id].into_iter().chain(path.split('.')).collect(), format_setting(value))
        }));
    }
    values.extend(report.mappings.iter().map(|mapping| {
        let ImportedMapping { subsystem, operation, case, policy } = mapping;
        (vec!["subsystem_mappings", subsystem, operation, case], scalar(policy))
    }));
    let mut file = Writer::default();
    file.comments(report);
    file.0 + &yaml(&values)
}

/// Values by path, as YAML. Paths that share a part share its key, in order of first appearance, so
/// that no key is duplicated.
pub(super) fn yaml(values: &[(Vec<&str>, String)]) -> String {
    let mut file = Writer::default();
    file.nested(0, values.iter().map(|(path, value)| (&path[..], &**value)).collect());
    file.0
}

/// YAML limits a simple key to 1024 characters; a longer one takes the explicit form.
const MAX_SIMPLE_KEY_CHARS: usize = 1000;

#[derive(Default)]
struct Writer(String);

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        self.0.extend(std::iter::repeat_n("  ", depth));
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// A key with the value on its line.
    fn key(&mut self, depth: usize, key: &str, value: &str) {
        let key = scalar(key);
        if key.len() <= MAX_SIMPLE_KEY_CHARS {
            return self.line(depth, format!("{key}: {value}").trim_end());
        }
        self.line(depth, &format!("? {key}"));
        self.line(depth, format!(": {value}").trim_end());
    }

    fn comments(&mut self, report: &ImportReport) {
        let ImportReport { format, file, unsupported, .. } = report;
        self.comment(&format!("Imported from {file}: {}.", format.about()));
        if unsupported.is_empty() {
            return;
        }
        self.line(0, "#");
        self.comment("Not converted, or not exactly:");
        for setting in unsupported {
            self.comment(&format!("- {setting}"));
        }
        self.0.push('\n');
    }

    /// A comment on one line.
    fn comment(&mut self, text: &str) {
        let visible = text.replace(|letter: char| letter.is_control() || is_break(letter), " ");
        self.line(0, &format!("# {visible}"));
    }

    fn nested<'v>(&mut self, depth: usize, values: Vec<(&'v [&'v str], &'v str)>) {
        let mut indexes = HashMap::new();
        let mut groups: Vec<(&str, Vec<_>)> = Vec::new();
        for (path, value) in values {
            let Some((key, rest)) = path.split_first() else { continue };
            let index = *indexes.entry(*key).or_insert(groups.len());
            match groups.get_mut(index) {
                Some((_, group)) => group.push((rest, value)),
                None => groups.push((key, vec![(rest, value)])),
            }
        }
        for (key, group) in groups {
            match group[..] {
                [([], value), ..] => self.key(depth, key, value),
                _ => {
                    self.key(depth, key, "");
                    self.nested(depth + 1, group);
                }
            }
        }
    }
}

fn format_setting(value: &Setting) -> String {
    match value {
        Setting::Bool(bool) => bool.to_string(),
        Setting::Number(number) => number.to_string(),
        Setting::Text(text) | Setting::Word(text) => scalar(text),
        Setting::List(items) => {
            let items: Vec<_> = items.iter().map(format_setting).collect();
            format!("[{}]", items.join(", "))
        }
        Setting::Map(_) | Setting::Null => "null".to_owned(),
    }
}

/// A YAML scalar, quoted if its plain form would be read as something else.
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
    let ends_plain = text.ends_with(|letter: char| letter.is_ascii_alphanumeric());
    text.bytes().all(safe)
        && ends_plain
        && match text.bytes().next() {
            Some(first) if first.is_ascii_alphabetic() => !is_keyword(text),
            Some(first) if first.is_ascii_digit() => !is_number_like(text),
            _ => false,
        }
}

/// Whether some YAML parser reads it as a boolean or null.
fn is_keyword(text: &str) -> bool {
    const KEYWORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(text))
}

/// Whether some YAML parser reads it as a number: `08`, `2E000`, `0x10`, `1:30`, but not `5xx`.
fn is_number_like(text: &str) -> bool {
    if matches!(text.as_bytes(), [b'1'..=b'5', b'x', b'x']) {
        return false;
    }
    let radix = ["0x", "0o", "0b"].iter().any(|prefix| text.starts_with(prefix));
    let is_unit = |letter: char| letter.is_ascii_alphabetic() && !matches!(letter, 'e' | 'E');
    radix || text.contains(':') || !text.contains(is_unit)
}
