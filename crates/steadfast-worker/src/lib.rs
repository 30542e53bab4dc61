//! Runs the tasks of a store.
