//! The allow list for HTTP targets (K2).
//!
//! A task's URL comes from the client that submits it, and the worker that calls it runs inside the
//! network: on the same machine as a database, next to a metadata service. So a target must be public,
//! or allowed by a rule.
//!
//! A host name is checked by the addresses it resolves to, which may differ between two lookups. So
//! the address that is connected to is the one that is checked: the client's own resolver calls
//! [`Targets::check_resolved`] once per connection. An address in a URL never reaches the resolver, so
//! [`Targets::check_url`] checks it, in the first URL and in every redirect.

mod metadata;
mod ranges;
mod rejection;
mod rule;

use std::net::IpAddr;

use ipnet::IpNet;
use url::{Host, Url};

use rejection::Reason;
pub(crate) use rejection::Rejection;
use rule::{RuleTarget, normalize};
pub use rule::{TargetRule, TargetRuleError};

/// The targets that may be called: public ones, and those that rules allow. The default allows only
/// public ones.
///
/// ```
/// use steadfast_worker::handlers::Targets;
///
/// let targets = Targets::new(["10.20.0.0/16".parse()?, "db.internal".parse()?]);
/// # let _ = targets;
/// # Ok::<(), steadfast_worker::handlers::TargetRuleError>(())
/// ```
///
/// A rule for a network allows its addresses under any name. A rule for a host allows the addresses
/// that its name resolves to, and only under that name. The metadata services of clouds are allowed
/// only by a rule for their exact address or name.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    networks: Vec<IpNet>,
    hosts: Vec<String>,
}

