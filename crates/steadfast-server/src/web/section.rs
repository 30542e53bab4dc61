//! The sections of the main navigation.

use super::Icon;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(super) label: &'static str,
    pub(super) path: &'static str,
    /// The shortcut key, after `g`.
    pub(super) key: char,
    pub(super) icon: Icon,
}

impl Section {
    pub(super) const OVERVIEW: Self = Self::new("Overview", "/", 'o', Icon::OVERVIEW);
    pub(super) const TASKS: Self = Self::new("Tasks", "/tasks", 't', Icon::TASKS);
    pub(super) const WORKFLOWS: Self = Self::new("Workflows", "/workflows", 'w', Icon::WORKFLOWS);
    pub(super) const QUEUES: Self = Self::new("Queues", "/queues", 'q', Icon::QUEUES);
    pub(super) const POLICIES: Self = Self::new("Policies", "/policies", 'p', Icon::POLICY);
    pub(super) const BREAKERS: Self = Self::new("Breakers", "/breakers", 'b', Icon::BREAKER);
    pub(super) const EVENTS: Self = Self::new("Events", "/events", 'e', Icon::EVENTS);
    pub(super) const SESSIONS: Self = Self::new("Sessions", "/sessions", 's', Icon::SESSIONS);
    pub(super) const AUDIT: Self = Self::new("Audit", "/audit", 'a', Icon::AUDIT);

    /// All sections, in navigation order.
    pub(super) const ALL: [Self; 9] = [
        Self::OVERVIEW,
        Self::TASKS,
        Self::WORKFLOWS,
        Self::QUEUES,
        Self::POLICIES,
        Self::BREAKERS,
        Self::EVENTS,
        Self::SESSIONS,
        Self::AUDIT,
    ];

    const fn new(label: &'static str, path: &'static str, key: char, icon: Icon) -> Self {
        Self { label, path, key, icon }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// H2: paths and shortcut keys are unique.
    #[test]
    fn section_paths_and_keys_are_unique() {
        let paths: BTreeSet<_> = Section::ALL.iter().map(|section| section.path).collect();
        let keys: BTreeSet<_> = Section::ALL.iter().map(|section| section.key).collect();
        assert_eq!((paths.len(), keys.len()), (Section::ALL.len(), Section::ALL.len()));
    }
}
