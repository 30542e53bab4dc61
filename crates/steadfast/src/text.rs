//! Texts that the compiler can compare.
//!
//! Names and rules are read by `const` functions, so that one in an attribute is refused
//! when the program is compiled, by the same code that reads one in a file.

/// Literals as one list for people: `a, b, c`.
macro_rules! listed {
    ($first:literal $(, $rest:literal)* $(,)?) => { concat!($first $(, ", ", $rest)*) };
}

pub(crate) use listed;

/// Whether two texts are the same.
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

/// What stands before and after the first `byte`, which must be ASCII.
pub(crate) const fn split_once(text: &str, byte: u8) -> Option<(&str, &str)> {
    let mut place = 0;
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        if *first == byte {
            let (before, from) = text.split_at(place);
            return Some((before, from.split_at(1).1));
        }
        place += 1;
        rest = others;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_to_the_last_letter() {
        assert!(same("", "") && same("timeout", "timeout"));
        assert!(!same("timeout", "timeouts") && !same("timeouts", "timeout"));
        assert!(!same("timeout", "timeouT"));
    }

    #[test]
    fn texts_are_split_as_the_standard_library_splits_them() {
        for text in ["", ":", "a:b", "a:b:c", "é:ü", "no", "a::b"] {
            assert_eq!(split_once(text, b':'), text.split_once(':'), "{text}");
        }
    }

    #[test]
    fn a_list_has_commas_between() {
        assert_eq!(listed!("a"), "a");
        assert_eq!(listed!("a", "b", "c",), "a, b, c");
    }
}
