//! Suggestions for misspelt names.

/// Longer names are not compared: the cost of a comparison is quadratic.
const MAX_NAME_BYTES: usize = 60;

/// The name that is nearest to `wrong`, if one is near enough.
#[must_use]
pub fn nearest<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if wrong.len() > MAX_NAME_BYTES {
        return None;
    }
    names
        .into_iter()
        .filter(|name| name.len() <= MAX_NAME_BYTES)
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        // At least one character must match.
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4 && *distance < wrong.len())
        // Deterministic for names at the same distance.
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_is_found_within_a_limit() {
        assert_eq!(nearest("patint", ["fast", "patient"]), Some("patient"));
        assert_eq!(nearest("slow", ["fast", "patient"]), None);
        assert_eq!(nearest("", ["a"]), None);
        assert_eq!(nearest("b", ["a"]), None);
        assert_eq!(nearest("ab", ["b"]), Some("b"));
        let long = "a".repeat(100);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }

    /// F2: the suggestion does not depend on the order of the names.
    #[test]
    fn suggestion_is_deterministic_for_equal_distances() {
        assert_eq!(nearest("cx", ["ax", "bx"]), Some("ax"));
        assert_eq!(nearest("cx", ["bx", "ax"]), Some("ax"));
    }
}
