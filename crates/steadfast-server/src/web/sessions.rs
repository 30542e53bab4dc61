//! The sessions page: recorded retry sessions of programs and finished tasks, with their attempts.
//!
//! A session has few attempts, so its details expand in the list.

use maud::{Markup, html};
use steadfast::observe::{AttemptRecord, Session};
use steadfast_api::{Api, Outcome, Page, SessionFilter};
use steadfast_store::{Status, TaskId};

use super::{FormListQuery, Icon, PageResult, PolicyLinks, Section, View, link, parts};
use crate::auth::Viewer;
use crate::limits::ReadPermit;

/// Sessions, newest first.
pub(super) async fn list(
    view: View,
    Viewer(api): Viewer,
    FormListQuery { filter, page }: FormListQuery<SessionFilter>,
    _permit: ReadPermit,
) -> PageResult {
    let sessions = api.sessions(&filter, &page).await?;
    let policies = PolicyLinks::load(&api).await?;
    let content = html! {
        (parts::head("Sessions", html! {}))
        (bar(&filter))
        section class="panel" aria-label="Sessions" { (results(&view, &filter, &sessions, &policies)) }
        (parts::pager("/sessions", &filter, &page, sessions.next.as_ref()))
    };
    Ok(view.show(Section::SESSIONS, "Sessions", &content))
}

fn bar(filter: &SessionFilter) -> Markup {
    let by_outcome = SessionFilter { outcome: filter.outcome, ..SessionFilter::default() };
    let is_filtered = *filter != by_outcome;
    let fields = html! {
        (parts::filter("operation", "Operation", filter.operation.as_deref(), ""))
        (parts::filter("policy", "Policy", filter.policy.as_deref(), ""))
        (parts::filter("correlation_id", "Correlation ID", filter.correlation_id.as_deref(), ""))
        (parts::filter("session", "Task or session", filter.session.as_deref(), "ID"))
    };
    let tab = filter.outcome.map(|outcome| ("outcome", name(outcome)));
    let outcomes = [Outcome::Success, Outcome::Failure, Outcome::Cancelled];
    let url = |outcome| link::filtered("/sessions", SessionFilter { outcome, ..filter.clone() });
    html! {
        (parts::filter_tabs("Outcome", outcomes, filter.outcome, badge, url))
        (parts::filter_bar("/sessions", is_filtered, tab, fields))
    }
}

const fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "success",
        Outcome::Failure => "failure",
        Outcome::Cancelled => "cancelled",
    }
}

fn badge(outcome: Outcome) -> Markup {
    let like = match outcome {
        Outcome::Success => Status::Completed,
        Outcome::Failure => Status::Failed,
        Outcome::Cancelled => Status::Cancelled,
    };
    parts::badge(like, name(outcome))
}

fn results(
    view: &View,
    filter: &SessionFilter,
    sessions: &Page<Session>,
    policies: &PolicyLinks,
) -> Markup {
    if !sessions.items.is_empty() {
        return html! {
            ol class="sessions" { @for session in &sessions.items { (item(view, session, policies)) } }
        };
    }
    if sessions.next.is_some() {
        return parts::no_matches_here("Older sessions may match.");
    }
    match *filter == SessionFilter::default() {
        true => parts::empty(
            "No sessions yet",
            html! {
                p { "A session is one operation with all its attempts. A " a href="/tasks" { "task" } " is listed here when it finishes." }
                p { "Retries inside a program are listed if the program records its sessions in this store." }
            },
        ),
        false => {
            let why = "Old sessions are deleted after the retention period.";
            parts::no_matches("sessions", why, "/sessions")
        }
    }
}

fn item(view: &View, session: &Session, policies: &PolicyLinks) -> Markup {
    let attempts = session.attempts.len() as u64 + session.forgotten_attempts;
    html! {
        li id={ "session-" (session.session_id) } data-row {
            details {
                summary {
                    (badge(Outcome::of(session)))
                    strong { (session.operation) }
                    span class="muted" {
                        (parts::pluralize(attempts, "attempt")) ", " (session.policy_id)
                        @if let Some(took) = session.total_duration() { ", " (parts::duration(took)) " total" }
                    }
                    @if let Some(reason) = session.reason { (parts::reason(reason)) }
                    (parts::at(view.now, session.end_time.unwrap_or(session.start_time)))
                    @if let Some(message) = last_error(session) { span class="message" { (message) } }
                }
                @if session.forgotten_attempts > 0 {
                    p class="muted" { (parts::pluralize(session.forgotten_attempts, "earlier attempt")) " not recorded" }
                }
                @let is_task = task(session).is_some();
                ol class="timeline" { @for attempt in &session.attempts { (attempt_row(attempt, is_task)) } }
                (details(session, policies))
            }
        }
    }
}

/// The last error of a session that did not succeed.
fn last_error(session: &Session) -> Option<&str> {
    if session.success {
        return None;
    }
    let error = session.attempts.iter().rev().find_map(|attempt| attempt.error.as_ref());
    error.or(session.final_error.as_ref()).map(|error| error.message.as_str())
}

/// One attempt. The store does not record when the attempt of a task starts, so its duration includes
/// the time that it waits for a worker or a breaker.
fn attempt_row(attempt: &AttemptRecord, is_task: bool) -> Markup {
    let (class, shape) =
        if attempt.success { ("completed", Icon::COMPLETED) } else { ("failed", Icon::FAILED) };
    html! {
        @if !attempt.delay.is_zero() { li class="wait" { "delay " (parts::duration(attempt.delay)) } }
        li class="point" {
            (parts::mark(shape, class))
            p {
                strong { "Attempt " (attempt.attempt_number) }
                " " span class="muted" {
                    @match is_task {
                        true => { "ended " (parts::duration(attempt.duration)) " after it was due" }
                        false => { "took " (parts::duration(attempt.duration)) }
                    }
                }
                @if let Some(class) = attempt.class { " " (parts::class(class)) }
            }
            @if let Some(error) = &attempt.error { p class="message" { (error.message) } }
            @if let Some(why) = &attempt.why { p class="why" { (parts::why(why)) } }
        }
    }
}

/// The task behind the session, if it is one.
fn task(session: &Session) -> Option<TaskId> {
    let id = session.context.as_ref()?.get("task")?.as_str()?;
    id.parse().ok().filter(|_| id == session.session_id)
}

fn details(session: &Session, policies: &PolicyLinks) -> Markup {
    html! {
        dl class="facts" {
            @if let Some(id) = task(session) { dt { "Task" } dd { a href=(link::task(id)) { code { (id) } } } }
            @else { dt { "Session" } dd { (parts::copyable(&session.session_id, "ID")) } }
            dt { "Policy" } dd { (policies.link(&session.policy_id)) }
            @if let Some(id) = &session.correlation_id { dt { "Correlation ID" } dd { (parts::copyable(id, "correlation ID")) } }
            dt { "Events" } dd { a href=(link::filtered("/events", [("session", &session.session_id)])) { "View events" } }
        }
    }
}
