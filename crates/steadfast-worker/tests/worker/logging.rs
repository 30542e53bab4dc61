//! The worker's log (O2).

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use steadfast::{Fault, Policy};
use steadfast_store::{Status, Task};
use steadfast_worker::Context;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context as LayerContext, SubscriberExt};

use crate::stores::{on_each, until};
use crate::workers::{quick, start};

/// A log entry.
#[derive(Clone, Debug)]
struct Line {
    level: Level,
    fields: BTreeMap<&'static str, String>,
}

impl Line {
    fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Line>>>);

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        if event.metadata().target() == "steadfast" {
            let mut line = Line { level: *event.metadata().level(), fields: BTreeMap::new() };
            event.record(&mut line);
            self.0.lock().unwrap().push(line);
        }
    }
}

impl Log {
    /// The lines about one operation.
    fn about(&self, operation: &str) -> Vec<Line> {
        let lines = self.0.lock().unwrap();
        lines.iter().filter(|line| line.field("operation") == operation).cloned().collect()
    }
}

/// O2: a retry is INFO, giving up WARN, success after a retry INFO, plain success DEBUG.
#[tokio::test]
async fn task_outcomes_are_logged_at_their_levels() {
    on_each(async |store| {
        let log = Log::default();
        let subscriber = tracing_subscriber::registry().with(log.clone());
        let _logged = tracing::subscriber::set_default(subscriber);
        let flaky = async |(): (), context: Context| match context.attempt() {
            1 => Err(Fault::http(503)),
            _ => Ok(()),
        };
        let worker = quick(&store)
            .handle("plain", async |(): ()| Ok::<_, Fault>(()))
            .handle("flaky", flaky)
            .handle("broken", async |(): ()| Err::<(), _>(Fault::http(404)));
        let worker = start(worker);
        // A call site that another test hits first while the subscriber is being set is cached as
        // disabled until the cache is rebuilt.
        tracing::callsite::rebuild_interest_cache();
        let ids = ["plain", "flaky", "broken"].map(|kind| {
            let policy = Policy::immediate().max_attempts(4).build().unwrap();
            Task::new(kind, &()).under(policy)
        });
        let submitted = store.submit_all(ids.to_vec()).await.unwrap();
        until(&store, submitted[0].id, Status::Completed).await;
        until(&store, submitted[1].id, Status::Completed).await;
        until(&store, submitted[2].id, Status::Failed).await;
        worker.stop().await;

        let [plain] = &log.about("plain")[..] else { panic!("{:?}", log.about("plain")) };
        assert_eq!((plain.level, plain.field("message")), (Level::DEBUG, "succeeded"));
        assert_eq!(plain.field("session"), submitted[0].id.to_string());
        let [retried, late] = &log.about("flaky")[..] else { panic!("{:?}", log.about("flaky")) };
        assert_eq!((retried.level, retried.field("message")), (Level::INFO, "retrying at once"));
        let fields = ["attempt", "max", "delay", "class", "rule", "error"];
        let fields = fields.map(|name| retried.field(name));
        assert_eq!(fields, ["1", "4", "0.0", "retryable", "5xx", "HTTP 503"]);
        assert_eq!((late.level, late.field("attempt")), (Level::INFO, "2"));
        assert_eq!(late.field("message"), "succeeded after a retry");
        let [gave_up] = &log.about("broken")[..] else { panic!("{:?}", log.about("broken")) };
        assert_eq!((gave_up.level, gave_up.field("reason")), (Level::WARN, "final"));
    })
    .await;
}
