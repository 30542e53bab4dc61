//! SQLite checks: files and database.

pub(super) mod database;
pub(super) mod files;

use std::path::Path;

/// Quotes a path for a shell.
fn shell_quote(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        return path;
    }
    format!("'{}'", path.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_quoted_for_shell() {
        assert_eq!(shell_quote(Path::new("/srv/tasks.db")), "/srv/tasks.db");
        assert_eq!(shell_quote(Path::new("my o'db")), "'my o'\\''db'");
    }
}
