//! Words as people write them.

/// What a program is told in passing, as a sentence.
pub(crate) fn sentence(told: &str) -> String {
    let end = if told.ends_with(['.', '?']) { "" } else { "." };
    let mut letters = told.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(end.chars()).collect()
}

/// How many there are of something: of one, the word as it is.
pub(crate) fn counted(count: u64, word: &str) -> String {
    let many = if count == 1 { "" } else { "s" };
    format!("{} {word}{many}", super::count(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: what is told in passing is a sentence on a page.
    #[test]
    fn words_are_written_as_people_do() {
        assert_eq!(sentence("this takes the role of an admin"), "This takes the role of an admin.");
        assert_eq!(sentence("did you mean `type`?"), "Did you mean `type`?");
        assert_eq!(
            [0, 1, 2].map(|n| counted(n, "attempt")),
            ["0 attempts", "1 attempt", "2 attempts"]
        );
    }
}
