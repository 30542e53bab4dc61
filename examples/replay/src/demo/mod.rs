//! What the daemon is tried in: a service with moods, and a story with a crash in it, told by the
//! view `runs`. Nothing of it is needed to run one.

pub mod service;
pub mod story;
pub mod table;
