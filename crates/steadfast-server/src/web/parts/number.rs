//! Numbers that can be read at a glance.

use maud::{Markup, html};

use crate::web::link;

/// A count with its thousands apart, by a space that does not break.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A share. Rounded down: 99.99 % is not all of them.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).floor() / 10.0)
}

/// How many of a queue's tasks are here, and the way to them.
pub(crate) fn of_queue(status: &str, queue: &str, tasks: u64) -> Markup {
    let address = link::of_queue(status, queue);
    html! { a href=(address) class=[(tasks == 0).then_some("zero")] { (count(tasks)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: large numbers can be read.
    #[test]
    fn thousands_stand_apart() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(count),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }
}
