//! The other side: what a scraper meets out there, on loopback and on demand.

mod collector;
mod site;

pub use collector::Collector;
pub use site::Site;
