//! Shared components of pages: functions that return markup.

mod badge;
mod chart;
mod copy;
mod empty;
mod field;
mod filter_bar;
mod json;
mod number;
mod pager;
mod panel;
mod table;
mod terminal;
mod text;
mod time;

pub(super) use badge::{class, reason, status, unreadable, why};
pub(super) use chart::{Palette, chart, side_chart};
pub(super) use copy::{command, copyable, id};
pub(super) use empty::{empty, first_task};
pub(super) use field::{Field, TIME_PLACEHOLDER, choice, filter, hidden};
pub(super) use filter_bar::{Tab, filter_bar, tabs};
pub(super) use json::document;
pub(super) use number::{count, percent, queue_count};
pub(super) use pager::{pager, pages};
pub(super) use panel::{head, panel, panel_with};
pub(super) use table::Column::{Number, Text, VisuallyHidden};
pub(super) use table::{Column, plain_table, read_only_table, table};
pub(super) use terminal::{curl, token_note};
pub(super) use text::{pluralize, sentence};
pub(super) use time::{ago, at, duration, duration_range, seconds, span};
