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
        .map(|name| (strsim::damerau_levenshtein(wrong, name), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestion_names_the_nearest_or_all() {
        let known = ["max_attempts", "max_delay"];
        assert_eq!(suggestion("max_attemps", &known), "did you mean `max_attempts`?");
        assert_eq!(suggestion("colour", &known), "expected one of max_attempts, max_delay");
    }
}
