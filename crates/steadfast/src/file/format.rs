//! The three notations of a policy file.

use std::path::Path;

use super::Problem;

/// How a file is written.
///
/// ```
/// use steadfast::file::Format;
///
/// assert_eq!(Format::of("deploy/steadfast.yml".as_ref())?, Format::Yaml);
/// # Ok::<(), steadfast::file::Problem>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// YAML 1.2: `.yaml`, `.yml`.
    Yaml,
    /// JSON, without comments: `.json`.
    Json,
    /// TOML 1.1: `.toml`.
    Toml,
}

impl Format {
    /// The format that the file's extension tells.
    ///
    /// # Errors
    /// The extension is none of `yaml`, `yml`, `json`, `toml`.
    pub fn of(path: &Path) -> Result<Self, Problem> {
        let extension =
            path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("yaml" | "yml") => Ok(Self::Yaml),
            Some("json") => Ok(Self::Json),
            Some("toml") => Ok(Self::Toml),
            Some(other) => Err(unknown(path, &format!("its extension .{other} names no format"))),
            None => Err(unknown(path, "it has no extension that names its format")),
        }
    }
}

fn unknown(path: &Path, message: &str) -> Problem {
    Problem::of_file(&path.display().to_string(), message)
        .suggest("let its name end in .yaml (or .yml), .json or .toml")
}
