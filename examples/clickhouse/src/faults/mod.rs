//! What is done to the client, and what is counted afterwards. Nothing of it is needed to use one.

pub mod proxy;
pub mod storm;
