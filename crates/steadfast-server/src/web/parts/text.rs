//! Text formatting.

/// An error message as a sentence: capitalised, with a full stop.
pub(crate) fn sentence(message: &str) -> String {
    let end = if message.ends_with(['.', '?']) { "" } else { "." };
    let mut letters = message.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(end.chars()).collect()
}

/// A count with its noun in singular or plural.
pub(crate) fn pluralize(count: u64, noun: &str) -> String {
    let suffix = if count == 1 { "" } else { "s" };
    format!("{} {noun}{suffix}", super::count(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: messages become sentences, and nouns agree with their count.
    #[test]
    fn messages_and_counts_are_formatted() {
        assert_eq!(sentence("requires the admin role"), "Requires the admin role.");
        assert_eq!(sentence("did you mean `type`?"), "Did you mean `type`?");
        assert_eq!(
            [0, 1, 2].map(|n| pluralize(n, "attempt")),
            ["0 attempts", "1 attempt", "2 attempts"]
        );
    }
}
