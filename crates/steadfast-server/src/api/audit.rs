//! The audit log (K3).

use axum::Json;
use steadfast_api::{Api, AuditFilter, Page, PageQuery};
use steadfast_store::AuditEntry;

use crate::auth::Admin;
use crate::http::{JsonResult, ListQuery};
use crate::limits::ReadPermit;

/// List audit entries, newest first.
#[utoipa::path(
    get, path = "/audit", tag = "audit",
    params(AuditFilter, PageQuery),
    responses((status = 200, description = "A page of entries", body = Page<AuditEntry>))
)]
pub(super) async fn list_audit(
    Admin(api): Admin,
    ListQuery { filter, page }: ListQuery<AuditFilter>,
    _permit: ReadPermit,
) -> JsonResult<Page<AuditEntry>> {
    Ok(Json(api.audit(&filter, &page).await?))
}
