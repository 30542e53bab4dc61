//! What is PostgreSQL's own: the server, the sessions on it, and the store's tables.

pub(super) mod server;
pub(super) mod sessions;
pub(super) mod tables;

/// A name or a text as SQL wants it between quotes.
fn quoted(text: &str, quote: char) -> String {
    let escaped = text.replace(quote, &format!("{quote}{quote}"));
    format!("{quote}{escaped}{quote}")
}