impl Targets {
    /// Allows public targets and those of these rules.
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = TargetRule>) -> Self {
        let mut targets = Self::default();
        for TargetRule(target) in rules {
            match target {
                RuleTarget::Network(network) => targets.networks.push(network),
                RuleTarget::Host(host) => targets.hosts.push(host),
            }
        }
        targets
    }

    /// Checks the host of a URL. The check of an address is final, that of a name follows when it is
    /// resolved.
    pub(crate) fn check_url(&self, url: &Url) -> Result<(), Rejection> {
        match url.host() {
            Some(Host::Ipv4(address)) => self.check_address(address.into(), None),
            Some(Host::Ipv6(address)) => self.check_address(address.into(), None),
            Some(Host::Domain(name)) => self.check_name(&normalize(name)),
            None => Ok(()),
        }
    }

    /// Checks the addresses that a name resolved to. One forbidden address rejects them all, since the
    /// client may connect to any of them.
    pub(crate) fn check_resolved(&self, name: &str, addresses: &[IpAddr]) -> Result<(), Rejection> {
        let name = normalize(name);
        self.check_name(&name)?;
        addresses.iter().try_for_each(|address| self.check_address(*address, Some(&name)))
    }

    fn check_name(&self, name: &str) -> Result<(), Rejection> {
        if metadata::NAMES.contains(&name) && !self.has_host(name) {
            let (host, reason) = (name.to_owned(), Reason::Metadata);
            return Err(Rejection { host, resolved: None, reason });
        }
        Ok(())
    }

    /// Checks an address, which this name resolved to if it is not in the URL itself.
    fn check_address(&self, address: IpAddr, name: Option<&str>) -> Result<(), Rejection> {
        let address = address.to_canonical();
        let embedded = ranges::embedded(address).map(IpAddr::V4);
        let either = || [Some(address), embedded].into_iter().flatten();
        let rejected = |address: IpAddr, reason| {
            let host = name.map_or_else(|| address.to_string(), str::to_owned);
            Err(Rejection { host, resolved: name.map(|_| address), reason })
        };
        let allowed_name = name.filter(|name| self.has_host(name));
        if let Some(address) = either().find(|address| metadata::ADDRESSES.contains(address)) {
            let allowed = self.networks.contains(&address.into())
                || allowed_name.is_some_and(|name| metadata::NAMES.contains(&name));
            return if allowed { Ok(()) } else { rejected(address, Reason::Metadata) };
        }
        let in_network = |address| self.networks.iter().any(|network| network.contains(&address));
        if allowed_name.is_some() || either().any(in_network) {
            return Ok(());
        }
        match (ranges::special(embedded.unwrap_or(address)), embedded) {
            (Some(range), Some(embedded)) => rejected(address, Reason::Embeds(embedded, range)),
            (Some(range), None) => rejected(address, Reason::Range(range)),
            (None, _) => Ok(()),
        }
    }

    fn has_host(&self, name: &str) -> bool {
        self.hosts.iter().any(|host| host == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(rules: &[&str]) -> Targets {
        Targets::new(rules.iter().map(|rule| rule.parse().unwrap()))
    }

    fn url(targets: &Targets, host: &str) -> Result<(), String> {
        let url = Url::parse(&format!("http://{host}/")).unwrap();
        targets.check_url(&url).map_err(|rejection| rejection.to_string())
    }

    fn resolved(targets: &Targets, name: &str, addresses: &[&str]) -> Result<(), String> {
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        targets.check_resolved(name, &addresses).map_err(|rejection| rejection.to_string())
    }

    /// K2: a network rule allows its addresses, in each of their forms, and no others.
    #[test]
    fn network_rule_allows_only_its_addresses() {
        let targets = targets(&["10.20.0.0/16"]);
        for host in ["10.20.1.2", "[::ffff:10.20.1.2]", "[64:ff9b::10.20.1.2]", "1.1.1.1"] {
            assert_eq!(url(&targets, host), Ok(()), "{host}");
        }
        for host in ["10.21.0.1", "192.168.0.1", "[::ffff:10.21.0.1]", "[::10.20.1.2]"] {
            assert!(url(&targets, host).is_err(), "{host}");
        }
        assert_eq!(resolved(&targets, "db.internal", &["10.20.1.2"]), Ok(()));
    }

    /// K2: a host rule allows the addresses of its name, and only under that name.
    #[test]
    fn host_rule_allows_the_addresses_of_its_name() {
        let targets = targets(&["db.internal"]);
        assert_eq!(resolved(&targets, "DB.internal.", &["10.0.0.7", "fd12::7"]), Ok(()));
        assert!(resolved(&targets, "other.internal", &["10.0.0.7"]).is_err());
        assert!(url(&targets, "10.0.0.7").is_err());
    }

    /// K2: one private address among public ones rejects the name.
    #[test]
    fn name_with_one_private_address_is_rejected() {
        let rejected = resolved(&Targets::default(), "mixed.example", &["1.1.1.1", "10.0.0.7"]);
        assert_eq!(
            rejected,
            Err(
                "mixed.example resolves to 10.0.0.7, a private address (10.0.0.0/8), which is not \
                 allowed; to allow it, start the worker with --allow-target mixed.example or \
                 --allow-target 10.0.0.7"
                    .to_owned()
            )
        );
    }

    /// K2: a metadata service is allowed by its exact address or name, and by nothing wider.
    #[test]
    fn metadata_service_needs_its_own_rule() {
        let wide = targets(&["0.0.0.0/0", "::/0", "fd00::/8", "db.internal"]);
        for host in [
            "169.254.169.254",
            "[fd00:ec2::254]",
            "168.63.129.16",
            "[::ffff:169.254.169.254]",
            "[64:ff9b::169.254.169.254]",
            "metadata.google.internal",
            "METADATA.google.internal.",
        ] {
            assert!(url(&wide, host).unwrap_err().contains("a cloud metadata service"), "{host}");
        }
        assert!(resolved(&wide, "db.internal", &["169.254.169.254"]).is_err());

        let named = targets(&["169.254.169.254", "metadata.google.internal"]);
        assert_eq!(url(&named, "169.254.169.254"), Ok(()));
        assert_eq!(resolved(&named, "metadata.google.internal", &["169.254.169.254"]), Ok(()));
    }

    /// K2: the rejection names the reason and how to allow the target.
    #[test]
    fn rejection_names_the_reason_and_the_flag() {
        assert_eq!(
            url(&Targets::default(), "0x7f.1").unwrap_err(),
            "127.0.0.1 is a loopback address (127.0.0.0/8), which is not allowed; to allow it, start \
             the worker with --allow-target 127.0.0.1"
        );
        assert_eq!(
            url(&Targets::default(), "[2002:7f00:1::]").unwrap_err(),
            "2002:7f00:1:: embeds 127.0.0.1, a loopback address (127.0.0.0/8), which is not allowed; \
             to allow it, start the worker with --allow-target 2002:7f00:1::"
        );
    }
}
