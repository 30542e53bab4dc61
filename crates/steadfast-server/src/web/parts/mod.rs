//! Shared components of pages: functions that return markup.

mod badge;
mod chart;
mod copy;
mod empty;
mod field;
mod list;
mod panel;
mod table;
mod text;
mod time;

pub(super) use badge::{
    badge, badge_with, breaker_state, class, mark, only_lost_workers, reason, status, unreadable,
    why,
};
pub(super) use chart::{chart, side_chart};
pub(super) use copy::{command, copyable, document, document_panel, id, yaml};
pub(super) use empty::{curl, empty, first_task, no_matches, no_matches_here, token_note};
pub(super) use field::{Field, TIME_PLACEHOLDER, choice, filter, hidden, post_button};
pub(super) use list::{Tab, filter_bar, filter_tabs, pager, pages, tabs};
pub(super) use panel::{head, panel, panel_with};
pub(super) use table::Column::{Number, Text, VisuallyHidden};
pub(super) use table::{plain_table, read_only_table, table};
pub(super) use text::{
    count, error, node_error, percent, pluralize, queue_count, sentence, truncate,
};
pub(super) use time::{ago, at, duration, duration_range, from_now_on, seconds, span};
