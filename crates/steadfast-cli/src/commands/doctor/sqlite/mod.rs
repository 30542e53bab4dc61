//! SQLite checks: files and database.

pub(super) mod database;
pub(super) mod files;

use std::path::Path;

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
    use steadfast_store::health::{Filesystem, Pages, Space, SqliteHealth, StoreFile};

    use super::*;
    use crate::commands::doctor::units::GIB;

    pub(super) fn file(name: &str) -> StoreFile {
        StoreFile {
            path: name.into(),
            bytes: 4096,
            owner: Some(1000),
            mode: Some(0o640),
            writable: true,
        }
    }

    pub(super) fn healthy() -> SqliteHealth {
        SqliteHealth {
            file: file("tasks.db"),
            log: None,
            index: None,
            directory_writable: Ok(true),
            corruption: Ok(vec![]),
            journal: Ok("wal".to_owned()),
            pages: Ok(Pages { size: 4096, count: 1, free: 0 }),
            space: Ok(Space { free: GIB, total: GIB }),
            filesystem: Ok(Filesystem { kind: "ext4".to_owned(), network: false }),
            locked: Ok(false),
            holders: Ok(vec![]),
            ahead: Ok(None),
        }
    }

    #[test]
    fn path_is_quoted_for_shell() {
        assert_eq!(shell_quote(Path::new("/srv/tasks.db")), "/srv/tasks.db");
        assert_eq!(shell_quote(Path::new("my o'db")), "'my o'\\''db'");
    }
}
