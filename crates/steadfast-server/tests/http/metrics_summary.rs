//! The metrics summary of a time window (O1, S4).

use jiff::Timestamp;
use serde_json::{Value, json};
use steadfast::observe::{MetricsSummary, Recorder};
use steadfast::{Policy, retry};
use steadfast_store::StoreSink;

use crate::{World, world};

/// Completes a task, or fails it for good.
async fn end(world: &World, kind: &str, well: bool) {
    world.submit(json!({"kind": kind, "payload": 1, "policy": "calls"})).await;
    let (id, version) = world.claim().await;
    let (how, body) = match well {
        true => ("complete", json!({"version": version})),
        false => ("fail", json!({"version": version, "fault": {"http_status": 404}})),
    };
    let ended = world.post_json(&format!("/claims/{id}/{how}"), body).await;
    assert!(ended.status.is_success(), "{ended:?}");
}

/// Sessions of a process, recorded in the store.
async fn record(world: &World, operations: &[&str]) {
    let (sink, keeper) = StoreSink::new(world.store.clone());
    let policy = Policy::immediate().id("in-process").max_attempts(3).build().unwrap();
    for operation in operations {
        let mut calls = 0;
        let flaky = || {
            calls += 1;
            match calls {
                1 => Err(std::io::Error::from(std::io::ErrorKind::ConnectionRefused)),
                _ => Ok(()),
            }
        };
        retry(&policy, flaky).named(operation).instrument(Recorder::new(&sink)).call().unwrap();
    }
    drop(sink);
    keeper.run().await;
}

/// Everything that S4 requires of RetryMetrics.
fn check_as_s4_demands(summary: &Value) {
    let at = |field: &str| summary[field].as_str().unwrap().parse::<Timestamp>().unwrap();
    assert!(at("time_window_start") <= at("time_window_end"));
    let count = |field: &str| summary[field].as_u64().unwrap();
    let number = |field: &str| summary[field].as_f64().unwrap();
    assert_eq!(count("total_sessions"), count("successful_sessions") + count("failed_sessions"));
    for field in ["average_attempts_per_session", "total_duration", "average_duration_per_session"]
    {
        assert!(number(field) >= 0.0, "{field}");
    }
    assert!(count("max_attempts_in_session") <= count("total_attempts"));
    for by in ["by_policy", "by_subsystem"] {
        let mut sessions = 0;
        for share in summary[by].as_object().unwrap().values() {
            sessions += share["sessions"].as_u64().unwrap();
            assert!((0.0..=1.0).contains(&share["success_rate"].as_f64().unwrap()));
            assert!(share["average_attempts"].as_f64().unwrap() >= 0.0);
        }
        assert_eq!(sessions, count("total_sessions"), "{by} has all of them");
    }
    assert_eq!(summary.as_object().unwrap().len(), 12, "S4's fields, and no others");
    serde_json::from_value::<MetricsSummary>(summary.clone()).unwrap().validate().unwrap();
}

/// O1: tasks and recorded sessions, by policy and by subsystem.
#[tokio::test]
async fn summary_counts_tasks_and_sessions() {
    let world = world().await;
    end(&world, "mail.send", true).await;
    end(&world, "mail.fetch", false).await;
    record(&world, &["browser.save", "browser.load"]).await;
    let summary = world.get("/metrics/summary?window=1h").await.good();
    check_as_s4_demands(&summary);
    assert_eq!(summary["total_sessions"], 4);
    assert_eq!(
        (&summary["successful_sessions"], &summary["total_attempts"]),
        (&json!(3), &json!(6))
    );
    assert_eq!(summary["max_attempts_in_session"], 2);
    let share = |sessions: u64, rate: f64, attempts: f64| json!({"sessions": sessions, "success_rate": rate, "average_attempts": attempts});
    assert_eq!(
        summary["by_policy"],
        json!({"calls": share(2, 0.5, 1.0), "in-process": share(2, 1.0, 2.0)})
    );
    assert_eq!(
        summary["by_subsystem"],
        json!({"browser": share(2, 1.0, 2.0), "mail": share(2, 0.5, 1.0)})
    );
}

/// O1: an empty window has zeros; the default window is the last hour.
#[tokio::test]
async fn summary_of_empty_window_is_zero() {
    let summary = world().await.get("/metrics/summary").await.good();
    check_as_s4_demands(&summary);
    assert_eq!((&summary["total_sessions"], &summary["by_policy"]), (&json!(0), &json!({})));
    let at = |field: &str| summary[field].as_str().unwrap().parse::<Timestamp>().unwrap();
    let length = at("time_window_end").duration_since(at("time_window_start"));
    assert_eq!(length.as_secs(), 3600);
}

/// O1: sessions that ended outside of the window are excluded.
#[tokio::test]
async fn summary_window_has_start_and_end() {
    let world = world().await;
    end(&world, "mail", true).await;
    let total = async |query: &str| {
        let summary = world.get(&format!("/metrics/summary{query}")).await.good();
        summary["total_sessions"].as_u64().unwrap()
    };
    assert_eq!(total("?from=2020-01-01T00:00:00Z").await, 1);
    assert_eq!(total("?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z").await, 0);
    assert_eq!(total("?window=1d&to=2020-01-02T00:00:00Z").await, 0);
}

/// K4: an invalid window is rejected with its field.
#[tokio::test]
async fn invalid_window_is_rejected() {
    let world = world().await;
    for (query, field) in [
        ("window=soon", "window"),
        ("from=yesterday", "from"),
        ("from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z", "from"),
        ("window=1h&from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z", "window"),
        ("widow=1h", "widow"),
    ] {
        let rejected = world.get(&format!("/metrics/summary?{query}")).await;
        assert_eq!(
            (rejected.status.as_u16(), &rejected.body["field"]),
            (400, &json!(field)),
            "{query}"
        );
    }
}
