//! What an operator writes to open a target: a network, an address or a host.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use ipnet::IpNet;
use url::Host;

/// A target that may be called although it is not public.
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
/// assert!(error.to_string().contains("write the host alone, without `http://`"));
/// # Ok::<(), steadfast_worker::handlers::TargetRuleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRule(pub(super) Opens);

/// What a rule opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opens {
    Network(IpNet),
    /// In lower case, without a final dot.
    Host(String),
}

/// A text that opens no target, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRuleError {
    text: String,
    problem: String,
}

impl fmt::Display for TargetRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a target: {}", self.text.escape_debug(), self.problem)
    }
}

impl std::error::Error for TargetRuleError {}

impl FromStr for TargetRule {
    type Err = TargetRuleError;

    fn from_str(text: &str) -> Result<Self, TargetRuleError> {
        let trimmed = text.trim();
        let opens = if trimmed.is_empty() {
            Err(format!("it is empty; {EXAMPLES}"))
        } else if let Some((scheme, _)) = trimmed.split_once("://") {
            Err(format!("write the host alone, without `{scheme}://`; {EXAMPLES}"))
        } else if trimmed.contains('/') {
            network(trimmed).map(Opens::Network)
        } else {
            address_or_host(trimmed)
        };
        opens.map(Self).map_err(|problem| TargetRuleError { text: text.to_owned(), problem })
    }
}

const EXAMPLES: &str = "write it like 10.20.0.0/16, 192.168.1.7, fd12:3456::/32 or db.internal";

fn network(text: &str) -> Result<IpNet, String> {
    let network: IpNet = text
        .parse()
        .map_err(|_| format!("it is not an address and the length of its prefix; {EXAMPLES}"))?;
    if network.addr() != network.network() {
        return Err(format!(
            "the address has more bits than the prefix; write {} for the network, or {} for the \
             address alone",
            network.trunc(),
            network.addr()
        ));
    }
    Ok(network)
}

fn address_or_host(text: &str) -> Result<Opens, String> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Ok(Opens::Network(address.to_canonical().into()));
    }
    if let Some((host, port)) = text.rsplit_once(':')
        && port.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Err(format!("a port cannot be allowed by itself; write `{host}`"));
    }
    if text.contains('*') {
        return Err("names are taken literally; write each host, or its network".to_owned());
    }
    match Host::parse(text) {
        Ok(Host::Domain(host)) if !host.is_empty() => Ok(Opens::Host(normal(&host))),
        Ok(Host::Ipv4(meant)) => Err(odd(meant)),
        _ => Err(format!("it is neither an address nor the name of a host; {EXAMPLES}")),
    }
}

fn odd(meant: Ipv4Addr) -> String {
    format!("an address is written with four decimal numbers; {meant} if that is meant")
}

/// A host's name as names are compared.
pub(super) fn normal(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

impl fmt::Display for TargetRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Opens::Network(network) if network.prefix_len() == network.max_prefix_len() => {
                network.addr().fmt(f)
            }
            Opens::Network(network) => network.fmt(f),
            Opens::Host(host) => host.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        text.parse().map(|rule: TargetRule| rule.to_string()).map_err(|error| error.to_string())
    }

    /// K2: a rule is a network, an address or a host, in the usual spellings.
    #[test]
    fn a_rule_is_a_network_an_address_or_a_host() {
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
            ("bücher.example", "xn--bcher-kva.example"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
    }

    /// K2: what cannot be a rule is answered with what to write instead.
    #[test]
    fn a_wrong_rule_says_what_to_write() {
        let cases = [
            ("", "it is empty"),
            ("http://10.0.0.7/", "without `http://`"),
            ("10.0.0.0/33", "the length of its prefix"),
            ("db.internal/8", "the length of its prefix"),
            ("10.0.0.7/8", "write 10.0.0.0/8 for the network, or 10.0.0.7 for the address alone"),
            ("10.0.0.7:80", "write `10.0.0.7`"),
            ("[::1]:80", "write `[::1]`"),
            ("*.internal", "taken literally"),
            ("10.1", "10.0.0.1 if that is meant"),
            ("0x7f000001", "127.0.0.1 if that is meant"),
            ("a b", "neither an address nor the name of a host"),
        ];
        for (text, expected) in cases {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
