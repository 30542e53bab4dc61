//! Test servers on the loopback interface: a site and a collector.

mod collector;
mod site;

pub use collector::Collector;
pub use site::Site;
