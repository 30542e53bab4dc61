//! The PostgreSQL server that all tests of one run share.
//!
//! Each test process would start one for itself; one for all saves a second or two
//! apiece. It goes away with the run, however that ends.

use std::env;

use steadfast_testing::postgres::{Cluster, Settings, TEST_SERVER};

use crate::run::{Failure, Run};

/// The server, once it is needed.
#[derive(Default)]
pub(super) struct Server(Option<Cluster>);

impl Server {
    /// The same run, told where the server is. A person who names one keeps it.
    pub(super) fn tell(&mut self, run: Run) -> Result<Run, Failure> {
        if env::var_os(TEST_SERVER).is_some() {
            return Ok(run);
        }
        let cluster = match &self.0 {
            Some(cluster) => cluster,
            None => self.0.insert(start()?),
        };
        Ok(run.variable(TEST_SERVER, cluster.url("postgres")))
    }
}

fn start() -> Result<Cluster, Failure> {
    eprintln!("    starting PostgreSQL for all tests");
    Cluster::start(Settings::default()).map_err(|error| Failure::plain(error.what(), error.next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_told_of_the_same_server() {
        let mut server = Server::default();
        let mut told = || {
            let shell = Run::new("sh").arguments(["-c", "echo $STEADFAST_TEST_POSTGRES"]);
            server.tell(shell).unwrap().read().unwrap()
        };
        let first = told();
        assert!(first.starts_with("postgres"), "{first}");
        assert_eq!(told(), first);
    }
}
