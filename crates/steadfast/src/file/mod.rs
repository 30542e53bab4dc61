//! The policy file: YAML, JSON or TOML, by its extension (F1).
//!
//! A file is read in two halves. The first knows the three notations and nothing of
//! policies: it makes a tree of the text in which every key and value knows where it
//! stands. The second knows policies and nothing of notations. So a rule is written
//! once, and a [problem](Problem) has its line and column in all three.
//!
//! A file may come from anybody, so its size, depth and growth have bounds.

mod assemble;
mod bounds;
mod document;
mod environment;
mod explain;
mod format;
mod json;
mod layers;
mod names;
mod origin;
mod own;
mod path;
mod policies;
mod problem;
mod schema;
mod source;
mod toml;
#[doc(hidden)]
#[allow(missing_docs, reason = "for the crate steadfast-import")]
pub mod tree;
mod yaml;

pub(crate) use assemble::Overlay;
pub use explain::{Explained, Explanation};
pub use format::Format;
pub use origin::{Layer, Origin};
pub(crate) use own::Own;
pub(crate) use path::{Path, Step};
pub use policies::{MappedName, Policies, Route};
#[doc(hidden)]
pub use problem::shown;
pub use problem::{Problem, Problems};
pub use schema::schema;
pub use source::{Place, Source};

#[cfg(test)]
mod tests;
