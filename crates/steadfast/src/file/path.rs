//! The path to a value in a file, displayed as `policies.a.retry_on[1]`.

use std::fmt;

use super::problem::excerpt;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    Key(String),
    /// To an item of a list, counted from 0.
    Item(usize),
}

/// The steps from the top to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(Vec<Step>);

impl Path {
    pub(crate) fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }
}

impl FromIterator<Step> for Path {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if index == 0 => f.write_str(&excerpt(key))?,
                Step::Key(key) => write!(f, ".{}", excerpt(key))?,
                Step::Item(item) => write!(f, "[{item}]")?,
            }
        }
        Ok(())
    }
}
