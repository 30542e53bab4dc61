//! Who may do what (K1).
//!
//! A server that anybody in reach can talk to is asked by people and programs that it has to
//! tell apart. There are three things to know, and each is asked in one place: who it is
//! ([`gate`]), what that one may do ([`Role`]), and whether a handler's question needs more than
//! that ([`ask`](crate::ask)). Nothing reaches a handler without having passed the gate.

mod gate;
mod role;

pub(crate) use gate::gate;
pub use role::Role;
