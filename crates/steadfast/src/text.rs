//! `const` string functions.
//!
//! Names and rules are parsed by `const` functions, so that an attribute is validated at compile time
//! by the same code as a file at run time.

/// Joins literals with commas: `a, b, c`.
macro_rules! listed {
    ($first:literal $(, $rest:literal)* $(,)?) => { concat!($first $(, ", ", $rest)*) };
}

pub(crate) use listed;

pub(crate) const fn same(left: &str, right: &str) -> bool {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    while let ([first, rest @ ..], [other, others @ ..]) = (left, right) {
        if *first != *other {
            return false;
        }
        (left, right) = (rest, others);
    }
    left.is_empty() && right.is_empty()
}

/// `str::eq_ignore_ascii_case`, which is `const` since Rust 1.89.
pub(crate) const fn same_ignoring_case(left: &str, right: &str) -> bool {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    while let ([first, rest @ ..], [other, others @ ..]) = (left, right) {
        if !first.eq_ignore_ascii_case(other) {
            return false;
        }
        (left, right) = (rest, others);
    }
    left.is_empty() && right.is_empty()
}

pub(crate) const fn starts_with(text: &str, start: &str) -> bool {
    let (mut text, mut start) = (text.as_bytes(), start.as_bytes());
    while let [wanted, others @ ..] = start {
        match text {
            [first, rest @ ..] if *first == *wanted => (text, start) = (rest, others),
            _ => return false,
        }
    }
    true
}

/// The parts before and after the first `byte`, which must be ASCII.
pub(crate) const fn split_once(text: &str, byte: u8) -> Option<(&str, &str)> {
    let mut position = 0;
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        if *first == byte {
            let (before, from) = text.split_at(position);
            return Some((before, from.split_at(1).1));
        }
        position += 1;
        rest = others;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_compared_in_full() {
        assert!(same("", "") && same("timeout", "timeout"));
        assert!(!same("timeout", "timeouts") && !same("timeouts", "timeout"));
        assert!(!same("timeout", "timeouT"));
        assert!(same_ignoring_case("OK", "ok") && !same_ignoring_case("OK", "o"));
    }

    #[test]
    fn starts_with_agrees_with_the_standard_library() {
        for (text, start) in [("", ""), ("abc", ""), ("abc", "ab"), ("ab", "abc"), ("abc", "bc")] {
            assert_eq!(starts_with(text, start), text.starts_with(start), "{text} {start}");
        }
    }

    #[test]
    fn split_once_agrees_with_the_standard_library() {
        for text in ["", ":", "a:b", "a:b:c", "é:ü", "no", "a::b"] {
            assert_eq!(split_once(text, b':'), text.split_once(':'), "{text}");
        }
    }

    #[test]
    fn listed_joins_with_commas() {
        assert_eq!(listed!("a"), "a");
        assert_eq!(listed!("a", "b", "c",), "a, b, c");
    }
}
