//! Names that can be mistyped.

/// `known` as a list for people.
pub(crate) fn list(known: &[&str]) -> String {
    known.join(", ")
}

/// What to say after a name that is none of `known`.
pub(crate) fn suggestion(wrong: &str, known: &[&str]) -> String {
    match nearest(wrong, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", list(known)),
    }
}

/// The name that was probably meant.
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
    fn a_slip_is_answered_with_the_name_meant() {
        let known = ["max_attempts", "max_delay"];
        assert_eq!(suggestion("max_attemps", &known), "did you mean `max_attempts`?");
        assert_eq!(suggestion("colour", &known), "there are max_attempts, max_delay");
    }
}
