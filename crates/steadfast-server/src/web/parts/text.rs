//! Text and number formatting.

use maud::{Markup, html};

use crate::web::link;

/// A count with thousands separated by commas.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A ratio as a percentage, rounded down so that 99.99% does not become 100%.
pub(crate) fn percent(share: f64) -> String {
    format!("{}%", (share * 1000.0).floor() / 10.0)
}

/// The number of a queue's tasks in one status, linked to their list.
pub(crate) fn queue_count(status: &str, queue: &str, tasks: u64) -> Markup {
    let url = link::queue_status(status, queue);
    html! { a href=(url) class=[(tasks == 0).then_some("zero")] { (count(tasks)) } }
}

/// An error message without the code in front of it, if the message itself has it:
/// "HTTP 503, GET https://example.com returned 503 Service Unavailable", "connection_refused, GET
/// https://example.com: connection refused", "argument, payload.url: invalid host name".
pub(crate) fn error(message: &str) -> &str {
    let Some((code, rest)) = message.split_once(", ") else { return message };
    let is_repeated = match code.strip_prefix("HTTP ") {
        Some(status) => rest.contains(&format!(" returned {status} ")),
        None if code == "argument" => rest.starts_with("payload"),
        None if code == "timeout" => rest.starts_with("timed out"),
        None => code.contains('_') && rest.ends_with(&code.replace('_', " ")),
    };
    if is_repeated { rest } else { message }
}

/// The message of a failed execution: the node and the reason, then its error.
pub(crate) fn node_error(message: &str) -> String {
    match message.split_once("): ") {
        Some((node, rest)) => format!("{node}): {}", error(rest)),
        None => message.to_owned(),
    }
}

/// An error message as a sentence: capitalised, with a full stop.
pub(crate) fn sentence(message: &str) -> String {
    let end = if message.ends_with(['.', '?']) { "" } else { "." };
    let mut letters = message.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(end.chars()).collect()
}

/// A count with its noun in singular or plural.
pub(crate) fn pluralize(count: u64, noun: &str) -> String {
    let suffix = if count == 1 { "" } else { "s" };
    format!("{} {noun}{suffix}", self::count(count))
}

pub(crate) fn truncate(text: &str, max_chars: usize) -> String {
    match text.chars().count() > max_chars {
        true => text.chars().take(max_chars - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: a label fits on one line.
    #[test]
    fn long_label_is_truncated() {
        assert_eq!(truncate("short", 60), "short");
        assert_eq!(truncate(&"ü".repeat(61), 60).chars().count(), 60);
    }

    /// H2: a code is not shown if the message says the same.
    #[test]
    fn repeated_code_is_left_out() {
        let cases = [
            (
                "HTTP 503, GET a returned 503 Service Unavailable",
                "GET a returned 503 Service Unavailable",
            ),
            ("HTTP 503, busy", "HTTP 503, busy"),
            ("connection_refused, GET a: connection refused", "GET a: connection refused"),
            ("connection_refused, GET a: no response", "connection_refused, GET a: no response"),
            ("argument, payload.url: invalid host name", "payload.url: invalid host name"),
            ("timeout, timed out after 100ms", "timed out after 100ms"),
            ("busy, try later", "busy, try later"),
        ];
        for (message, shown) in cases {
            assert_eq!(error(message), shown);
        }
    }

    /// H2: large numbers are readable.
    #[test]
    fn thousands_are_separated() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
    }

    /// H2: messages become sentences, and nouns agree with their count.
    #[test]
    fn messages_and_counts_are_formatted() {
        assert_eq!(sentence("requires the admin role"), "Requires the admin role.");
        assert_eq!(sentence("did you mean `type`?"), "Did you mean `type`?");
        assert_eq!(
            [0, 1, 2].map(|n| pluralize(n, "attempt")),
            ["0 attempts", "1 attempt", "2 attempts"]
        );
    }
}
