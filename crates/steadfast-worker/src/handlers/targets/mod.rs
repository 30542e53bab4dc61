//! Which hosts may be called (K2).
//!
//! A task's URL is written by whoever submits it, and the worker that calls it stands inside the
//! network: on the same machine as a database, next to a metadata service. So a target must be
//! public, or allowed by a rule.
//!
//! A name is judged by the addresses it stands for, and those change from one question to the
//! next. So what is judged is what is connected to: the client's own resolver asks
//! [`Targets::check_found`], once for each connection. Addresses written into a URL never reach a
//! resolver, so [`Targets::check_url`] judges those, of the first URL and of every redirect.

mod metadata;
mod ranges;
mod refusal;
mod rule;

use std::net::IpAddr;

use ipnet::IpNet;
use url::{Host, Url};

pub(crate) use refusal::Refusal;
use rule::{Opens, normal};
pub use rule::{TargetRule, TargetRuleError};

/// The targets that may be called: public ones, and those that rules open.
///
/// The default is public ones alone.
///
/// ```
/// use steadfast_worker::handlers::Targets;
///
/// let targets = Targets::new(["10.20.0.0/16".parse()?, "db.internal".parse()?]);
/// # let _ = targets;
/// # Ok::<(), steadfast_worker::handlers::TargetRuleError>(())
/// ```
///
/// A rule for a network opens its addresses, whatever name leads there. A rule for a host opens
/// the addresses that its name stands for, and only under that name. Metadata services of clouds
/// are opened by nothing but a rule for their very address or name.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    networks: Vec<IpNet>,
    hosts: Vec<String>,
}

impl Targets {
    /// Public targets, and what these rules open.
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = TargetRule>) -> Self {
        let mut targets = Self::default();
        for TargetRule(opens) in rules {
            match opens {
                Opens::Network(network) => targets.networks.push(network),
                Opens::Host(host) => targets.hosts.push(host),
            }
        }
        targets
    }

    /// Judges a URL by what is written in it. An address is judged here for good, a name when it
    /// is looked up.
    pub(crate) fn check_url(&self, url: &Url) -> Result<(), Refusal> {
        match url.host() {
            Some(Host::Ipv4(address)) => self.check_address(address.into()),
            Some(Host::Ipv6(address)) => self.check_address(address.into()),
            Some(Host::Domain(name)) => self.check_name(&normal(name)),
            None => Ok(()),
        }
    }

    /// Judges the addresses that a name was found to stand for. One that may not be called
    /// refuses them all: which of them a connection is made to is a matter of chance.
    pub(crate) fn check_found(&self, name: &str, addresses: &[IpAddr]) -> Result<(), Refusal> {
        let name = normal(name);
        self.check_name(&name)?;
        for address in addresses {
            match self.check_address(*address) {
                Err(refusal) if !self.opens_by_name(&name, &refusal) => {
                    return Err(refusal.found_by(&name));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_name(&self, name: &str) -> Result<(), Refusal> {
        if metadata::is_name(name) && !self.has_host(name) {
            return Err(Refusal::metadata_host(name));
        }
        Ok(())
    }

    fn check_address(&self, address: IpAddr) -> Result<(), Refusal> {
        let address = address.to_canonical();
        let carried = ranges::carried(address).map(IpAddr::V4);
        let either = || [Some(address), carried].into_iter().flatten();
        if let Some(address) = either().find(|address| metadata::is_address(*address)) {
            let named = self.networks.contains(&address.into());
            return if named { Ok(()) } else { Err(Refusal::metadata(address)) };
        }
        if either().any(|address| self.networks.iter().any(|open| open.contains(&address))) {
            return Ok(());
        }
        if let Some(carried) = carried {
            return match ranges::special(carried) {
                Some(range) => Err(Refusal::carries(address, carried, range)),
                None => Ok(()),
            };
        }
        match ranges::special(address) {
            Some(range) => Err(Refusal::range(address, range)),
            None => Ok(()),
        }
    }

    /// Whether a rule for the host stands against this refusal of an address of it.
    fn opens_by_name(&self, name: &str, refusal: &Refusal) -> bool {
        self.has_host(name) && (!refusal.is_about_metadata() || metadata::is_name(name))
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
        targets.check_url(&url).map_err(|refusal| refusal.to_string())
    }

    fn found(targets: &Targets, name: &str, addresses: &[&str]) -> Result<(), String> {
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        targets.check_found(name, &addresses).map_err(|refusal| refusal.to_string())
    }

    /// K2: a network opens its addresses, in each of their forms, and no others.
    #[test]
    fn a_network_opens_its_addresses() {
        let targets = targets(&["10.20.0.0/16"]);
        for host in ["10.20.1.2", "[::ffff:10.20.1.2]", "[64:ff9b::10.20.1.2]", "1.1.1.1"] {
            assert_eq!(url(&targets, host), Ok(()), "{host}");
        }
        for host in ["10.21.0.1", "192.168.0.1", "[::ffff:10.21.0.1]", "[::10.20.1.2]"] {
            assert!(url(&targets, host).is_err(), "{host}");
        }
        assert_eq!(found(&targets, "db.internal", &["10.20.1.2"]), Ok(()));
    }

    /// K2: a host opens what its name stands for, and only under that name.
    #[test]
    fn a_host_opens_what_its_name_stands_for() {
        let targets = targets(&["db.internal"]);
        assert_eq!(found(&targets, "DB.internal.", &["10.0.0.7", "fd12::7"]), Ok(()));
        assert!(found(&targets, "other.internal", &["10.0.0.7"]).is_err());
        assert!(url(&targets, "10.0.0.7").is_err());
    }

    /// K2: one private address among public ones refuses the name.
    #[test]
    fn one_private_address_refuses_them_all() {
        let refused = found(&Targets::default(), "mixed.example", &["1.1.1.1", "10.0.0.7"]);
        assert_eq!(
            refused,
            Err(
                "mixed.example is 10.0.0.7, a private address (10.0.0.0/8), and is not called; to \
                 allow it, start the worker with --allow-target mixed.example or \
                 --allow-target 10.0.0.7"
                    .to_owned()
            )
        );
    }

    /// K2: a metadata service is opened by its very address or name, and by nothing wider.
    #[test]
    fn a_metadata_service_must_be_named() {
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
            assert!(url(&wide, host).unwrap_err().contains("a metadata service"), "{host}");
        }
        assert!(found(&wide, "db.internal", &["169.254.169.254"]).is_err());

        let named = targets(&["169.254.169.254", "metadata.google.internal"]);
        assert_eq!(url(&named, "169.254.169.254"), Ok(()));
        assert_eq!(found(&named, "metadata.google.internal", &["169.254.169.254"]), Ok(()));
    }

    /// K2: the refusal names the rule and how to allow the target.
    #[test]
    fn a_refusal_says_why_and_what_to_do() {
        assert_eq!(
            url(&Targets::default(), "0x7f.1").unwrap_err(),
            "127.0.0.1 is a loopback address (127.0.0.0/8), and is not called; to allow it, start \
             the worker with --allow-target 127.0.0.1"
        );
        assert_eq!(
            url(&Targets::default(), "[2002:7f00:1::]").unwrap_err(),
            "2002:7f00:1:: is another form of 127.0.0.1, a loopback address (127.0.0.0/8), and is \
             not called; to allow it, start the worker with --allow-target 2002:7f00:1::"
        );
    }
}
