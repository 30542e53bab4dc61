//! The REST API under `/api/v1` (H1): one file per resource, one function per operation.
//!
//! A handler parses the request, calls [`steadfast_api::Api`] and returns the result. The logic is in that
//! trait, which the command line uses as well.

mod audit;
mod breakers;
mod claims;
mod events;
mod executions;
pub(crate) mod health;
pub(crate) mod openapi;
mod policies;
mod queues;
mod sessions;
mod stats;
mod tasks;
mod workers;
mod workflows;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(tasks::list_tasks, tasks::submit_task))
        .routes(routes!(tasks::submit_batch))
        .routes(routes!(tasks::requeue_tasks))
        .routes(routes!(tasks::preview_task))
        .routes(routes!(tasks::show_task_by_key))
        .routes(routes!(tasks::show_task))
        .routes(routes!(tasks::cancel_task))
        .routes(routes!(tasks::requeue_task))
        .routes(routes!(tasks::run_task_now))
        .routes(routes!(tasks::change_expiry))
        .routes(routes!(claims::claim))
        .routes(routes!(claims::heartbeat))
        .routes(routes!(claims::complete))
        .routes(routes!(claims::fail))
        .routes(routes!(queues::list_queues))
        .routes(routes!(queues::pause_queue))
        .routes(routes!(queues::resume_queue))
        .routes(routes!(policies::list_policies))
        .routes(routes!(policies::plan_policy))
        .routes(routes!(policies::classify))
        .routes(routes!(events::list_events))
        .routes(routes!(sessions::list_sessions))
        .routes(routes!(sessions::show_task_session))
        .routes(routes!(stats::summarize))
        .routes(routes!(breakers::list_breakers))
        .routes(routes!(breakers::open_breaker))
        .routes(routes!(breakers::close_breaker))
        .routes(routes!(breakers::isolate_breaker))
        .routes(routes!(breakers::list_budgets))
        .routes(routes!(workers::list_workers))
        .routes(routes!(workflows::check_workflow))
        .routes(routes!(workflows::list_workflows, workflows::save_workflow))
        .routes(routes!(workflows::show_workflow))
        .routes(routes!(workflows::start_execution))
        .routes(routes!(executions::list_executions))
        .routes(routes!(executions::show_execution))
        .routes(routes!(executions::show_chain))
        .routes(routes!(executions::cancel_execution))
        .routes(routes!(executions::resume_execution))
        .routes(routes!(executions::retry_execution))
        .routes(routes!(audit::list_audit))
        .routes(routes!(stats::show_stats))
        .routes(routes!(stats::get_time))
}
