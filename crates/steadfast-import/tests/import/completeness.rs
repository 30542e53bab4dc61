//! No setting is overlooked: an unknown key is reported anywhere in a file.

use steadfast::file::Source;
use steadfast_import::{ImportFormat, ImportReport, Unsupported, import};

use super::{FIXTURES, fixture};

const KEY: &str = "zzz_unknown";

/// F5: a line with an unknown key, put before each line of each fixture that begins with a key,
/// is reported: as a problem, by itself, or with the whole that it stands in.
#[test]
fn unknown_key_is_listed_at_any_level() {
    let mut tried = 0;
    for (name, format) in FIXTURES {
        let text = fixture(name);
        let lines: Vec<&str> = text.lines().collect();
        for (place, line) in lines.iter().enumerate() {
            let Some(unknown) = unknown_key(format, line) else { continue };
            // What a backslash joins to the line above is not a line.
            if place > 0 && lines[place - 1].ends_with('\\') {
                continue;
            }
            let mut changed = lines.clone();
            changed.insert(place, &unknown);
            let source = Source::new(name, &changed.join("\n"));
            let reported = match import(format, &source) {
                Ok(imported) => is_listed(&imported, &changed, place),
                Err(problems) => problems.iter().any(|problem| problem.path.contains(KEY)),
            };
            assert!(reported, "{name}:{}", place + 1);
            tried += 1;
        }
    }
    assert!(tried > 150, "{tried}");
}

/// A line with an unknown key that can stand where this line stands.
fn unknown_key(format: ImportFormat, line: &str) -> Option<String> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let code = line.trim_start();
    match format {
        ImportFormat::MicroProfile => {
            (!code.is_empty() && !code.starts_with('#')).then(|| format!("{indent}{KEY}=1"))
        }
        ImportFormat::Client if code.starts_with("config.") => {
            Some(format!("{indent}config.{KEY} = 1"))
        }
        _ if code.starts_with('"') && code.contains("\": ") => {
            Some(format!("{indent}\"{KEY}\": 1,"))
        }
        _ if code.starts_with(|first: char| first.is_ascii_lowercase()) && code.contains(':') => {
            Some(format!("{indent}{KEY}: 1"))
        }
        _ => None,
    }
}

fn is_listed(imported: &ImportReport, lines: &[&str], place: usize) -> bool {
    imported.unsupported.iter().any(|item| item.path.ends_with(KEY) || contains(item, lines, place))
}

/// Whether an unsupported section contains this line.
fn contains(item: &Unsupported, lines: &[&str], place: usize) -> bool {
    let (line, column) = (item.line.unwrap() as usize - 1, item.column.unwrap() as usize - 1);
    let is_item = item.path.ends_with(']');
    let least = if is_item { column } else { column + 1 };
    let is_whole = is_item || item.path.ends_with(&item.what);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let below = || lines[line + 1..=place].iter().all(|between| indent(between) >= least);
    is_whole && line < place && below()
}
