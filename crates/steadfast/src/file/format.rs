//! The three formats of a policy file.

use std::path::Path;

use super::Problem;

/// The format of a policy file.
///
/// ```
/// use steadfast::file::Format;
///
/// assert_eq!(Format::of("deploy/steadfast.yml".as_ref())?, Format::Yaml);
/// # Ok::<(), steadfast::file::Problem>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// YAML 1.2: `.yaml`, `.yml`.
    Yaml,
    /// JSON, without comments: `.json`.
    Json,
    /// TOML 1.1: `.toml`.
    Toml,
}

impl Format {
    /// The format of a file by its extension.
    ///
    /// # Errors
    /// The extension is not `yaml`, `yml`, `json` or `toml`.
    pub fn of(path: &Path) -> Result<Self, Problem> {
        let extension =
            path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("yaml" | "yml") => Ok(Self::Yaml),
            Some("json") => Ok(Self::Json),
            Some("toml") => Ok(Self::Toml),
            Some(other) => Err(unknown(path, &format!("unknown file extension .{other}"))),
            None => Err(unknown(path, "no file extension")),
        }
    }
}

fn unknown(path: &Path, message: &str) -> Problem {
    Problem::of_file(&path.display().to_string(), message)
        .suggest("use .yaml, .yml, .json or .toml")
}
