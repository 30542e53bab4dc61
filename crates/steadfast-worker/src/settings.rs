//! What a worker was told, checked.

use std::time::Duration;

use steadfast_store::{DEFAULT_LEASE, Invalid, check_lease, name};

use crate::maintenance::Maintenance;

/// How many tasks run at a time, unless it is said: enough to keep two cores busy with handlers
/// that wait for others.
const CONCURRENCY: u32 = 100;

/// A runner is a task of the runtime: more than this is a mistake.
const MAX_CONCURRENCY: u32 = 100_000;

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) name: String,
    /// Tells apart whom a program has given the same name.
    pub(crate) instance: String,
    pub(crate) concurrency: u32,
    /// The queues that are served, each with a limit of its own; every queue if there is none.
    pub(crate) queues: Vec<(String, Option<u32>)>,
    pub(crate) categories: Option<Vec<String>>,
    pub(crate) lease: Duration,
    pub(crate) grace: Duration,
    pub(crate) poll: Duration,
    pub(crate) events: bool,
    pub(crate) maintenance: Maintenance,
}

impl Default for Settings {
    fn default() -> Self {
        let instance = default_name();
        Self {
            name: instance.clone(),
            instance,
            concurrency: CONCURRENCY,
            queues: Vec::new(),
            categories: None,
            lease: DEFAULT_LEASE,
            grace: Duration::from_secs(30),
            poll: Duration::from_secs(1),
            events: true,
            maintenance: Maintenance::default(),
        }
    }
}

/// The machine, the process, and a little chance: a process can have several workers.
fn default_name() -> String {
    let host = gethostname::gethostname();
    let host: String = host.to_string_lossy().chars().take(64).collect();
    format!("{host}-{}-{:04x}", std::process::id(), fastrand::u16(..))
}

impl Settings {
    /// How often tasks of lost workers are looked for.
    pub(crate) fn reclaims_every(&self) -> Duration {
        self.maintenance.reclaims_every(self.lease)
    }

    /// Whether a worker can be run like this.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        name("name", &self.name)?;
        if self.concurrency == 0 || self.concurrency > MAX_CONCURRENCY {
            let problem =
                format!("is {}; it must be from 1 to {MAX_CONCURRENCY}", self.concurrency);
            return Err(Invalid::new("concurrency", problem));
        }
        check_lease(self.lease)?;
        if self.poll.is_zero() {
            return Err(Invalid::new("poll", "must be longer than nothing"));
        }
        for category in self.categories.iter().flatten() {
            name("categories", category)?;
        }
        if self.categories.as_ref().is_some_and(Vec::is_empty) {
            let problem = "is an empty list, which no task is of; leave it out to serve all";
            return Err(Invalid::new("categories", problem));
        }
        self.check_queues()?;
        self.maintenance.check()
    }

    fn check_queues(&self) -> Result<(), Invalid> {
        for (index, (queue, limit)) in self.queues.iter().enumerate() {
            name("queue", queue)?;
            if *limit == Some(0) {
                let problem = format!("`{queue}` has a limit of 0; leave it out instead");
                return Err(Invalid::new("queue", problem));
            }
            if self.queues.iter().skip(index + 1).any(|(other, _)| other == queue) {
                let problem = format!("`{queue}` is named twice; say its limit once");
                return Err(Invalid::new("queue", problem));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(change: impl FnOnce(&mut Settings)) -> String {
        let mut settings = Settings::default();
        change(&mut settings);
        settings.check().unwrap_err().to_string()
    }

    #[test]
    fn what_nobody_has_set_can_be_run() {
        assert_eq!(Settings::default().check(), Ok(()));
        assert_ne!(Settings::default().name, Settings::default().name);
    }

    /// D7: who is lost is missed soon after his lease is over, however short it is.
    #[test]
    fn lost_tasks_are_looked_for_more_often_under_a_short_lease() {
        let every = |lease, maintenance| {
            Settings { lease, maintenance, ..Settings::default() }.reclaims_every()
        };
        let (second, usual) = (Duration::from_secs(1), Maintenance::default());
        assert_eq!(every(2 * second, usual.clone()), second / 2);
        assert_eq!(every(600 * second, usual.clone()), 5 * second);
        assert_eq!(every(2 * second, usual.reclaim_every(3 * second)), 3 * second);
    }

    #[test]
    fn what_makes_no_sense_says_what_would() {
        let told = problem(|settings| settings.concurrency = 0);
        assert_eq!(told, "concurrency: is 0; it must be from 1 to 100000");
        let told = problem(|settings| settings.lease = Duration::from_millis(10));
        assert_eq!(told, "lease: must be at least one second");
        let told = problem(|settings| settings.lease = Duration::from_hours(25));
        assert!(told.starts_with("lease: must be at most 24 hours"), "{told}");
        let told = problem(|settings| settings.queues = vec![("mail".to_owned(), Some(0))]);
        assert_eq!(told, "queue: `mail` has a limit of 0; leave it out instead");
        let twice = vec![("mail".to_owned(), Some(1)), ("mail".to_owned(), None)];
        let told = problem(|settings| settings.queues = twice);
        assert_eq!(told, "queue: `mail` is named twice; say its limit once");
        let told = problem(|settings| settings.name.clear());
        assert_eq!(told, "name: must not be empty");
        let told = problem(|settings| settings.name = "a\tb".to_owned());
        assert!(told.starts_with("name: has the control character"), "{told}");
        let told = problem(|settings| settings.categories = Some(vec![String::new()]));
        assert_eq!(told, "categories: must not be empty");
        let told = problem(|settings| settings.categories = Some(Vec::new()));
        assert!(told.starts_with("categories: is an empty list"));
    }
}
