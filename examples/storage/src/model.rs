//! The data model.

/// A named thing in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// Its name, unique in a project.
    pub name: String,
    /// Its description.
    pub description: String,
}

/// A statement about two entities. Each repetition increases its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The source entity.
    pub source: String,
    /// The target entity.
    pub target: String,
    /// The kind of the relation.
    pub kind: String,
}

/// A piece of text with its embedding.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its id, unique in a project.
    pub id: String,
    /// The text.
    pub content: String,
    /// Its embedding, of [`DIMENSIONS`](crate::VectorStorage::DIMENSIONS) numbers.
    pub embedding: Vec<f64>,
}

/// A document of a similarity query.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// Its id.
    pub id: String,
    /// Its text.
    pub content: String,
    /// Its cosine distance: from 0, the same direction, to 2.
    pub distance: f64,
}
