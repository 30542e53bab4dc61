//! Who did what, when, from where (K3).

use axum::Json;
use steadfast_api::{Api, AuditFilter, Page, PageQuery, schemas};
use steadfast_store::AuditEntry;

use crate::api::openapi::Problems;
use crate::auth::extract::Admin;
use crate::http::problem::Answer;
use crate::http::query::Listed;
use crate::limits::read_permits::Turn;

/// What was done, newest first.
#[utoipa::path(
    get, path = "/audit", tag = "audit",
    params(AuditFilter, PageQuery),
    responses((status = 200, description = "A page of it", body = Page<schemas::AuditEntry>), Problems)
)]
pub(super) async fn list_audit(
    Admin(api): Admin,
    Listed { filter, page }: Listed<AuditFilter>,
    _turn: Turn,
) -> Answer<Page<AuditEntry>> {
    Ok(Json(api.audit(&filter, &page).await?))
}
