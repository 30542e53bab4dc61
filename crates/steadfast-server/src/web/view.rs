//! Who looks, at what, and how it is answered.

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, VARY};
use http::request::Parts;
use http::{HeaderName, StatusCode};
use jiff::Timestamp;
use maud::Markup;

use super::back::Back;
use super::done::Done;
use super::layout;
use super::section::Section;
use crate::app::App;
use crate::auth::Role;
use crate::caller::{ANONYMOUS, Caller};
use crate::problem::Problem;
use crate::proxies::OverTls;

/// Sent by the script: the frame is there already, and only the inside is wanted.
pub(super) const INSIDE: HeaderName = HeaderName::from_static("x-steadfast-inside");
/// A page may be shown again when somebody goes back, and is asked for anew otherwise.
const ASK_AGAIN: &str = "private, no-cache";

/// Somebody who looks at a page.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// Who it is, if that is known.
    caller: Option<Caller>,
    /// Where to go if it fails.
    pub(super) back: Option<Back>,
    /// What they have just done.
    pub(super) done: Option<Done>,
    /// The time that everything on the page is told by: the store's (D4).
    pub(super) now: Timestamp,
    /// What the server calls itself: scheme and host as the browser knows them.
    pub(super) address: String,
    /// Whether everybody is asked for a token.
    pub(super) asks_for_token: bool,
    store: String,
    is_inside: bool,
}

impl FromRequestParts<App> for View {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, app).await?;
        Ok(Self { caller: Some(caller), ..Self::of_nobody(parts, app) })
    }
}

impl View {
    /// Of somebody who has not been asked who they are.
    pub(super) fn of_nobody(parts: &Parts, app: &App) -> Self {
        let is_tls = app.auth().over_tls() || parts.extensions.get::<OverTls>().is_some();
        let scheme = if is_tls { "https" } else { "http" };
        let host = parts.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
        Self {
            caller: None,
            back: Back::of(parts),
            done: Done::last(&parts.headers),
            now: app.time(),
            address: format!("{scheme}://{}", host.unwrap_or("127.0.0.1:7700")),
            asks_for_token: app.auth().tokens().is_some(),
            store: app.store().name().to_owned(),
            is_inside: parts.headers.contains_key(INSIDE),
        }
    }

    /// The same, of this one if they were let in.
    pub(super) fn of(self, caller: Option<&Caller>) -> Self {
        Self { caller: caller.cloned(), ..self }
    }

    /// What the store is called, for those who may look at it.
    pub(super) fn store(&self) -> Option<&str> {
        self.caller.as_ref().map(|_| self.store.as_str())
    }

    /// The name of whoever has logged in.
    pub(super) fn logged_in(&self) -> Option<&str> {
        let actor = self.caller.as_ref().map(|caller| caller.by.actor.as_str());
        actor.filter(|actor| *actor != ANONYMOUS)
    }

    /// Whether a section is for them: what others did is for admins.
    pub(super) fn may_see(&self, section: Section) -> bool {
        let role = self.caller.as_ref().map(|caller| caller.role);
        section != Section::Audit || role.is_none_or(|role| role >= Role::Admin)
    }

    /// Whether they may submit and steer.
    pub(super) fn may_change(&self) -> bool {
        self.caller.as_ref().is_some_and(|caller| caller.role >= Role::Operator)
    }

    /// A page, or the inside of one.
    pub(super) fn show(&self, section: Section, title: &str, inside: &Markup) -> Response {
        self.answer(StatusCode::OK, Some(section), title, inside)
    }

    /// The same with another status, and perhaps in no section.
    pub(super) fn answer(
        &self,
        status: StatusCode,
        section: Option<Section>,
        title: &str,
        inside: &Markup,
    ) -> Response {
        let (body, cache) = match self.is_inside {
            true => (layout::inside(self, title, inside), "no-store"),
            false => (layout::whole(self, section, title, inside), ASK_AGAIN),
        };
        let mut response =
            (status, [(CACHE_CONTROL, cache), (VARY, INSIDE.as_str())], body).into_response();
        if self.done.is_some() && !self.is_inside {
            Done::forget(&mut response);
        }
        response
    }
}
