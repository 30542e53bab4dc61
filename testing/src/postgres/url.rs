//! Which database a URL names.

use crate::Error;

/// What PostgreSQL keeps of a name; it cuts the rest off.
const LONGEST: usize = 63;

/// Whether it is a URL of PostgreSQL's.
pub(super) fn is_postgres(url: &str) -> bool {
    with_database(url, "postgres").is_some()
}

/// The same server's URL with another database, `None` if it is none of PostgreSQL's.
pub(super) fn with_database(url: &str, database: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !matches!(scheme, "postgres" | "postgresql") {
        return None;
    }
    let (place, query) = match rest.split_once('?') {
        Some((place, query)) => (place, format!("?{query}")),
        None => (rest, String::new()),
    };
    let server = place.split_once('/').map_or(place, |(server, _)| server);
    Some(format!("{scheme}://{server}/{database}{query}"))
}

/// Refuses a name that would have to be quoted in a statement or in a URL.
pub(super) fn check_name(database: &str) -> Result<(), Error> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let starts_well = database.starts_with(|c: char| c.is_ascii_lowercase());
    if starts_well && database.len() <= LONGEST && database.chars().all(plain) {
        return Ok(());
    }
    Err(Error::new(
        format!("`{}` cannot be the name of a database here", database.escape_debug()),
        format!("use at most {LONGEST} of a-z, 0-9 and _, a letter first"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_database_of_a_url_changes() {
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
    fn a_url_of_something_else_is_refused() {
        for url in ["", "sqlite://file", "host=localhost", "mysql://h/old"] {
            assert_eq!(with_database(url, "new"), None, "{url}");
        }
    }

    #[test]
    fn a_name_that_needs_quoting_is_refused() {
        assert!(check_name("tasks_2").is_ok());
        for name in ["", "Tasks", "2", "a b", "a\"; DROP", "a/b", &"a".repeat(64)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
