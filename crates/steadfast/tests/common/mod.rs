//! What the tests that run whole sessions share: a world without real time, and the three
//! ways to run a session in it.

pub(crate) mod ways;
pub(crate) mod world;
