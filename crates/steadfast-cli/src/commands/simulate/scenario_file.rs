//! Scenario files in YAML or JSON.
//!
//! The parser is the one that policy files use. Its tree is written as JSON with every value on its
//! original line, so that serde_json reports errors with the line of the file.

use serde_json::Value;
use steadfast::__private::tree::{self, Content, Node, Span};
use steadfast::file::{Format, JsonError, Source};
use steadfast_sim::Scenario;

/// Parses a scenario; an empty file is the default scenario.
pub(super) fn parse(text: &str) -> Result<Scenario, String> {
    let source = Source::new("scenario", text);
    let (tree, problems) = tree::parse(&source, Format::Yaml);
    // An empty file is the only problem without a line.
    if let Some((message, line)) = problems.iter().find_map(|it| Some((&it.message, it.line?))) {
        return Err(format!("{message} at line {line}"));
    }
    let mut writer = JsonWriter { source: &source, json: String::new(), line: 1 };
    match &tree {
        Some(tree) => writer.value(tree),
        None => writer.json.push_str("{}"),
    }
    serde_json::from_str(&writer.json).map_err(|error| {
        let JsonError { message, position } = JsonError::of(&error);
        // The column is that of the JSON text, which means nothing to the reader.
        match position {
            Some((line, _)) => format!("{message} at line {line}"),
            None => message,
        }
    })
}

struct JsonWriter<'s> {
    source: &'s Source,
    json: String,
    /// The current line of `json`.
    line: u32,
}

impl JsonWriter<'_> {
    fn value(&mut self, node: &Node) {
        match &node.content {
            Content::Null => self.token(node.span, "null"),
            Content::Bool(value) => self.token(node.span, &value.to_string()),
            Content::Number(number) => self.token(node.span, &Value::from(*number).to_string()),
            Content::Plain(text) => self.token(node.span, &plain(text)),
            Content::Text(text) => self.token(node.span, &quoted(text)),
            Content::List(items) => {
                self.token(node.span, "[");
                for (index, item) in items.iter().enumerate() {
                    self.comma(index);
                    self.value(item);
                }
                self.json.push(']');
            }
            Content::Map(entries) => {
                self.token(node.span, "{");
                for (index, entry) in entries.iter().enumerate() {
                    self.comma(index);
                    self.token(entry.key_span, &quoted(&entry.key));
                    self.json.push(':');
                    self.value(&entry.value);
                }
                self.json.push('}');
            }
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.json.push(',');
        }
    }

    /// Writes a token on its line; that of an aliased value is an earlier one.
    fn token(&mut self, at: Span, token: &str) {
        let line = self.source.position(at.range().start).line;
        while self.line < line {
            self.json.push('\n');
            self.line += 1;
        }
        self.json.push_str(token);
    }
}

/// A plain scalar by the core schema of YAML.
fn plain(text: &str) -> String {
    let is_number = text.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    match text {
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
    Value::from(text).to_string()
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
            ("clients: 5\nprocesses: many\n", "expected a whole number"),
            ("clients: 5\nclients: 6\n", "duplicate key"),
            ("clients: 5\n[a]: 6\n", "a key must be a scalar"),
            ("clients: 5\n--- {}\n", "the file must be a single document"),
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
        let error = parse(&text).unwrap_err();
        assert!(error.starts_with("this alias expands beyond the limit"), "{error}");
    }
}
