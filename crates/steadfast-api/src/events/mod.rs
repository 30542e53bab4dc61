//! Events: filter and list (O1).

mod filter;
mod read;

pub use filter::EventFilter;
pub(crate) use read::read;
pub use read::{EventView, Events, EventsFrom};
