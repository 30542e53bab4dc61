//! Icons of 16 by 16 pixels in the colour of the text beside them.
//!
//! An icon always has a text label, visible or for screen readers.

use maud::{Markup, PreEscaped, html};

/// An icon: its SVG content, in a 16 by 16 view box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Icon(&'static str);

impl Icon {
    pub(super) const OVERVIEW: Self =
        Self(r#"<path d="M2 13.5h12M3.5 11V7.5M7 11V3M10.5 11V6M13 11V8.5"/>"#);
    pub(super) const TASKS: Self = Self(
        r#"<path d="M2.5 4l1 1 2-2M2.5 8.5l1 1 2-2M2.5 13l1 1 2-2M8 4h5.5M8 8.5h5.5M8 13h5.5"/>"#,
    );
    pub(super) const WORKFLOWS: Self = Self(
        r#"<circle cx="3.5" cy="8" r="1.5"/><circle cx="12.5" cy="3.5" r="1.5"/><circle cx="12.5" cy="12.5" r="1.5"/><path d="M5 8l6-4M5 8l6 4"/>"#,
    );
    pub(super) const POLICY: Self =
        Self(r#"<path d="M2.5 2.5v11h11"/><path d="M4.5 11.5c4 0 6-2 7.5-8"/>"#);
    pub(super) const BREAKER: Self = Self(
        r#"<path d="M1.5 11h3M11.5 11h3M4.5 11l6-5.5"/><circle cx="4.5" cy="11" r="1"/><circle cx="11.5" cy="11" r="1"/>"#,
    );
    pub(super) const EVENTS: Self = Self(r#"<path d="M1.5 8.5h3l2-5 3 9.5 2-4.5h3"/>"#);
    pub(super) const SESSIONS: Self =
        Self(r#"<path d="M13 8a5 5 0 1 1-1.6-3.7"/><path d="M13.2 2v2.7h-2.7"/>"#);
    pub(super) const QUEUES: Self =
        Self(r#"<path d="M2.5 3.5h11M2.5 6.5h11M2.5 9.5h7M2.5 12.5h4"/>"#);
    pub(super) const AUDIT: Self =
        Self(r#"<path d="M4 1.5h6l2.5 2.5v10.5h-8.5z"/><path d="M6 7h4.5M6 9.5h4.5M6 12h2.5"/>"#);
    pub(super) const PENDING: Self = Self(r#"<circle cx="8" cy="8" r="5"/>"#);
    pub(super) const SCHEDULED: Self =
        Self(r#"<circle cx="8" cy="8" r="5.5"/><path d="M8 5v3.2l2 1.3"/>"#);
    pub(super) const RUNNING: Self = Self(
        r#"<circle cx="8" cy="8" r="5"/><path d="M8 3a5 5 0 0 1 0 10z" fill="currentColor"/>"#,
    );
    pub(super) const COMPLETED: Self = Self(r#"<path d="M3 8.5l3.2 3.2L13 4.8"/>"#);
    pub(super) const FAILED: Self = Self(r#"<path d="M4 4l8 8M12 4l-8 8"/>"#);
    pub(super) const CANCELLED: Self =
        Self(r#"<circle cx="8" cy="8" r="5.5"/><path d="M4.2 11.8l7.6-7.6"/>"#);
    pub(super) const SEARCH: Self =
        Self(r#"<circle cx="7" cy="7" r="4.5"/><path d="M10.5 10.5l3.5 3.5"/>"#);
    pub(super) const COPY: Self =
        Self(r#"<path d="M5.5 5.5h8v8h-8z"/><path d="M10.5 5.5v-3h-8v8h3"/>"#);
    pub(super) const THEME: Self = Self(
        r#"<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor"/>"#,
    );
    pub(super) const PLUS: Self = Self(r#"<path d="M8 3v10M3 8h10"/>"#);
    pub(super) const KEY: Self =
        Self(r#"<path d="M1.5 4h13v8.5h-13z"/><path d="M4 7h.5M7.7 7h.5M11.5 7h.5M5 10h6"/>"#);
    pub(super) const MARK: Self = Self(
        r#"<path d="M3 5.2A5.6 5.6 0 0 1 13.4 7M13 10.8A5.6 5.6 0 0 1 2.6 9"/><path d="M13.6 3.4V7H10M2.4 12.6V9H6"/>"#,
    );
}

/// The icon, hidden from screen readers.
pub(crate) fn icon(which: Icon) -> Markup {
    html! {
        svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false" {
            (PreEscaped(which.0))
        }
    }
}
