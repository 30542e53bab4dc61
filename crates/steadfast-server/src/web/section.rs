//! The sections of the main navigation.

use super::Icon;

/// A section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Overview,
    Tasks,
    Workflows,
    Policies,
    Breakers,
    Events,
    Sessions,
    Queues,
    Audit,
}

impl Section {
    /// All sections, in navigation order.
    pub(super) const ALL: [Self; 9] = [
        Self::Overview,
        Self::Tasks,
        Self::Workflows,
        Self::Queues,
        Self::Policies,
        Self::Breakers,
        Self::Events,
        Self::Sessions,
        Self::Audit,
    ];

    /// The label in the navigation.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Tasks => "Tasks",
            Self::Workflows => "Workflows",
            Self::Policies => "Policies",
            Self::Breakers => "Breakers",
            Self::Events => "Events",
            Self::Sessions => "Sessions",
            Self::Queues => "Queues",
            Self::Audit => "Audit",
        }
    }

    /// The URL path.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::Overview => "/",
            Self::Tasks => "/tasks",
            Self::Workflows => "/workflows",
            Self::Policies => "/policies",
            Self::Breakers => "/breakers",
            Self::Events => "/events",
            Self::Sessions => "/sessions",
            Self::Queues => "/queues",
            Self::Audit => "/audit",
        }
    }

    /// The shortcut key, after `g`.
    pub(super) const fn key(self) -> char {
        match self {
            Self::Overview => 'o',
            Self::Tasks => 't',
            Self::Workflows => 'w',
            Self::Policies => 'p',
            Self::Breakers => 'b',
            Self::Events => 'e',
            Self::Sessions => 's',
            Self::Queues => 'q',
            Self::Audit => 'a',
        }
    }

    pub(super) const fn icon(self) -> Icon {
        match self {
            Self::Overview => Icon::Overview,
            Self::Tasks => Icon::Tasks,
            Self::Workflows => Icon::Workflows,
            Self::Policies => Icon::Policy,
            Self::Breakers => Icon::Breaker,
            Self::Events => Icon::Events,
            Self::Sessions => Icon::Sessions,
            Self::Queues => Icon::Queues,
            Self::Audit => Icon::Audit,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// H2: paths and shortcut keys are unique.
    #[test]
    fn section_paths_and_keys_are_unique() {
        let paths: BTreeSet<_> = Section::ALL.iter().map(|section| section.path()).collect();
        let keys: BTreeSet<_> = Section::ALL.iter().map(|section| section.key()).collect();
        assert_eq!((paths.len(), keys.len()), (Section::ALL.len(), Section::ALL.len()));
    }
}
