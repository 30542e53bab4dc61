//! The name that was probably meant.

pub(crate) use steadfast::nearest;

/// The nearest of the names that a refusal lists: serde puts the wrong name and then each
/// name that it expected between backticks.
pub(crate) fn in_refusal(message: &str) -> Option<&str> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let wrong = quoted.next()?;
    nearest(wrong, quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F2: a near miss for unknown names, and only a near one.
    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        assert_eq!(nearest("sqll", ["grpc", "sql"]), Some("sql"));
        assert_eq!(nearest("flow", ["workflow", "sql"]), None);
    }

    #[test]
    fn a_refusal_of_serde_names_what_was_meant() {
        let refusal = "unknown field `sqlstat`, expected one of `kind`, `sqlstate`, `hint`";
        assert_eq!(in_refusal(refusal), Some("sqlstate"));
        assert_eq!(in_refusal("expected value"), None);
        assert_eq!(in_refusal("unknown field `a`, there are no fields"), None);
    }
}
