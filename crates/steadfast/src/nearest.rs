//! The name that was probably meant.

/// A longer name is no slip of the finger, and comparing it costs its square.
const LONGEST: usize = 60;

/// The one of `names` that `wrong` was probably meant to be.
#[must_use]
pub fn nearest<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if wrong.len() > LONGEST {
        return None;
    }
    names
        .into_iter()
        .filter(|name| name.len() <= LONGEST)
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        // Something of it must be there: any letter is one slip away from any other.
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4 && *distance < wrong.len())
        // Of two that are equally near, always the same.
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_if_it_is_near() {
        assert_eq!(nearest("patint", ["fast", "patient"]), Some("patient"));
        assert_eq!(nearest("slow", ["fast", "patient"]), None);
        assert_eq!(nearest("", ["a"]), None);
        assert_eq!(nearest("b", ["a"]), None);
        assert_eq!(nearest("ab", ["b"]), Some("b"));
        let long = "a".repeat(100);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }

    /// F2: one text, one answer, in whatever order a set gives the names.
    #[test]
    fn of_two_that_are_as_near_it_is_always_the_same() {
        assert_eq!(nearest("cx", ["ax", "bx"]), Some("ax"));
        assert_eq!(nearest("cx", ["bx", "ax"]), Some("ax"));
    }
}
