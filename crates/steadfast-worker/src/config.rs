//! The worker's configuration and its validation.

use std::time::Duration;

use steadfast_store::{DEFAULT_LEASE, InputError, check_lease, name};

use crate::maintenance::Maintenance;

/// Enough to keep two cores busy with handlers that mostly wait for I/O.
const DEFAULT_CONCURRENCY: u32 = 100;

/// Every runner is a tokio task: more than this is a mistake.
const MAX_CONCURRENCY: u32 = 100_000;

#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) name: String,
    /// Distinguishes workers with the same name.
    pub(crate) instance: String,
    pub(crate) concurrency: u32,
    /// The queues that are served, each with an optional limit; every queue if empty.
    pub(crate) queues: Vec<(String, Option<u32>)>,
    pub(crate) categories: Option<Vec<String>>,
    pub(crate) lease: Duration,
    pub(crate) grace: Duration,
    pub(crate) poll: Duration,
    pub(crate) events: bool,
    pub(crate) maintenance: Maintenance,
}

impl Default for Config {
    fn default() -> Self {
        let instance = default_name();
        Self {
            name: instance.clone(),
            instance,
            concurrency: DEFAULT_CONCURRENCY,
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

/// The host, the process and a random suffix: a process can have several workers.
fn default_name() -> String {
    let host = gethostname::gethostname();
    let host: String = host.to_string_lossy().chars().take(64).collect();
    format!("{host}-{}-{:04x}", std::process::id(), fastrand::u16(..))
}

impl Config {
    pub(crate) fn reclaim_interval(&self) -> Duration {
        self.maintenance.reclaim_interval(self.lease)
    }

    pub(crate) fn check(&self) -> Result<(), InputError> {
        name("name", &self.name)?;
        if self.concurrency == 0 || self.concurrency > MAX_CONCURRENCY {
            let problem =
                format!("is {}; it must be from 1 to {MAX_CONCURRENCY}", self.concurrency);
            return Err(InputError::new("concurrency", problem));
        }
        check_lease(self.lease)?;
        if self.poll.is_zero() {
            return Err(InputError::new("poll", "must be greater than 0"));
        }
        for category in self.categories.iter().flatten() {
            name("categories", category)?;
        }
        if self.categories.as_ref().is_some_and(Vec::is_empty) {
            let problem = "is an empty list, which matches no task; leave it out to serve all";
            return Err(InputError::new("categories", problem));
        }
        self.check_queues()?;
        self.maintenance.check()
    }

    fn check_queues(&self) -> Result<(), InputError> {
        for (index, (queue, limit)) in self.queues.iter().enumerate() {
            name("queue", queue)?;
            if *limit == Some(0) {
                let problem = format!("`{queue}` has a limit of 0; leave it out instead");
                return Err(InputError::new("queue", problem));
            }
            if self.queues.iter().skip(index + 1).any(|(other, _)| other == queue) {
                let problem = format!("`{queue}` is listed twice; set its limit once");
                return Err(InputError::new("queue", problem));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(change: impl FnOnce(&mut Config)) -> String {
        let mut config = Config::default();
        change(&mut config);
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn default_config_is_valid() {
        assert_eq!(Config::default().check(), Ok(()));
        assert_ne!(Config::default().name, Config::default().name);
    }

    /// D7: a lost worker is noticed soon after its lease expires, however short the lease is.
    #[test]
    fn reclaim_interval_follows_a_short_lease() {
        let interval = |lease, maintenance| {
            Config { lease, maintenance, ..Config::default() }.reclaim_interval()
        };
        let (second, default) = (Duration::from_secs(1), Maintenance::default());
        assert_eq!(interval(2 * second, default.clone()), second / 2);
        assert_eq!(interval(600 * second, default.clone()), 5 * second);
        assert_eq!(interval(2 * second, default.reclaim_every(3 * second)), 3 * second);
    }

    #[test]
    fn invalid_config_error_says_what_is_valid() {
        let error = problem(|config| config.concurrency = 0);
        assert_eq!(error, "concurrency: is 0; it must be from 1 to 100000");
        let error = problem(|config| config.lease = Duration::from_millis(10));
        assert_eq!(error, "lease: must be at least one second");
        let error = problem(|config| config.lease = Duration::from_hours(25));
        assert!(error.starts_with("lease: must be at most 24 hours"), "{error}");
        let error = problem(|config| config.queues = vec![("mail".to_owned(), Some(0))]);
        assert_eq!(error, "queue: `mail` has a limit of 0; leave it out instead");
        let twice = vec![("mail".to_owned(), Some(1)), ("mail".to_owned(), None)];
        let error = problem(|config| config.queues = twice);
        assert_eq!(error, "queue: `mail` is listed twice; set its limit once");
        let error = problem(|config| config.name.clear());
        assert_eq!(error, "name: must not be empty");
        let error = problem(|config| config.name = "a\tb".to_owned());
        assert!(error.starts_with("name: has the control character"), "{error}");
        let error = problem(|config| config.categories = Some(vec![String::new()]));
        assert_eq!(error, "categories: must not be empty");
        let error = problem(|config| config.categories = Some(Vec::new()));
        assert!(error.starts_with("categories: is an empty list"));
    }
}
