//! The fields of a policy in the format of a policy file.
//!
//! The API has durations in seconds. On a terminal and on the web UI they are shown as in a policy
//! file, such as `500ms`, so that they can be copied into one. The types of the fields come from the
//! library.

use std::time::Duration;

use steadfast::duration;
use steadfast::policy::{FIELDS, FieldKind, Setting};

/// The value of a field; `None` if it is not set. `path` is the name of the field, or the path to it.
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
    if matches!(setting, Setting::Null) || (is_duration && is_unlimited(setting)) {
        return None;
    }
    Some(format_value(setting, is_duration))
}

fn format_value(value: &Setting, is_duration: bool) -> String {
    match value {
        Setting::Number(seconds) if is_duration => match duration::from_seconds(*seconds) {
            Ok(duration) => duration::format(duration),
            Err(_) => seconds.to_string(),
        },
        Setting::Text(text) | Setting::Word(text) if is_duration => text.clone(),
        Setting::Text(text) | Setting::Word(text) => scalar(text),
        Setting::List(items) => {
            let items: Vec<String> =
                items.iter().map(|item| format_value(item, is_duration)).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A YAML scalar, quoted only where YAML would read it as something else.
#[must_use]
pub fn scalar(text: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let is_name = text.starts_with(|first: char| first.is_ascii_alphabetic());
    let keywords = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let is_keyword = keywords.iter().any(|keyword| keyword.eq_ignore_ascii_case(text));
    if text.bytes().all(safe) && is_name && !is_keyword {
        return text.to_owned();
    }
    // A JSON string is a YAML string; the control characters of C1 are escaped for terminals.
    let quoted = serde_json::Value::from(text).to_string();
    let escaped = |letter: char| match letter {
        '\u{7f}'..='\u{9f}' => format!("\\u{:04x}", u32::from(letter)),
        _ => letter.to_string(),
    };
    quoted.chars().map(escaped).collect()
}

/// Fields, each with its path, as YAML lines under the id of a policy. Fields that are not set are
/// left out.
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
            push_line(&mut lines, &mut open, path, &value);
        }
    }
    lines
}

/// Adds a field under its sections. `open` are the sections of the previous line.
fn push_line<'f>(lines: &mut String, open: &mut Vec<&'f str>, path: &'f str, value: &str) {
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

/// Whether a duration is the largest value, which means no limit.
fn is_unlimited(value: &Setting) -> bool {
    let end = Duration::from_nanos(u64::MAX);
    matches!(value, Setting::Text(text) if duration::parse(text) == Ok(end))
}

/// The type of the field at the end of a path.
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

    /// P2: durations have units at every level of a policy.
    #[test]
    fn durations_are_formatted_with_units() {
        for path in ["base_delay", "on.rate_limited.base_delay", "durable.breaker.timeout"] {
            assert_eq!(of(path, "0.5").as_deref(), Some("500ms"), "{path}");
        }
        assert_eq!(of("schedule", "[604800, 1209600]").as_deref(), Some("[7d, 14d]"));
        assert_eq!(of("jitter", "0.1").as_deref(), Some("100ms"));
        assert_eq!(of("jitter", "\"full\"").as_deref(), Some("full"));
        assert_eq!(of("multiplier", "1.6").as_deref(), Some("1.6"));
    }

    #[test]
    fn strings_are_quoted_where_needed() {
        assert_eq!(of("retry_on", "[\"08\", \"TimeoutError\"]").unwrap(), "[\"08\", TimeoutError]");
        assert_eq!(of("name", "\"Saves: \\\"all\\\"\"").unwrap(), "\"Saves: \\\"all\\\"\"");
        assert_eq!(of("name", "\"on\"").unwrap(), "\"on\"");
        assert_eq!(scalar("\u{1b}[2J\u{9b}"), "\"\\u001b[2J\\u009b\"");
    }

    /// F1: the lines are valid in a policy file.
    #[test]
    fn nested_fields_share_their_section() {
        let one = Setting::Number(1.0);
        let paths = ["a", "on.x.a", "on.x.b", "on.y.a", "b"];
        let lines = "a: 1\non:\n  x:\n    a: 1\n    b: 1\n  y:\n    a: 1\nb: 1\n";
        assert_eq!(fields(paths.map(|path| (path, &one))), lines);
    }

    #[test]
    fn unset_fields_are_left_out() {
        assert_eq!(of("max_duration", "null"), None);
        assert_eq!(of("max_delay", "\"18446744073.709551615s\""), None);
    }
}
