//! The repository's test fixtures and conformance cases.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::Value;

/// All files of a directory with their texts, sorted by name.
pub(super) fn texts(directory: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let with_path = |error: io::Error, path: &Path| {
        io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    };
    let entries = fs::read_dir(directory).map_err(|error| with_path(error, directory))?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let read = |path: PathBuf| match fs::read_to_string(&path) {
        Ok(text) => Ok((path, text)),
        Err(error) => Err(with_path(error, &path)),
    };
    paths.into_iter().map(read).collect()
}

/// All conformance cases.
pub(super) fn cases(root: &Path) -> io::Result<Vec<Value>> {
    let mut cases = Vec::new();
    for (path, text) in texts(&root.join("conformance"))? {
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let file: Value = serde_json::from_str(&text)?;
        let file_cases = file.get("cases").and_then(Value::as_array);
        cases.extend(file_cases.into_iter().flatten().cloned());
    }
    Ok(cases)
}
