//! Sessions of processes that were recorded and of tasks that ended: what they tried, and why it
//! ended as it did.
//!
//! A session is short and its attempts are few, so each opens where it stands in the list.

use axum::response::Response;
use maud::{Markup, html};
use steadfast::observe::{AttemptRecord, Session};
use steadfast_api::{Api, Outcome, Page, SessionFilter};
use steadfast_store::TaskId;

use super::chosen::Chosen;
use super::icon::{Icon, icon};
use super::link;
use super::linkable::LinkablePolicies;
use super::parts::{self, Tab};
use super::section::Section;
use super::view::View;
use crate::extract::Ask;
use crate::problem::Problem;
use crate::read_permits::Turn;

/// Some sessions, the newest first.
pub(super) async fn list(
    view: View,
    Ask(api): Ask,
    Chosen { filter, page }: Chosen<SessionFilter>,
    _turn: Turn,
) -> Result<Response, Problem> {
    let sessions = api.sessions(&filter, &page).await?;
    let policies = LinkablePolicies::now(&api).await?;
    let inside = html! {
        (parts::head("Sessions", html! {}))
        (bar(&filter))
        section class="panel" aria-label="Sessions" { (found(&view, &filter, &sessions, &policies)) }
        (parts::pager("/sessions", &filter, &page, sessions.next.as_ref()))
    };
    Ok(view.show(Section::Sessions, "Sessions", &inside))
}

fn bar(filter: &SessionFilter) -> Markup {
    let by_outcome = SessionFilter { outcome: filter.outcome, ..SessionFilter::default() };
    let is_narrowed = *filter != by_outcome;
    let fields = html! {
        (parts::filter("operation", "Operation", filter.operation.as_deref(), ""))
        (parts::filter("policy", "Policy", filter.policy.as_deref(), ""))
        (parts::filter("correlation_id", "Correlation id", filter.correlation_id.as_deref(), ""))
        (parts::filter("session", "Task or session", filter.session.as_deref(), "its id"))
    };
    let along = filter.outcome.map(|outcome| ("outcome", name(outcome)));
    html! {
        (outcomes(filter))
        (parts::filter_bar("/sessions", is_narrowed, along, fields))
    }
}

fn outcomes(filter: &SessionFilter) -> Markup {
    let every = [None, Some(Outcome::Success), Some(Outcome::Failure), Some(Outcome::Cancelled)];
    parts::tabs(
        "Outcome",
        every.map(|outcome| Tab {
            address: address(filter, outcome),
            is_current: filter.outcome == outcome,
            shows: outcome.map_or_else(|| html! { "all" }, shown),
        }),
    )
}

const fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "success",
        Outcome::Failure => "failure",
        Outcome::Cancelled => "cancelled",
    }
}

/// By colour, by shape and in words.
fn shown(outcome: Outcome) -> Markup {
    let (looks, shape) = match outcome {
        Outcome::Success => ("completed", Icon::Completed),
        Outcome::Failure => ("failed", Icon::Failed),
        Outcome::Cancelled => ("cancelled", Icon::Cancelled),
    };
    html! { span class={ "status " (looks) } { (icon(shape)) (name(outcome)) } }
}

/// The same choice, of another outcome.
fn address(filter: &SessionFilter, outcome: Option<Outcome>) -> String {
    link::filtered("/sessions", &SessionFilter { outcome, ..filter.clone() })
}

fn found(
    view: &View,
    filter: &SessionFilter,
    sessions: &Page<Session>,
    policies: &LinkablePolicies,
) -> Markup {
    if !sessions.items.is_empty() {
        return html! {
            ol class="sessions" { @for session in &sessions.items { (one(view, session, policies)) } }
        };
    }
    if sessions.next.is_some() {
        return parts::empty(
            "None of the latest is like that",
            html! { p { "Go on to older ones below." } },
        );
    }
    match *filter == SessionFilter::default() {
        true => parts::empty(
            "No sessions yet",
            html! {
                p { "A " a href="/tasks" { "task" } " shows here when it has ended." }
                p { "What a program retries by itself does if the program keeps its sessions in this store." }
            },
        ),
        false => parts::empty(
            "No session is like that",
            html! { p { "Old ones are forgotten in time. " a href="/sessions" { "See all of them" } "." } },
        ),
    }
}

fn one(view: &View, session: &Session, policies: &LinkablePolicies) -> Markup {
    html! {
        li id={ "session-" (session.session_id) } data-row {
            details {
                summary {
                    (shown(Outcome::of(session)))
                    strong { (session.operation) }
                    span class="muted" {
                        (attempts(session)) ", " (session.policy_id)
                        @if let Some(took) = session.total_duration() { ", " (parts::lasting(took)) " in all" }
                    }
                    @if let Some(reason) = session.reason { (parts::reason(reason)) }
                    (parts::at(view.now, session.end_time.unwrap_or(session.start_time)))
                    @if let Some(said) = last_error(session) { span class="message" { (said) } }
                }
                @if session.forgotten_attempts > 0 {
                    p class="muted" { (parts::count(session.forgotten_attempts)) " attempts before these were forgotten." }
                }
                ol class="timeline" { @for attempt in &session.attempts { (tried(attempt)) } }
                (facts(session, policies))
            }
        }
    }
}

/// What went wrong last, if it did not end well.
fn last_error(session: &Session) -> Option<&str> {
    if session.success {
        return None;
    }
    let error = session.attempts.iter().rev().find_map(|attempt| attempt.error.as_ref());
    error.or(session.final_error.as_ref()).map(|error| error.message.as_str())
}

fn attempts(session: &Session) -> String {
    let all = session.attempts.len() as u64 + session.forgotten_attempts;
    parts::counted(all, "attempt")
}

fn tried(attempt: &AttemptRecord) -> Markup {
    let (looks, shape) =
        if attempt.success { ("completed", Icon::Completed) } else { ("failed", Icon::Failed) };
    html! {
        @if !attempt.delay.is_zero() { li class="wait" { "waits " (parts::lasting(attempt.delay)) } }
        li class="point" {
            span class={ "mark " (looks) } { (icon(shape)) }
            p {
                strong { "Attempt " (attempt.attempt_number) }
                " " span class="muted" { "took " (parts::lasting(attempt.duration)) }
                @if let Some(class) = attempt.class { " " (parts::class(class)) }
            }
            @if let Some(error) = &attempt.error { p class="message" { (error.error_type) ": " (error.message) } }
            @if let Some(why) = &attempt.why { p class="why" { (parts::why(why)) } }
        }
    }
}

/// The task that it is, if it is one.
fn task(session: &Session) -> Option<TaskId> {
    let told = session.context.as_ref()?.get("task")?.as_str()?;
    told.parse().ok().filter(|_| told == session.session_id)
}

fn facts(session: &Session, policies: &LinkablePolicies) -> Markup {
    html! {
        dl class="facts" {
            @if let Some(id) = task(session) { dt { "Task" } dd { a href=(link::task(id)) { code { (id) } } } }
            @else { dt { "Session" } dd { (parts::copyable(&session.session_id, "the id")) } }
            dt { "Policy" } dd { (policies.named(&session.policy_id)) }
            @if let Some(id) = &session.correlation_id { dt { "Correlation id" } dd { (parts::copyable(id, "the correlation id")) } }
            dt { "Events" } dd { a href=(link::narrowed("/events", &[("session", &session.session_id)])) { "of this session" } }
        }
    }
}
