//! One rule of `retry_on` or `abort_on`.
//!
//! | rule | matches |
//! |---|---|
//! | `any` | every fault |
//! | `message:TEXT` | a message that contains TEXT, a last resort |
//! | `TimeoutError`, `type:NAME` | the type's name, with or without its path |
//! | `5xx` | an HTTP status of that hundred |
//! | `08`, `sqlstate:08` | a SQLSTATE of that class |
//! | `timeout`, `connection`, `pool`, `tls`, `request` | a kind of that family |
//! | `503`, `http:503` | that HTTP status |
//! | `40P01`, `sqlstate:40P01` | that SQLSTATE |
//! | `io:connection_reset`, `kind:pool_timeout` | that kind |
//! | `grpc:UNAVAILABLE` | that gRPC status |
//! | `exit:75` | that exit code |
//!
//! From top to bottom they grow more specific: a code says more about a failure
//! than a family, a family more than the type that carried it, and a text
//! says least. Within a row the longer one is the more specific; a prefix that only
//! says which row is meant adds nothing.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::fault::{Family, Fault, GrpcCode, Kind, SqlState};

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

#[derive(Clone, Debug, PartialEq, Eq)]
enum Matcher {
    Any,
    Message(Box<str>),
    Type(Box<str>),
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
    /// The rule as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the rule speaks of this fault.
    #[must_use]
    pub fn matches(&self, fault: &Fault) -> bool {
        match &self.matcher {
            Matcher::Any => true,
            Matcher::Message(part) => {
                fault.message.as_deref().is_some_and(|message| message.contains(&**part))
            }
            Matcher::Type(name) => {
                fault.type_name.as_deref().is_some_and(|full| is_type(full, name))
                    || fault.kind.is_some_and(|kind| known_as(name) == Some(kind.family()))
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

    pub(super) fn reads_message(&self) -> bool {
        matches!(self.matcher, Matcher::Message(_))
    }

    pub(super) fn specificity(&self) -> impl Ord + use<> {
        let tier = match self.matcher {
            Matcher::Any => 0,
            Matcher::Message(_) => 1,
            Matcher::Type(_) => 2,
            Matcher::HttpHundred(_) | Matcher::SqlClass(_) | Matcher::Family(_) => 3,
            _ => 4,
        };
        (tier, named(&self.text).1.len())
    }
}

/// What a rule says it names, if it says, and the name. A path is no prefix.
fn named(text: &str) -> (Option<&str>, &str) {
    match text.split_once(':') {
        Some((prefix, name)) if !name.starts_with(':') => (Some(prefix), name),
        _ => (None, text),
    }
}

/// `sqlx::Error` and `requests.Error` are types of those paths; `Error` is one of that last name.
fn is_type(full: &str, name: &str) -> bool {
    full.strip_suffix(name)
        .is_some_and(|path| path.is_empty() || path.ends_with("::") || path.ends_with('.'))
}

/// Names that files from other languages use for whole families of failure, so
/// that such a file means here what it meant there.
fn known_as(name: &str) -> Option<Family> {
    match name {
        "TimeoutError" => Some(Family::Timeout),
        "ConnectionError" | "NetworkError" => Some(Family::Connection),
        "PoolTimeout" => Some(Family::Pool),
        "SSLError" => Some(Family::Tls),
        _ => None,
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let trimmed = text.trim();
        let matcher = match named(trimmed) {
            (Some(prefix), name) => prefixed(prefix, name),
            (None, name) => bare(name),
        };
        let matcher = matcher.ok_or_else(|| RuleError { text: text.to_owned() })?;
        Ok(Self { text: trimmed.into(), matcher })
    }
}

fn prefixed(prefix: &str, rest: &str) -> Option<Matcher> {
    match prefix {
        "http" => http(rest),
        "sqlstate" => SqlState::new(rest).and_then(sql),
        "io" | "kind" => rest.parse().ok().map(Matcher::Kind),
        "grpc" => rest.parse().ok().map(Matcher::Grpc),
        "exit" => rest.parse().ok().map(Matcher::Exit),
        "type" => type_name(rest),
        "message" if !rest.is_empty() => Some(Matcher::Message(rest.into())),
        _ => None,
    }
}

fn bare(text: &str) -> Option<Matcher> {
    if text == "any" {
        return Some(Matcher::Any);
    }
    if let Some(family) = Family::named(text) {
        return Some(Matcher::Family(family));
    }
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        && let Some(found) = SqlState::new(text).and_then(sql)
    {
        return Some(found);
    }
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return http(text);
    }
    if let Ok(kind) = text.parse() {
        return Some(Matcher::Kind(kind));
    }
    type_name(text)
}

fn http(text: &str) -> Option<Matcher> {
    if let Some(hundred) = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX")) {
        let hundred = hundred.parse().ok()?;
        return (1..=5).contains(&hundred).then_some(Matcher::HttpHundred(hundred));
    }
    let status = text.parse().ok()?;
    (text.len() == 3 && (100..=599).contains(&status)).then_some(Matcher::Http(status))
}

/// Two characters are a class, five a code, and nothing between is either.
fn sql(state: SqlState) -> Option<Matcher> {
    match state.as_str().len() {
        2 => Some(Matcher::SqlClass(state)),
        5 => Some(Matcher::SqlState(state)),
        _ => None,
    }
}

fn type_name(text: &str) -> Option<Matcher> {
    let is_path = text.split("::").flat_map(|part| part.split('.')).all(is_identifier);
    is_path.then(|| Matcher::Type(text.into()))
}

fn is_identifier(part: &str) -> bool {
    part.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && part.chars().all(|char| char.is_alphanumeric() || char == '_')
}

/// A text that is no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    text: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a rule; rules are like 5xx, 503, 08, 40P01, timeout, connection, \
             io:connection_reset, tls, grpc:UNAVAILABLE, exit:75, a type's name, or any",
            self.text
        )
    }
}

impl std::error::Error for RuleError {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// YAML reads `503` as a number.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(i64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        text.parse().map_err(de::Error::custom)
    }
}
