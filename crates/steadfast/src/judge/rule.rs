//! Rules of `retry_on` and `abort_on`.
//!
//! | rule | matches |
//! |---|---|
//! | `any` | every fault |
//! | `message:TEXT` | a message that contains TEXT; a last resort |
//! | `TimeoutError`, `type:NAME` | the type's name, with or without its path |
//! | `5xx` | an HTTP status of that hundred |
//! | `08`, `sqlstate:08` | a SQLSTATE of that class |
//! | `timeout`, `connection`, `pool`, `tls`, `request` | a kind of that family |
//! | `503`, `http:503` | that HTTP status |
//! | `40P01`, `sqlstate:40P01` | that SQLSTATE |
//! | `dns`, `io:connection_reset`, `kind:pool_timeout` | that kind |
//! | `grpc:UNAVAILABLE` | that gRPC status |
//! | `exit:75` | that exit code |
//!
//! The table is ordered by specificity, the most specific last: a code is more specific than a
//! family, a family more than a type, and a message is the least specific. Within a row the longer
//! rule is more specific; a prefix that only selects the row does not count.

use std::fmt;
use std::str::FromStr;

use crate::fault::{Family, Fault, GrpcCode, Kind, SqlState};
use crate::text;

/// A rule that matches faults: the module's table lists its forms.
///
/// ```
/// use steadfast::Fault;
/// use steadfast::judge::Rule;
///
/// let rule: Rule = "5xx".parse()?;
/// assert!(rule.matches(&Fault::http(503)));
/// assert!("5yx".parse::<Rule>().is_err());
/// # Ok::<(), steadfast::judge::RuleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    text: Box<str>,
    matcher: Matcher,
}

/// `Message` and `Type` match the rule's [`value`](Rule::value).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matcher {
    Any,
    Message,
    Type,
    HttpHundred(u16),
    SqlClass(SqlState),
    Family(Family),
    Http(u16),
    SqlState(SqlState),
    Kind(Kind),
    Grpc(GrpcCode),
    Exit(i32),
}

impl Rule {
    /// The text of the rule.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the rule matches this fault.
    #[must_use]
    pub fn matches(&self, fault: &Fault) -> bool {
        match &self.matcher {
            Matcher::Any => true,
            Matcher::Message => {
                fault.message.as_deref().is_some_and(|message| message.contains(self.value()))
            }
            Matcher::Type => {
                let name = self.value();
                let own = fault.type_name.as_deref();
                own.is_some_and(|full| is_type(full, name))
                    || own.is_none_or(|full| !is_family_alias(full))
                        && fault
                            .kind
                            .is_some_and(|kind| family_of_alias(name) == Some(kind.family()))
            }
            Matcher::HttpHundred(hundred) => {
                fault.http_status.is_some_and(|status| status / 100 == *hundred)
            }
            Matcher::SqlClass(class) => {
                fault.sqlstate.is_some_and(|state| state.class() == class.as_str())
            }
            Matcher::Family(family) => fault.kind.is_some_and(|kind| kind.family() == *family),
            Matcher::Http(status) => fault.http_status == Some(*status),
            Matcher::SqlState(state) => fault.sqlstate == Some(*state),
            Matcher::Kind(kind) => fault.kind == Some(*kind),
            Matcher::Grpc(code) => fault.grpc_status == Some(*code),
            Matcher::Exit(code) => fault.exit_code == Some(*code),
        }
    }

    /// The rule without its prefix.
    fn value(&self) -> &str {
        split_prefix(&self.text).1
    }

    pub(super) fn reads_message(&self) -> bool {
        self.matcher == Matcher::Message
    }

    pub(super) fn specificity(&self) -> impl Ord + use<> {
        let tier = match self.matcher {
            Matcher::Any => 0,
            Matcher::Message => 1,
            Matcher::Type => 2,
            Matcher::HttpHundred(_) | Matcher::SqlClass(_) | Matcher::Family(_) => 3,
            _ => 4,
        };
        (tier, self.value().len())
    }
}

/// The prefix of a rule, if it has one, and the name. `::` does not end a prefix.
const fn split_prefix(text: &str) -> (Option<&str>, &str) {
    match text::split_once(text, b':') {
        Some((prefix, name)) if !matches!(name.as_bytes(), [b':', ..]) => (Some(prefix), name),
        _ => (None, text),
    }
}

/// `sqlx::Error` and `requests.Error` are types of those paths; `Error` is one of that last name.
fn is_type(full: &str, name: &str) -> bool {
    full.strip_suffix(name)
        .is_some_and(|path| path.is_empty() || path.ends_with("::") || path.ends_with('.'))
}

