//! Suggestions for misspelt names.

pub(crate) fn list(known: &[&str]) -> String {
    known.join(", ")
}

/// The suggestion after a name that is not one of `known`.
pub(crate) fn suggestion(wrong: &str, known: &[&str]) -> String {
    match nearest(wrong, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected one of {}", list(known)),
    }
}

pub(crate) fn nearest<'n>(wrong: &str, known: &[&'n str]) -> Option<&'n str> {
    known
        .iter()
        .map(|name| (distance(wrong, name), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The number of edits that turn one name into another: a character that is inserted, deleted, replaced or
/// swapped with the next one.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    let mut previous = None;
    for char in one.chars() {
        let mut row = vec![last.first().map_or(0, |edits| edits + 1)];
        for (at, target) in other.iter().enumerate() {
            let edits = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX - 1);
            let changed = edits(&last, at) + usize::from(char != *target);
            let mut least = changed.min(edits(&last, at + 1) + 1).min(edits(&row, at) + 1);
            let is_swap = at > 0 && other.get(at - 1) == Some(&char) && previous == Some(*target);
            if is_swap {
                least = least.min(edits(&before, at - 1) + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
        previous = Some(char);
    }
    last.pop().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (one, other, edits) in [
            ("", "", 0),
            ("", "ab", 2),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
            ("a", "a", 0),
            ("abc", "b", 2),
        ] {
            assert_eq!(
                (distance(one, other), distance(other, one)),
                (edits, edits),
                "{one} {other}"
            );
        }
    }

    #[test]
    fn suggestion_names_the_nearest_or_all() {
        let known = ["max_attempts", "max_delay"];
        assert_eq!(suggestion("max_attemps", &known), "did you mean `max_attempts`?");
        assert_eq!(suggestion("colour", &known), "expected one of max_attempts, max_delay");
    }
}
