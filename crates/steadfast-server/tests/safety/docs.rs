//! Routes in `docs/server.md` and the public OpenAPI description (H1, K1).

use std::collections::BTreeMap;

use crate::roles::{call, operations};
use crate::world;

const GUIDE: &str = include_str!("../../../../docs/server.md");

/// The routes of the guide with their roles; path parameters are unnamed.
fn listed() -> BTreeMap<String, String> {
    let rows = GUIDE.lines().filter_map(|row| row.strip_prefix("| `"));
    let routes = rows.filter_map(|row| {
        let (route, rest) = row.split_once("` | ")?;
        let (role, _) = rest.split_once(" | ")?;
        Some((bare(route), role.to_owned()))
    });
    routes.filter(|(route, _)| route.contains(" /api/v1/")).collect()
}

fn bare(route: &str) -> String {
    let parts = route.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// H1, K1: the guide lists every route with the least privileged role.
#[tokio::test]
async fn docs_list_every_route_with_its_role() {
    let world = world().await;
    let mut found = BTreeMap::new();
    for operation in operations(&world).await {
        let tokens = &world.tokens;
        let roles =
            [("viewer", &tokens.viewer), ("operator", &tokens.operator), ("admin", &tokens.admin)];
        let mut least = "none";
        for (role, token) in roles.into_iter().rev() {
            if call(&world, token, &operation).await != 403 {
                least = role;
            }
        }
        let (method, path) = operation;
        found.insert(format!("{method} {}", bare(&path)), least.to_owned());
    }
    assert_eq!(listed(), found, "see the table of docs/server.md");
}

/// A clause number such as `D17`.
fn is_clause(word: &str) -> bool {
    let Some(number) = word.strip_prefix(|letter: char| "DFGHIJKMOPSWX".contains(letter)) else {
        return false;
    };
    matches!(number.len(), 1 | 2) && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// H1: the public description contains no internal clause numbers.
#[tokio::test]
async fn openapi_contains_no_clause_numbers() {
    let described = world().await.ask("GET /openapi.json", &[], "").await.json().to_string();
    let mut words = described.split(|letter: char| !letter.is_ascii_alphanumeric());
    assert_eq!(words.find(|word| is_clause(word)), None);
    assert!(is_clause("D17") && !is_clause("D170") && !is_clause("503"));
}
