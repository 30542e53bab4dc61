//! Scenario files in YAML or JSON.
//!
//! The parser is the one that policy files use. Its events are written as JSON with every value on
//! its original line, so that serde_json reports errors with the line of the file.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle};
use steadfast_sim::Scenario;

/// Aliases may not expand a file beyond this.
const MAX_EXPANDED_BYTES: usize = 16 << 20;

/// Parses a scenario; an empty file is the default scenario.
pub(super) fn parse(text: &str) -> Result<Scenario, String> {
    let json = to_json(text)?;
    serde_json::from_str(&json).map_err(|error| without_column(&error.to_string()))
}

/// The column is that of the JSON text, which means nothing to the reader.
fn without_column(message: &str) -> String {
    let (message, _) = message.rsplit_once(" column ").unwrap_or((message, ""));
    message.to_owned()
}

fn to_json(text: &str) -> Result<String, String> {
    let mut writer = JsonWriter { line: 1, ..JsonWriter::default() };
    for event in Parser::new_from_str(text) {
        let (event, at) = event.map_err(|error| error.to_string())?;
        writer.write(event, at.start.line())?;
    }
    Ok(if writer.json.is_empty() { "{}".to_owned() } else { writer.json })
}

#[derive(Default)]
struct JsonWriter {
    json: String,
    line: usize,
    open: Vec<Container>,
    /// The JSON of anchored values, by the parser's anchor id.
    anchors: HashMap<usize, String>,
    stored_bytes: usize,
}

struct Container {
    is_map: bool,
    /// Values written so far; keys count as well.
    count: usize,
    anchor: usize,
    start: usize,
}

impl JsonWriter {
    fn write(&mut self, event: Event<'_>, line: usize) -> Result<(), String> {
        match event {
            Event::DocumentStart(..) if !self.json.is_empty() => {
                return Err(format!("more than one document at line {line}"));
            }
            Event::Scalar(text, style, anchor, _) => {
                let is_key = self.is_at_key();
                self.begin_value(line);
                let token = if is_key { quoted(&text) } else { scalar(&text, style) };
                self.json.push_str(&token);
                self.store(anchor, token);
            }
            Event::SequenceStart(_, anchor, _) => self.begin_container(false, anchor, line)?,
            Event::MappingStart(_, anchor, _) => self.begin_container(true, anchor, line)?,
            Event::SequenceEnd | Event::MappingEnd => self.end_container(),
            Event::Alias(anchor) => {
                self.begin_value(line);
                let value = self.anchors.get(&anchor).map_or("null", String::as_str);
                self.json.push_str(value);
            }
            _ => {}
        }
        match self.json.len() + self.stored_bytes {
            length if length > MAX_EXPANDED_BYTES => Err("its aliases expand too far".to_owned()),
            _ => Ok(()),
        }
    }

    fn is_at_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_map && open.count % 2 == 0)
    }

    /// Moves to the value's line, and separates it from the one before.
    fn begin_value(&mut self, line: usize) {
        while self.line < line {
            self.json.push('\n');
            self.line += 1;
        }
        let Some(open) = self.open.last_mut() else { return };
        match open.count {
            0 => {}
            count if open.is_map && count % 2 == 1 => self.json.push(':'),
            _ => self.json.push(','),
        }
        open.count += 1;
    }

    fn begin_container(&mut self, is_map: bool, anchor: usize, line: usize) -> Result<(), String> {
        if self.is_at_key() {
            return Err(format!("a key is not text at line {line}"));
        }
        self.begin_value(line);
        self.open.push(Container { is_map, count: 0, anchor, start: self.json.len() });
        self.json.push(if is_map { '{' } else { '[' });
        Ok(())
    }

    fn end_container(&mut self) {
        let Some(Container { is_map, anchor, start, .. }) = self.open.pop() else { return };
        self.json.push(if is_map { '}' } else { ']' });
        if anchor > 0 {
            let value = self.json.get(start..).unwrap_or_default().replace('\n', " ");
            self.store(anchor, value);
        }
    }

    fn store(&mut self, anchor: usize, value: String) {
        if anchor > 0 {
            self.stored_bytes += value.len();
            self.anchors.insert(anchor, value);
        }
    }
}

/// A scalar by the core schema of YAML.
fn scalar(text: &str, style: ScalarStyle) -> String {
    if style != ScalarStyle::Plain {
        return quoted(text);
    }
    let is_number = text.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    match text {
        "" | "~" | "null" | "Null" | "NULL" => "null".to_owned(),
        "true" | "True" | "TRUE" => "true".to_owned(),
        "false" | "False" | "FALSE" => "false".to_owned(),
        _ if !is_number => quoted(text),
        _ => number(text).unwrap_or_else(|| quoted(text)),
    }
}

fn number(text: &str) -> Option<String> {
    let integer = text.parse::<i128>().ok().map(|number| number.to_string());
    let float = || text.parse().ok().and_then(serde_json::Number::from_f64);
    integer.or_else(|| float().map(|number| number.to_string()))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use steadfast_sim::Arrival;

    use super::*;

    #[test]
    fn yaml_and_json_scenarios_are_equal() {
        let yaml = "clients: 0500 # many\narrival: {steady: 5m}\noutages:\n- &one\n  from: 1s\n  \
                    to: '2s'\n- *one\nerrors:\n  final: .25\n";
        let json = "{\"clients\": 500, \"arrival\": {\"steady\": \"5m\"}, \"errors\": {\"final\": \
                    0.25}, \"outages\": [{\"from\": 1, \"to\": 2}, {\"from\": 1, \"to\": 2}]}";
        let scenario = parse(yaml).unwrap();
        assert_eq!(scenario.outages.len(), 2);
        assert!(matches!(scenario.arrival, Arrival::Steady(_)));
        assert_eq!(format!("{scenario:?}"), format!("{:?}", parse(json).unwrap()));
        assert_eq!(format!("{:?}", parse("")), format!("{:?}", parse("{}")));
    }

    #[test]
    fn error_names_the_line() {
        for (text, message) in [
            ("clients: 5\ncapasity: 3\n", "unknown field `capasity`"),
            ("clients: 5\nprocesses: many\n", "invalid type"),
            ("clients: 5\nclients: 6\n", "duplicate field `clients`"),
            ("clients: 5\n[a]: 6\n", "a key is not text"),
            ("clients: 5\n--- {}\n", "more than one document"),
            ("clients: 5\n  x: 6\n", ""),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(message) && error.contains("line 2"), "{error}");
        }
    }

    /// K4: nested aliases do not fill the memory.
    #[test]
    fn alias_expansion_is_limited() {
        let nested = (1..9).map(|level| {
            let list = vec![format!("*a{}", level - 1); 20].join(", ");
            format!("- &a{level} [{list}]\n")
        });
        let text = format!("- &a0 [x, x, x, x]\n{}", nested.collect::<String>());
        assert_eq!(parse(&text).unwrap_err(), "its aliases expand too far");
    }
}
