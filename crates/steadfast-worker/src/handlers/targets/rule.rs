//! An allow rule for a target: a network, an address or a host.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use ipnet::IpNet;
use url::Host;

/// A rule that allows a target although it is not public.
///
/// ```
/// use steadfast_worker::handlers::TargetRule;
///
/// let rules: Vec<TargetRule> =
///     ["10.20.0.0/16", "192.168.1.7", "fd12:3456::/32", "db.internal"]
///         .iter()
///         .map(|rule| rule.parse())
///         .collect::<Result<_, _>>()?;
/// assert_eq!(rules[1].to_string(), "192.168.1.7");
///
/// let error = "http://db.internal/".parse::<TargetRule>().unwrap_err();
/// assert!(error.to_string().contains("use the host without `http://`"));
/// # Ok::<(), steadfast_worker::handlers::TargetRuleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRule(pub(super) RuleTarget);

/// The target of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RuleTarget {
    Network(IpNet),
    /// In lower case, without a final dot.
    Host(String),
}

/// An invalid target rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRuleError {
    text: String,
    problem: String,
}

impl fmt::Display for TargetRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid target `{}`: {}", self.text.escape_debug(), self.problem)
    }
}

impl std::error::Error for TargetRuleError {}

impl FromStr for TargetRule {
    type Err = TargetRuleError;

    fn from_str(text: &str) -> Result<Self, TargetRuleError> {
        let trimmed = text.trim();
        let target = if trimmed.is_empty() {
            Err(format!("must not be empty; {EXAMPLES}"))
        } else if let Some((scheme, _)) = trimmed.split_once("://") {
            Err(format!("use the host without `{scheme}://`; {EXAMPLES}"))
        } else if trimmed.contains('/') {
            network(trimmed).map(RuleTarget::Network)
        } else {
            address_or_host(trimmed)
        };
        target.map(Self).map_err(|problem| TargetRuleError { text: text.to_owned(), problem })
    }
}

const EXAMPLES: &str = "examples: 10.20.0.0/16, 192.168.1.7, fd12:3456::/32, db.internal";

fn network(text: &str) -> Result<IpNet, String> {
    let network: IpNet =
        text.parse().map_err(|_| format!("not an address with a prefix length; {EXAMPLES}"))?;
    if network.addr() != network.network() {
        return Err(format!(
            "the address has bits beyond the prefix; use {} for the network, or {} for the address \
             alone",
            network.trunc(),
            network.addr()
        ));
    }
    Ok(network)
}

fn address_or_host(text: &str) -> Result<RuleTarget, String> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Ok(RuleTarget::Network(address.to_canonical().into()));
    }
    if let Some((host, port)) = text.rsplit_once(':')
        && port.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Err(format!("ports are not supported; use `{host}`"));
    }
    if text.contains('*') {
        return Err("wildcards are not supported; list each host, or its network".to_owned());
    }
    match Host::parse(text) {
        Ok(Host::Domain(host)) if is_host_name(&host) => Ok(RuleTarget::Host(normalize(&host))),
        Ok(Host::Ipv4(address)) => Err(not_dotted_decimal(address)),
        _ => Err(format!("neither an address nor a host name; {EXAMPLES}")),
    }
}

/// Letters, digits, hyphens and underscores between dots. A URL accepts more, but no service has
/// such a name.
fn is_host_name(host: &str) -> bool {
    let is_label = |label: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !label.is_empty() && label.bytes().all(is_allowed)
    };
    host.strip_suffix('.').unwrap_or(host).split('.').all(is_label)
}

fn not_dotted_decimal(address: Ipv4Addr) -> String {
    format!("an IPv4 address has four decimal numbers; did you mean `{address}`?")
}

/// A host name in the form in which names are compared.
pub(super) fn normalize(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

impl fmt::Display for TargetRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            RuleTarget::Network(network) if network.prefix_len() == network.max_prefix_len() => {
                network.addr().fmt(f)
            }
            RuleTarget::Network(network) => network.fmt(f),
            RuleTarget::Host(host) => host.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, String> {
        text.parse().map(|rule: TargetRule| rule.to_string()).map_err(|error| error.to_string())
    }

    /// K2: a rule is a network, an address or a host, in the usual spellings.
    #[test]
    fn rule_in_any_usual_spelling_is_parsed() {
        let cases = [
            ("10.0.0.0/8", "10.0.0.0/8"),
            (" 10.0.0.7 ", "10.0.0.7"),
            ("10.0.0.7/32", "10.0.0.7"),
            ("::1", "::1"),
            ("[::1]", "::1"),
            ("::ffff:10.0.0.7", "10.0.0.7"),
            ("fd00::/8", "fd00::/8"),
            ("localhost", "localhost"),
            ("DB.Internal.", "db.internal"),
            ("queue_1.db-2.internal", "queue_1.db-2.internal"),
            ("bücher.example", "xn--bcher-kva.example"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).as_deref(), Ok(expected), "{text}");
        }
    }

    /// K2: the error of an invalid rule says what to use instead.
    #[test]
    fn invalid_rule_error_says_what_to_use() {
        let cases = [
            ("", "must not be empty"),
            ("http://10.0.0.7/", "without `http://`"),
            ("10.0.0.0/33", "prefix length"),
            ("db.internal/8", "prefix length"),
            ("10.0.0.7/8", "use 10.0.0.0/8 for the network, or 10.0.0.7 for the address alone"),
            ("10.0.0.7:80", "use `10.0.0.7`"),
            ("[::1]:80", "use `[::1]`"),
            ("*.internal", "wildcards are not supported"),
            ("10.1", "did you mean `10.0.0.1`?"),
            ("0x7f000001", "did you mean `127.0.0.1`?"),
            ("a b", "neither an address nor a host name"),
            ("!", "neither an address nor a host name"),
            ("db..internal", "neither an address nor a host name"),
        ];
        for (text, expected) in cases {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
