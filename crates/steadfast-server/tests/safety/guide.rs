//! What `docs/server.md` says of the routes, and what `/openapi.json` says to strangers (H1, K1).

use std::collections::BTreeMap;

use crate::roles::{asked, operations};
use crate::world;

const GUIDE: &str = include_str!("../../../../docs/server.md");

/// The routes of the guide with the role that each takes; an id is an id, whatever it is called.
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

/// H1, K1: the guide lists every route that is described, with the least role that may ask.
#[tokio::test]
async fn the_guide_lists_every_route_with_its_role() {
    let world = world().await;
    let mut found = BTreeMap::new();
    for operation in operations(&world).await {
        let tokens = &world.tokens;
        let roles =
            [("viewer", &tokens.viewer), ("operator", &tokens.operator), ("admin", &tokens.admin)];
        let mut least = "nobody";
        for (role, token) in roles.into_iter().rev() {
            if asked(&world, token, &operation).await != 403 {
                least = role;
            }
        }
        let (method, path) = operation;
        found.insert(format!("{method} {}", bare(&path)), least.to_owned());
    }
    assert_eq!(listed(), found, "see the table of docs/server.md");
}

/// A code by which tests name a clause, such as `D17`.
fn is_clause(word: &str) -> bool {
    let Some(number) = word.strip_prefix(|letter: char| "DFGHIJKMOPSWX".contains(letter)) else {
        return false;
    };
    matches!(number.len(), 1 | 2) && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// H1: whoever reads the description has no table of clauses beside it.
#[tokio::test]
async fn the_description_cites_no_clause() {
    let described = world().await.ask("GET /openapi.json", &[], "").await.json().to_string();
    let mut words = described.split(|letter: char| !letter.is_ascii_alphanumeric());
    assert_eq!(words.find(|word| is_clause(word)), None);
    assert!(is_clause("D17") && !is_clause("D170") && !is_clause("503"));
}
