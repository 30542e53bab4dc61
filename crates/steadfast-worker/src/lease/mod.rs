//! Leases: those that the worker holds, and the heartbeat that renews them.

mod heartbeat;
mod held_leases;

pub(crate) use heartbeat::Heartbeat;
pub(crate) use held_leases::HeldLeases;
