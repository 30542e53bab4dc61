//! The fields of a policy for people, as a policy file would have them.
//!
//! Machines get durations as seconds. People write `500ms` and want to read it, on a terminal as
//! on a page, and to put what they read into a file. What a field holds is for the library's list
//! of fields to say.

use std::time::Duration;

use steadfast::duration;
use steadfast::policy::{FIELDS, FieldKind, Setting};

/// A value, unless there is none. `path` is the field, or the path to it.
///
/// ```
/// use steadfast::policy::Setting;
/// use steadfast_api::policy_fields;
///
/// let shown = policy_fields::value("on.rate_limited.base_delay", &Setting::Number(0.5));
/// assert_eq!(shown.as_deref(), Some("500ms"));
/// ```
#[must_use]
pub fn value(path: &str, setting: &Setting) -> Option<String> {
    let is_duration = kind(path).is_some_and(holds_durations);
    if matches!(setting, Setting::Null) || (is_duration && is_endless(setting)) {
        return None;
    }
    Some(written(setting, is_duration))
}

fn written(value: &Setting, is_duration: bool) -> String {
    match value {
        Setting::Number(seconds) if is_duration => match duration::from_seconds(*seconds) {
            Ok(duration) => duration::format(duration),
            Err(_) => seconds.to_string(),
        },
        Setting::Text(text) | Setting::Word(text) if is_duration => text.clone(),
        Setting::Text(text) | Setting::Word(text) => scalar(text),
        Setting::List(items) => {
            let items: Vec<String> = items.iter().map(|item| written(item, is_duration)).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A text without quotes where no reader of YAML takes it for anything else.
#[must_use]
pub fn scalar(text: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let is_name = text.starts_with(|first: char| first.is_ascii_alphabetic());
    let keywords = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let is_keyword = keywords.iter().any(|keyword| keyword.eq_ignore_ascii_case(text));
    if text.bytes().all(safe) && is_name && !is_keyword {
        return text.to_owned();
    }
    // JSON is YAML, but for what commands a terminal beyond ASCII.
    let quoted = serde_json::Value::from(text).to_string();
    let escaped = |letter: char| match letter {
        '\u{7f}'..='\u{9f}' => format!("\\u{:04x}", u32::from(letter)),
        _ => letter.to_string(),
    };
    quoted.chars().map(escaped).collect()
}

/// Fields, each with the path to it, as lines that can stand under a policy's id. Those that
/// have no value are left out.
///
/// ```
/// use steadfast::policy::Setting;
/// use steadfast_api::policy_fields;
///
/// let (attempts, delay) = (Setting::Number(4.0), Setting::Number(5.0));
/// let fields = [("max_attempts", &attempts), ("on.rate_limited.base_delay", &delay)];
/// let lines = "max_attempts: 4\non:\n  rate_limited:\n    base_delay: 5s\n";
/// assert_eq!(policy_fields::fields(fields), lines);
/// ```
#[must_use]
pub fn fields<'f>(fields: impl IntoIterator<Item = (&'f str, &'f Setting)>) -> String {
    let (mut lines, mut open) = (String::new(), Vec::new());
    for (path, setting) in fields {
        if let Some(value) = value(path, setting) {
            line(&mut lines, &mut open, path, &value);
        }
    }
    lines
}

/// A field under the parts that it is in. `open` are those of the line above.
fn line<'f>(lines: &mut String, open: &mut Vec<&'f str>, path: &'f str, value: &str) {
    let mut parts: Vec<&str> = path.split('.').collect();
    let name = parts.pop().unwrap_or_default();
    let shared = parts.iter().zip(open.iter()).take_while(|(part, open)| part == open).count();
    for (depth, part) in parts.iter().enumerate().skip(shared) {
        lines.push_str(&format!("{}{part}:\n", "  ".repeat(depth)));
    }
    lines.push_str(&format!("{}{name}: {value}\n", "  ".repeat(parts.len())));
    *open = parts;
}

fn holds_durations(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Duration | FieldKind::Durations | FieldKind::Jitter)
}

/// A delay that nothing caps is said to be capped at the end of time.
fn is_endless(value: &Setting) -> bool {
    let end = Duration::from_nanos(u64::MAX);
    matches!(value, Setting::Text(text) if duration::parse(text) == Ok(end))
}

/// What the field at the end of a path holds.
fn kind(path: &str) -> Option<FieldKind> {
    let mut fields = FIELDS;
    let mut names = path.split('.');
    loop {
        let name = names.next()?;
        let kind = fields.iter().find(|field| field.name == name)?.kind;
        match kind {
            FieldKind::Fields(own) => fields = own,
            FieldKind::Stage => fields = FIELDS,
            FieldKind::Classes => {
                names.next()?;
                fields = FIELDS;
            }
            leaf => return Some(leaf),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, json: &str) -> Option<String> {
        value(path, &serde_json::from_str(json).unwrap())
    }

    /// P2: durations as people write them, wherever in a policy they are.
    #[test]
    fn durations_are_written_as_durations() {
        for path in ["base_delay", "on.rate_limited.base_delay", "durable.breaker.timeout"] {
            assert_eq!(of(path, "0.5").as_deref(), Some("500ms"), "{path}");
        }
        assert_eq!(of("schedule", "[604800, 1209600]").as_deref(), Some("[7d, 14d]"));
        assert_eq!(of("jitter", "0.1").as_deref(), Some("100ms"));
        assert_eq!(of("jitter", "\"full\"").as_deref(), Some("full"));
        assert_eq!(of("multiplier", "1.6").as_deref(), Some("1.6"));
    }

    #[test]
    fn texts_have_quotes_where_they_need_them() {
        assert_eq!(of("retry_on", "[\"08\", \"TimeoutError\"]").unwrap(), "[\"08\", TimeoutError]");
        assert_eq!(of("name", "\"Saves: \\\"all\\\"\"").unwrap(), "\"Saves: \\\"all\\\"\"");
        assert_eq!(of("name", "\"on\"").unwrap(), "\"on\"");
        assert_eq!(scalar("\u{1b}[2J\u{9b}"), "\"\\u001b[2J\\u009b\"");
    }

    /// F1: what is printed can stand in a file.
    #[test]
    fn parts_are_opened_once_and_closed_by_the_next() {
        let one = Setting::Number(1.0);
        let paths = ["a", "on.x.a", "on.x.b", "on.y.a", "b"];
        let lines = "a: 1\non:\n  x:\n    a: 1\n    b: 1\n  y:\n    a: 1\nb: 1\n";
        assert_eq!(fields(paths.map(|path| (path, &one))), lines);
    }

    #[test]
    fn what_is_not_there_is_not_written() {
        assert_eq!(of("max_duration", "null"), None);
        assert_eq!(of("max_delay", "\"18446744073.709551615s\""), None);
    }
}
