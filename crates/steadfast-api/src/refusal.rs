//! What serde refuses, with the name that was probably meant.

use std::fmt;

use steadfast::nearest;

use crate::error::{ApiError, ErrorKind};

/// The nearest of the names that a refusal lists: serde puts the wrong name and then each
/// name that it expected between backticks.
#[must_use]
pub fn nearest_in_refusal(message: &str) -> Option<&str> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let wrong = quoted.next()?;
    nearest(wrong, quoted)
}

/// How serde_json begins to tell of a text that is nested too deep.
const TOO_DEEP: &str = "recursion limit exceeded";

/// What is wrong with a text that should have been `what`.
pub(crate) fn unreadable<E: fmt::Display>(
    what: &str,
    error: &serde_path_to_error::Error<E>,
) -> ApiError {
    let message = error.inner().to_string();
    let path = error.path().to_string();
    let told = ApiError::new(ErrorKind::Invalid, format!("this is not {what}: {message}"));
    let told = match path.as_str() {
        "." | "?" => told,
        _ => told.field(path),
    };
    if message.starts_with(TOO_DEEP) {
        return told.next("nest it less deep: at most 127 levels are read");
    }
    match (missing(&message), nearest_in_refusal(&message)) {
        (Some(name), _) => told.next(format!("say `{name}`, too")),
        (None, Some(near)) => told.next(format!("did you mean `{near}`?")),
        (None, None) => told,
    }
}

/// The name of the field that is not there.
fn missing(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.split('`').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F2: a near miss for unknown names, and only a near one.
    #[test]
    fn a_refusal_of_serde_names_what_was_meant() {
        let refusal = "unknown field `sqlstat`, expected one of `kind`, `sqlstate`, `hint`";
        assert_eq!(nearest_in_refusal(refusal), Some("sqlstate"));
        assert_eq!(nearest_in_refusal("expected value"), None);
        assert_eq!(nearest_in_refusal("unknown field `a`, there are no fields"), None);
    }
}
