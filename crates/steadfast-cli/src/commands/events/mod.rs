//! `steadfast events`: past and live events (O1).

mod follow;
mod line;

use steadfast::__private::nearest;
use steadfast::observe::EventType;
use steadfast_api::remote::Remote;
use steadfast_api::{Api, EventFilter, EventView, Events, EventsFrom};

use crate::commands::prelude::*;
use crate::target::ResolvedTarget;
use follow::EventFollower;

const EXAMPLES: &[Example] = &[
    ("steadfast events", "the last 20"),
    ("steadfast events --follow", "and new ones as they arrive"),
    ("steadfast events -f --type retry_failure", "only failures"),
    ("steadfast events -n 1000 --policy payments --json", "for a script, one event per line"),
];

/// Show events: retries, failures, successes after retries, lost leases, breaker changes.
///
/// Workers record an event for every failed attempt that is retried, every task that fails for
/// good or succeeds after a retry, every lost lease, and every breaker that opens or closes. A
/// command that `run --durable` hands over to the store is recorded as handed_over. First-attempt successes are not recorded. With --json, each line is one event.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct EventsCommand {
    /// Print new events as they arrive, until interrupted
    #[arg(short, long)]
    follow: bool,

    /// Number of past events to show, at most 1000
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 20)]
    #[arg(value_parser = crate::number_range::whole_number(0..=1000_u32))]
    last: u32,

    /// Only events of this type: retry_attempt, retry_success, retry_failure,
    /// circuit_breaker_opened, circuit_breaker_closed, handed_over, lease_lost
    #[arg(long = "type", value_name = "TYPE", value_parser = event_type)]
    event_type: Option<EventType>,

    /// Only events of this policy
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,

    /// Only events of this task
    #[arg(long, value_name = "ID")]
    task: Option<String>,

    /// Only events of tasks of this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,

    /// Only events with this correlation id
    #[arg(long, value_name = "ID")]
    correlation_id: Option<String>,

    #[command(flatten)]
    target: Target,
}

fn event_type(name: &str) -> Result<EventType, String> {
    let names: Vec<_> = EventType::ALL.iter().map(|known| known.name()).collect();
    let known = EventType::ALL.iter().copied().find(|known| known.name() == name);
    known.ok_or_else(|| match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("must be one of {}", names.join(", ")),
    })
}

impl EventsCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        target::block_on(async {
            match self.target.resolve()? {
                ResolvedTarget::Store(_) => {
                    self.show(&*self.target.open().await?, None, common.json).await
                }
                ResolvedTarget::Server(address) => {
                    let remote = self.target.remote(&address)?;
                    self.show(&remote, Some(&remote), common.json).await
                }
            }
        })
    }

    async fn show(
        &self,
        api: &dyn Api,
        server: Option<&Remote>,
        json: bool,
    ) -> Result<Exit, CliError> {
        let filter = self.filter();
        let Events { items, last } =
            api.events(&filter, EventsFrom::Latest, self.last.max(1)).await?;
        let shown = items.get(items.len().saturating_sub(self.last as usize)..).unwrap_or_default();
        if shown.is_empty() && !self.follow && !json {
            output::print(|page| writeln!(page, "{}", self.empty_text()))?;
        }
        let mut is_open = print(shown, json)?;
        let mut follower = match server {
            Some(server) => EventFollower::subscribed(server.follow(filter, last)),
            None => EventFollower::polled(api, filter, last),
        };
        while is_open && self.follow {
            is_open = print(&follower.next().await?, json)?;
        }
        Ok(Exit::Success)
    }

    fn filter(&self) -> EventFilter {
        EventFilter {
            event_type: self.event_type,
            policy: self.policy.clone(),
            session: self.task.clone(),
            operation: self.kind.clone(),
            correlation_id: self.correlation_id.clone(),
        }
    }

    fn empty_text(&self) -> &'static str {
        match self.filter() == EventFilter::default() {
            true => "no events yet; first-attempt successes are not listed",
            false => "no matching events; remove a filter to see others",
        }
    }
}

/// Prints events; returns `false` once stdout is closed.
fn print(events: &[EventView], json: bool) -> Result<bool, CliError> {
    let mut page = io::BufWriter::new(anstream::stdout().lock());
    let written = events.iter().try_for_each(|event| match json {
        true => {
            serde_json::to_writer(&mut page, event)?;
            writeln!(page)
        }
        false => line::write(&mut page, event),
    });
    match written.and_then(|()| page.flush()) {
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(why) => Err(CliError::failed(format!("cannot write the events: {why}"))),
        Ok(()) => Ok(true),
    }
}
