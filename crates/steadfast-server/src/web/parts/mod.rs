//! What pages are made of: plain functions that give markup.

mod badge;
mod chart;
mod choosing;
mod copy;
mod empty;
mod field;
mod json;
mod number;
mod pager;
mod panel;
mod table;
mod terminal;
mod time;
mod words;

pub(super) use badge::{class, reason, status, unreadable, why};
pub(super) use chart::{Looks, chart, side_chart};
pub(super) use choosing::{Tab, filter_bar, tabs};
pub(super) use copy::{command, copyable, id};
pub(super) use empty::{empty, first_task};
pub(super) use field::{A_TIME, Field, choice, filter, hidden};
pub(super) use json::document;
pub(super) use number::{count, of_queue, percent};
pub(super) use pager::{pager, pages};
pub(super) use panel::{head, panel, panel_with};
pub(super) use table::{Column, plain_table, read_only_table, table};
pub(super) use terminal::{curl, token_first};
pub(super) use time::{ago, at, band, lasting, seconds, span};
pub(super) use words::{counted, sentence};
