//! The context of a page request, and its response.

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, VARY};
use http::request::Parts;
use http::{HeaderName, StatusCode};
use jiff::Timestamp;
use maud::Markup;

use super::return_link::ReturnLink;
use super::{Flash, Section, layout};
use crate::app::App;
use crate::auth::{ANONYMOUS, Caller, Role};
use crate::http::{OverTls, Problem};

/// Sent by the script to get the content without the layout.
pub(super) const PARTIAL: HeaderName = HeaderName::from_static("x-steadfast-partial");
/// The browser may show a page again on "back" and revalidates it otherwise.
const REVALIDATE: &str = "private, no-cache";

pub(crate) type PageResult = Result<Response, Problem>;

#[derive(Clone, Debug)]
pub(crate) struct View {
    caller: Option<Caller>,
    pub(super) return_link: Option<ReturnLink>,
    pub(super) flash: Option<Flash>,
    /// The current time of the store (D4), which all relative times use.
    pub(super) now: Timestamp,
    /// The base URL of the server as the browser knows it.
    pub(super) base_url: String,
    pub(super) app: App,
    is_partial: bool,
}

impl FromRequestParts<App> for View {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, app).await?;
        Ok(Self { caller: Some(caller), ..Self::anonymous(parts, app) })
    }
}

impl View {
    /// The context before authentication.
    pub(super) fn anonymous(parts: &Parts, app: &App) -> Self {
        let is_tls = app.auth.over_tls || parts.extensions.get::<OverTls>().is_some();
        let scheme = if is_tls { "https" } else { "http" };
        let host = parts.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
        Self {
            caller: None,
            return_link: ReturnLink::of(parts),
            flash: Flash::from_cookie(&parts.headers),
            now: app.store_time(),
            base_url: format!("{scheme}://{}", host.unwrap_or("127.0.0.1:7700")),
            app: app.clone(),
            is_partial: parts.headers.contains_key(PARTIAL),
        }
    }

    pub(super) fn with_caller(self, caller: Option<&Caller>) -> Self {
        Self { caller: caller.cloned(), ..self }
    }

    /// The name of the store, for authenticated callers.
    pub(super) fn store(&self) -> Option<&str> {
        self.caller.as_ref().map(|_| self.app.store.name())
    }

    pub(super) fn requires_token(&self) -> bool {
        self.app.auth.tokens().is_some()
    }

    pub(super) fn logged_in(&self) -> Option<&str> {
        let actor = self.caller.as_ref().map(|caller| caller.actor.name.as_str());
        actor.filter(|actor| *actor != ANONYMOUS)
    }

    /// Whether the caller can see a section: the audit log is for admins.
    pub(super) fn can_see(&self, section: Section) -> bool {
        let role = self.caller.as_ref().map(|caller| caller.role);
        section != Section::AUDIT || role.is_none_or(|role| role >= Role::Admin)
    }

    /// Whether the caller can submit and control tasks.
    pub(super) fn can_operate(&self) -> bool {
        self.caller.as_ref().is_some_and(|caller| caller.role >= Role::Operator)
    }

    pub(super) fn show(&self, section: Section, title: &str, content: &Markup) -> Response {
        self.answer(StatusCode::OK, Some(section), title, content)
    }

    /// A page with any status, optionally outside all sections.
    pub(super) fn answer(
        &self,
        status: StatusCode,
        section: Option<Section>,
        title: &str,
        content: &Markup,
    ) -> Response {
        let (body, cache) = match self.is_partial {
            true => (layout::main(self, title, content), "no-store"),
            false => (layout::page(self, section, title, content), REVALIDATE),
        };
        let mut response =
            (status, [(CACHE_CONTROL, cache), (VARY, PARTIAL.as_str())], body).into_response();
        if self.flash.is_some() && !self.is_partial {
            Flash::clear(&mut response);
        }
        response
    }
}
