//! Text output of one event per line.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use steadfast::observe::{Event, EventType};
use steadfast_api::EventView;

use crate::output::colour::{BAD, DIM, GOOD};
use crate::output::human_duration::format as human_duration;
use crate::output::sanitize;

const CAREFUL: Style = AnsiColor::Yellow.on_default().bold();

pub(super) fn write(page: &mut dyn Write, view: &EventView) -> io::Result<()> {
    let event = &view.event;
    let style = style_of(event.event_type);
    let time = event.timestamp.strftime("%Y-%m-%d %H:%M:%S");
    let name = event.event_type.name();
    write!(
        page,
        "{DIM}{time}{DIM:#}  {style}{name:<22}{style:#}  {}",
        sanitize::line(&event.operation)
    )?;
    if let (Some(attempt), Some(most)) = (event.attempt, event.max_attempts) {
        write!(page, "  attempt {attempt} of {most}")?;
    }
    if let Some(delay) = event.delay {
        write!(page, " in {}", human_duration(delay))?;
    }
    if let Some(reason) = event.reason {
        write!(page, ": {}", reason.label())?;
    }
    write!(
        page,
        "  {DIM}policy {}  session {}{DIM:#}",
        sanitize::line(&event.policy_id),
        sanitize::line(&event.session_id)
    )?;
    if let Some(error) = error(event) {
        write!(page, "  {}", sanitize::line(&error))?;
    }
    writeln!(page)
}

fn error(event: &Event) -> Option<String> {
    let of_context = |name| event.context.as_ref()?.get(name)?.as_str().map(str::to_owned);
    let lost_lease = || of_context("worker").map(|worker| format!("worker {worker} was lost"));
    event
        .error
        .as_ref()
        .map(ToString::to_string)
        .or_else(|| of_context("last_error"))
        .or_else(lost_lease)
}

const fn style_of(event_type: EventType) -> Style {
    match event_type {
        EventType::RetrySuccess | EventType::CircuitBreakerClosed => GOOD,
        EventType::RetryFailure | EventType::CircuitBreakerOpened | EventType::LeaseLost => BAD,
        _ => CAREFUL,
    }
}