/// Whether a type has one of the alias names itself: then only that alias matches it.
fn is_family_alias(full: &str) -> bool {
    let name = full.rsplit([':', '.']).next().unwrap_or(full);
    family_of_alias(name).is_some()
}

/// Exception names of other languages that stand for a family of failures, so that policy files from
/// those languages keep their meaning.
fn family_of_alias(name: &str) -> Option<Family> {
    match name {
        "TimeoutError" => Some(Family::Timeout),
        "ConnectionError" | "NetworkError" => Some(Family::Connection),
        "PoolTimeout" => Some(Family::Pool),
        "SSLError" => Some(Family::Tls),
        _ => None,
    }
}

impl Rule {
    /// Whether a text is a valid rule. Usable in constants:
    ///
    /// ```
    /// use steadfast::judge::Rule;
    ///
    /// const _: () = assert!(Rule::is_rule("5xx") && !Rule::is_rule("5yx"));
    /// ```
    #[must_use]
    pub const fn is_rule(text: &str) -> bool {
        parse(text.trim_ascii()).is_some()
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let trimmed = text.trim_ascii();
        let matcher = parse(trimmed).ok_or_else(|| RuleError { text: text.to_owned() })?;
        Ok(Self { text: trimmed.into(), matcher })
    }
}

/// The grammar. It is `const`, so that a rule in an attribute is parsed by the same code.
const fn parse(text: &str) -> Option<Matcher> {
    match split_prefix(text) {
        (Some(prefix), name) => prefixed(prefix, name),
        (None, name) => bare(name),
    }
}

const fn prefixed(prefix: &str, rest: &str) -> Option<Matcher> {
    match prefix.as_bytes() {
        b"http" => http(rest),
        b"sqlstate" => sql(rest),
        b"io" | b"kind" => kind(rest),
        b"grpc" => match GrpcCode::named(rest) {
            Some(code) => Some(Matcher::Grpc(code)),
            None => None,
        },
        b"exit" => match i32::from_str_radix(rest, 10) {
            Ok(code) => Some(Matcher::Exit(code)),
            Err(_) => None,
        },
        b"type" => type_name(rest),
        b"message" if !rest.is_empty() => Some(Matcher::Message),
        _ => None,
    }
}

const fn bare(text: &str) -> Option<Matcher> {
    if text::same(text, "any") {
        return Some(Matcher::Any);
    }
    if let Some(family) = Family::named(text) {
        return Some(Matcher::Family(family));
    }
    if is_uppercase(text)
        && let Some(found) = sql(text)
    {
        return Some(found);
    }
    if matches!(text.as_bytes(), [b'0'..=b'9', ..]) {
        return http(text);
    }
    match kind(text) {
        None => type_name(text),
        found => found,
    }
}

const fn kind(name: &str) -> Option<Matcher> {
    match Kind::named(name) {
        Some(kind) => Some(Matcher::Kind(kind)),
        None => None,
    }
}

const fn http(text: &str) -> Option<Matcher> {
    match text.as_bytes() {
        [hundred @ b'1'..=b'5', b'x', b'x'] | [hundred @ b'1'..=b'5', b'X', b'X'] => {
            Some(Matcher::HttpHundred((*hundred - b'0') as u16))
        }
        [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9'] => match u16::from_str_radix(text, 10) {
            Ok(status) => Some(Matcher::Http(status)),
            Err(_) => None,
        },
        _ => None,
    }
}

/// Two characters are a class, five are a code; other lengths are invalid.
const fn sql(text: &str) -> Option<Matcher> {
    match (SqlState::new(text), text.trim_ascii().len()) {
        (Some(class), 2) => Some(Matcher::SqlClass(class)),
        (Some(state), 5) => Some(Matcher::SqlState(state)),
        _ => None,
    }
}

const fn is_uppercase(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let [byte, others @ ..] = rest {
        if !byte.is_ascii_digit() && !byte.is_ascii_uppercase() {
            return false;
        }
        rest = others;
    }
    true
}

/// A path of identifiers, separated by `::` or `.`. All characters beyond ASCII are accepted, because
/// `const` code cannot classify them yet.
const fn type_name(text: &str) -> Option<Matcher> {
    let mut rest = text.as_bytes();
    let mut at_start = true;
    while let [byte, others @ ..] = rest {
        (at_start, rest) = match (byte, others) {
            (b'.', _) if !at_start => (true, others),
            (b':', [b':', others @ ..]) if !at_start => (true, others),
            (b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.., _) => (false, others),
            (b'0'..=b'9', _) if !at_start => (false, others),
            _ => return None,
        };
    }
    if at_start { None } else { Some(Matcher::Type) }
}

/// A text that is not a valid rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    text: String,
}

