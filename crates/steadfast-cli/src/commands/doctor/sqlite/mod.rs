//! What is SQLite's own: the files, and what SQLite says of them.

pub(super) mod database;
pub(super) mod files;

use std::path::Path;

/// A path that a shell takes as one word.
fn word(path: &Path) -> String {
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
    fn a_path_can_be_copied_into_a_shell() {
        assert_eq!(word(Path::new("/srv/tasks.db")), "/srv/tasks.db");
        assert_eq!(word(Path::new("my o'db")), "'my o'\\''db'");
    }
}
