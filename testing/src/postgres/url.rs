//! The database in a PostgreSQL URL.

use crate::Error;

/// PostgreSQL truncates longer names.
const MAX_NAME_BYTES: usize = 63;

/// Whether this is a PostgreSQL URL.
pub(super) fn is_postgres(url: &str) -> bool {
    with_database(url, "postgres").is_some()
}

/// The URL of another database on the same server; `None` if it is not a PostgreSQL URL.
pub(super) fn with_database(url: &str, database: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !matches!(scheme, "postgres" | "postgresql") {
        return None;
    }
    let (location, query) = match rest.split_once('?') {
        Some((location, query)) => (location, format!("?{query}")),
        None => (rest, String::new()),
    };
    let server = location.split_once('/').map_or(location, |(server, _)| server);
    Some(format!("{scheme}://{server}/{database}{query}"))
}

/// Rejects a name that needs quoting in a statement or in a URL.
pub(super) fn check_name(database: &str) -> Result<(), Error> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let starts_with_letter = database.starts_with(|c: char| c.is_ascii_lowercase());
    if starts_with_letter && database.len() <= MAX_NAME_BYTES && database.chars().all(is_plain) {
        return Ok(());
    }
    Err(Error::new(
        format!("invalid database name `{}`", database.escape_debug()),
        format!(
            "use at most {MAX_NAME_BYTES} characters of a-z, 0-9 and _, starting with a letter"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_database_replaces_only_the_database() {
        let cases = [
            ("postgres://h/old", "postgres://h/new"),
            ("postgres://h", "postgres://h/new"),
            (
                "postgresql://u:p@h:1/old?sslmode=require",
                "postgresql://u:p@h:1/new?sslmode=require",
            ),
            ("postgres:///old?host=/run/pg", "postgres:///new?host=/run/pg"),
            ("postgres://h?user=u", "postgres://h/new?user=u"),
        ];
        for (url, expected) in cases {
            assert_eq!(with_database(url, "new").as_deref(), Some(expected));
        }
    }

    #[test]
    fn url_of_another_database_is_rejected() {
        for url in ["", "sqlite://file", "host=localhost", "mysql://h/old"] {
            assert_eq!(with_database(url, "new"), None, "{url}");
        }
    }

    #[test]
    fn name_that_needs_quoting_is_rejected() {
        assert!(check_name("tasks_2").is_ok());
        for name in ["", "Tasks", "2", "a b", "a\"; DROP", "a/b", &"a".repeat(64)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