impl RuleError {
    /// The message for an invalid rule.
    #[doc(hidden)]
    pub const EXPECTED: &'static str = "not a rule; use one such as 5xx, 503, 08, 40P01, timeout, \
        connection, io:connection_reset, tls, grpc:UNAVAILABLE, exit:75, message:TEXT, \
        a type name, or any";
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text.trim_ascii();
        match split_prefix(text) {
            (None, "") => f.write_str("empty rule"),
            (Some("io" | "kind"), kind) if !kind.is_empty() => {
                write!(f, "unknown I/O kind `{kind}`; use one such as connection_reset or timeout")
            }
            (Some("grpc"), status) if !status.is_empty() => {
                write!(f, "unknown gRPC status `{status}`; use one such as UNAVAILABLE")
            }
            _ => write!(f, "`{}` is {}", self.text, Self::EXPECTED),
        }
    }
}

impl std::error::Error for RuleError {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_rule(text: &str) -> Option<Rule> {
        text.parse().ok()
    }

    fn parse_matcher(text: &str) -> Option<Matcher> {
        let rule = parse_rule(text).map(|rule| rule.matcher);
        assert_eq!(rule.is_some(), Rule::is_rule(text), "{text}");
        rule
    }

    /// J10: an error names what is unknown.
    #[test]
    fn error_names_the_unknown_part() {
        for (text, message) in [
            ("io:foo", "unknown I/O kind `foo`; "),
            ("grpc:FOO", "unknown gRPC status `FOO`; "),
            (" ", "empty rule"),
            ("io:", "`io:` is not a rule; "),
            ("5yx", "`5yx` is not a rule; use one such as 5xx, "),
        ] {
            let error = text.parse::<Rule>().unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
        assert!(RuleError::EXPECTED.contains("message:TEXT"));
    }

    /// J10: all forms of a rule.
    #[test]
    fn valid_rules_are_parsed() {
        let state = |text| SqlState::new(text).unwrap();
        for (text, matcher) in [
            ("any", Matcher::Any),
            (" 5xx ", Matcher::HttpHundred(5)),
            ("4XX", Matcher::HttpHundred(4)),
            ("503", Matcher::Http(503)),
            ("http:408", Matcher::Http(408)),
            ("08", Matcher::SqlClass(state("08"))),
            ("XX", Matcher::SqlClass(state("XX"))),
            ("40P01", Matcher::SqlState(state("40P01"))),
            ("sqlstate:40p01", Matcher::SqlState(state("40P01"))),
            ("timeout", Matcher::Family(Family::Timeout)),
            ("io:timeout", Matcher::Kind(Kind::Timeout)),
            ("broken_pipe", Matcher::Kind(Kind::BrokenPipe)),
            ("grpc:unavailable", Matcher::Grpc(GrpcCode::Unavailable)),
            ("exit:-1", Matcher::Exit(-1)),
            ("message:too many", Matcher::Message),
        ] {
            assert_eq!(parse_matcher(text), Some(matcher), "{text}");
        }
        for name in ["TimeoutError", "sqlx::Error", "java.io.IOException", "_x9", "Störung"] {
            assert_eq!(parse_matcher(name), Some(Matcher::Type), "{name}");
        }
        assert_eq!(parse_matcher("type:any"), Some(Matcher::Type));
        for (text, value) in
            [("sqlx::Error", "sqlx::Error"), ("type:any", "any"), ("message:too many", "too many")]
        {
            assert_eq!(parse_rule(text).unwrap().value(), value);
        }
    }

    /// J10: a text that resembles a rule is rejected.
    #[test]
    fn invalid_rules_are_rejected() {
        for text in [
            "",
            " ",
            "5yx",
            "6xx",
            "0xx",
            "600",
            "5000",
            "http:",
            "http:40P01",
            "sqlstate:4",
            "sqlstate:400",
            "io:no_such_kind",
            "grpc:NO_SUCH_CODE",
            "exit:x",
            "type:",
            "message:",
            "other:thing",
            "a b",
            "a::",
            "::a",
            "a:::b",
            "a..b",
            ".a",
            "9lives",
            "a-b",
        ] {
            assert_eq!(parse_matcher(text), None, "{text}");
        }
    }

    /// The names in rules are the names in faults.
    #[test]
    fn every_name_round_trips() {
        assert!(Kind::ALL.iter().all(|kind| Kind::named(kind.name()) == Some(*kind)));
        let codes = (0..=16).filter_map(GrpcCode::from_number);
        assert_eq!(codes.clone().filter_map(|code| GrpcCode::named(code.name())).count(), 17);
        assert!(codes.enumerate().all(|(number, code)| i32::from(code) == number as i32));
    }
}
