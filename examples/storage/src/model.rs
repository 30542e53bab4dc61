//! The data model.

/// A thing that a text speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// What it is called; a project has one of this name.
    pub name: String,
    /// What is known of it.
    pub description: String,
}

/// Something that a text says of two entities. Saying it again makes it weigh more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The entity that it starts from.
    pub source: String,
    /// The entity that it leads to.
    pub target: String,
    /// What the one has to do with the other.
    pub kind: String,
}

/// A piece of text, and where it lies among all others.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// A project has one of this id.
    pub id: String,
    /// The text.
    pub content: String,
    /// Its meaning, [`DIMENSIONS`](crate::VectorStorage::DIMENSIONS) numbers of it.
    pub embedding: Vec<f64>,
}

/// A document near to what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// Its id.
    pub id: String,
    /// Its text.
    pub content: String,
    /// How far it is, by the cosine: from 0, the same direction, to 2.
    pub distance: f64,
}
