//! Parser of whole numbers in a range, with the range in its error.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::builder::TypedValueParser;

/// Like clap's own, whose error has the range in Rust's syntax.
pub(crate) fn whole_number<N>(range: RangeInclusive<N>) -> impl TypedValueParser<Value = N>
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let problem =
            || format!("must be a whole number from {} to {}", range.start(), range.end());
        number.ok_or_else(problem)
    }
}
