//! Everything that happens to a server sooner or later, within a few seconds.
//!
//! After each blow the tasks get through before the next one falls: what is tried is whether
//! they survive each, not how many they survive at once.

use std::time::Instant;

use example_storage::events::Events;
use steadfast_testing::postgres::{Cluster, Shutdown};
use tokio::task::block_in_place;

use crate::Problem;
use crate::load::{self, Load};
use crate::server::Server;

pub(crate) async fn play(
    server: &mut Server,
    load: &Load,
    events: &Events,
    rounds: u32,
) -> Result<(), Problem> {
    let storm = Storm { load, events, began: Instant::now() };
    load.until_all_got_through().await?;
    for _ in 0..rounds {
        storm.terminate(server).await?;
        match server {
            Server::Throwaway { cluster, .. } => {
                storm.cut_in_commit(cluster).await?;
                storm.restart(cluster).await?;
                storm.refuse(cluster).await?;
            }
            Server::Yours(_) => storm.tell("not restarted: it is your server"),
        }
    }
    Ok(())
}

struct Storm<'l> {
    load: &'l Load,
    events: &'l Events,
    began: Instant,
}

impl Storm<'_> {
    fn tell(&self, what: &str) {
        println!("{:>7.1} s  {what}", self.began.elapsed().as_secs_f64());
    }

    /// Whoever has a statement under way gets 57P01.
    async fn terminate(&self, server: &Server) -> Result<(), Problem> {
        for _ in 0..3 {
            let sessions = server.terminate_sessions().await?;
            self.tell(&format!("{sessions} sessions terminated"));
            self.load.until_all_got_through().await?;
        }
        Ok(())
    }

    /// A server that is to wait for a standby, and has none, commits and then keeps the client
    /// waiting. Whoever is cut off now has written, and is not told.
    async fn cut_in_commit(&self, cluster: &Cluster) -> Result<(), Problem> {
        let run = |statement: &str| block_in_place(|| cluster.query("storage", statement));
        run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")?;
        run("SELECT pg_reload_conf()")?;
        let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        let began = Instant::now();
        while run(&format!("SELECT count(*) {waiting}"))? == "0" {
            if began.elapsed() > load::PATIENCE {
                return Err("nobody commits any more".into());
            }
        }
        run("ALTER SYSTEM RESET synchronous_standby_names")?;
        let cut = run(&format!("SELECT count(pg_terminate_backend(pid)) {waiting}"))?;
        run("SELECT pg_reload_conf()")?;
        self.tell(&format!("{cut} sessions terminated in the midst of their commit"));
        self.load.until_all_got_through().await
    }

    async fn restart(&self, cluster: &mut Cluster) -> Result<(), Problem> {
        let ways = [
            (Shutdown::Fast, "server restarted"),
            (Shutdown::Immediate, "server crashed and recovered"),
        ];
        for (how, told) in ways {
            block_in_place(|| cluster.restart(how))?;
            self.tell(told);
            self.load.until_all_got_through().await?;
        }
        Ok(())
    }

    async fn refuse(&self, cluster: &mut Cluster) -> Result<(), Problem> {
        block_in_place(|| cluster.stop(Shutdown::Fast))?;
        self.tell("connections refused");
        // The pool has some patience of its own before anybody hears of it.
        let refused = self.events.until_another(|event| event.is("pool_timeout"));
        tokio::time::timeout(load::PATIENCE, refused).await?;
        block_in_place(|| cluster.restart(Shutdown::Fast))?;
        self.tell("connections accepted again");
        self.load.until_all_got_through().await
    }
}
