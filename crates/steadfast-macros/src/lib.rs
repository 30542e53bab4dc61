//! The macros of steadfast.
