//! The seed corpus and the dictionary.
//!
//! Without seeds, libFuzzer takes hours to generate its first valid policy. The seeds are generated from
//! the fixtures and conformance cases of the repository whenever they are needed, and not stored, so that
//! they never become outdated.

mod dictionary;
mod fixtures;

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use serde_json::{Value, json};
use steadfast::file::Format;
use steadfast::policy::FIELDS;
use steadfast_import::ImportFormat;

use crate::policy_file::FORMATS;
use crate::{environment, with_format};

/// The seeds of one target.
pub struct Seeds {
    /// The target's name.
    pub target: &'static str,
    /// The inputs.
    pub inputs: Vec<Vec<u8>>,
    /// The words of the dictionary.
    pub words: BTreeSet<String>,
}

impl Seeds {
    fn new(target: &'static str, inputs: Vec<Vec<u8>>) -> Self {
        let words = inputs.iter().flat_map(|input| dictionary::words(input)).collect();
        Self { target, inputs, words }
    }

    fn with_words(mut self, more: impl IntoIterator<Item = String>) -> Self {
        self.words.extend(more);
        self
    }

    /// Writes the inputs into `DIRECTORY/TARGET/` and the words into `DIRECTORY/TARGET.dict`.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        let inputs = directory.join(self.target);
        fs::create_dir_all(&inputs)?;
        for (number, input) in self.inputs.iter().enumerate() {
            fs::write(inputs.join(format!("{number:04}")), input)?;
        }
        fs::write(inputs.with_extension("dict"), dictionary::format(&self.words))
    }
}

/// The seeds of all targets, generated from the repository at `root`.
///
/// # Errors
/// A fixture cannot be read.
pub fn all(root: &Path) -> io::Result<Vec<Seeds>> {
    let fields = || FIELDS.iter().map(|field| field.name.to_owned());
    Ok(vec![
        Seeds::new("policy_file", policy_files(root)?).with_words(fields()),
        Seeds::new("import", imports(root)?),
        Seeds::new("rules_and_durations", rules_and_durations(root)?),
        Seeds::new("environment", variables()).with_words(environment::variable_fields()),
    ])
}

/// The fixture files, and the policies of the conformance cases as files.
fn policy_files(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut inputs = Vec::new();
    for (path, text) in fixtures::texts(&root.join("crates/steadfast/tests/file/data"))? {
        let format = Format::of(&path).map_err(io::Error::other)?;
        inputs.push(with_format(&FORMATS, format, &text));
    }
    for case in fixtures::cases(root)? {
        if let Some(policy) = case.get("policy").filter(|policy| policy.is_object()) {
            let file = json!({"version": "1.1.0", "policies": {"a": policy}});
            inputs.push(with_format(&FORMATS, Format::Json, &file.to_string()));
        }
    }
    Ok(inputs)
}

/// The fixture files, each with its detected format.
fn imports(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    let texts = fixtures::texts(&root.join("crates/steadfast-import/tests/import/fixtures"))?;
    let inputs = texts.into_iter().filter_map(|(path, text)| {
        let source = steadfast::file::Source::new(path.display().to_string(), &text);
        Some(with_format(&ImportFormat::ALL, ImportFormat::detect(&source)?, &text))
    });
    Ok(inputs.collect())
}

/// The durations, hints, rules and faults of the conformance cases.
fn rules_and_durations(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    let cases = fixtures::cases(root)?;
    let texts = cases.iter().filter_map(|case| {
        let value = case.get("value").and_then(Value::as_str);
        let fault = case.get("fault").map(|fault| format!("{}\n{fault}", rules_of(case)));
        value.map(str::to_owned).or(fault)
    });
    Ok(texts.map(String::into_bytes).collect())
}

/// The rules of a case's policy, separated by commas.
fn rules_of(case: &Value) -> String {
    let lists = ["/policy/retry_on", "/policy/abort_on"];
    let lists = lists.into_iter().filter_map(|list| case.pointer(list)?.as_array());
    lists.flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
}

/// Each field of a policy, set to each of several values.
fn variables() -> Vec<Vec<u8>> {
    let values = ["4", "0.5", "1.5s", "true", "full", "5xx,timeout", "1s,2s"];
    let fields: Vec<String> = environment::variable_fields().collect();
    let line = |(number, field): (usize, &String)| {
        let value = values.get(number % values.len()).copied().unwrap_or_default();
        format!("SQL__{field}={value}\n").into_bytes()
    };
    let others = ["ENABLED=false\n", "DEFAULT__BREAKER__THRESHOLD=4\nGRPC__BUDGET__RATIO=0.2\n"];
    let others = others.into_iter().map(|text| text.as_bytes().to_vec());
    values
        .iter()
        .enumerate()
        .flat_map(|(shift, _)| fields.iter().enumerate().map(move |(n, f)| (n + shift, f)))
        .map(line)
        .chain(others)
        .collect()
}
