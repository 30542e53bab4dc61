//! The policy file: YAML, JSON or TOML, by its extension (F1).
//!
//! A file is read in two steps. The first parses one of the three formats into a tree in which
//! every key and value has its span in the text. The second reads policies from the tree and does
//! not depend on the format. Each rule therefore exists once, and a [problem](Problem) has its line
//! and column in all three formats.
//!
//! A file may be untrusted, so its size, depth and alias expansion are limited.

mod assemble;
mod document;
mod environment;
mod explain;
mod extensions;
mod format;
mod json;
mod layers;
mod limits;
mod name_table;
mod origin;
mod path;
mod policies;
pub(crate) mod problem;
mod schema;
mod serde_words;
mod source;
mod toml;
pub(crate) mod tree;
mod yaml;

pub(crate) use assemble::Overlay;
pub use explain::{Explained, Explanation};
pub use format::Format;
pub use origin::{Layer, Origin};
pub(crate) use path::{Path, Step};
pub use policies::{MappedName, Policies, Route};
pub use problem::{Problem, Problems};
pub use schema::schema;
#[doc(hidden)]
pub use serde_words::JsonError;
pub use source::{Source, SourcePosition};

#[cfg(test)]
mod tests;
