//! PostgreSQL checks: server, sessions and tables.

pub(super) mod server;
pub(super) mod sessions;
pub(super) mod tables;

/// Quotes an identifier or a literal for SQL.
fn quoted(text: &str, quote: char) -> String {
    let escaped = text.replace(quote, &format!("{quote}{quote}"));
    format!("{quote}{escaped}{quote}")
}
