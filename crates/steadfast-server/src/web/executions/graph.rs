//! The dependency graph of a workflow's nodes.
//!
//! A node is one column to the right of its last dependency. Large workflows have no graph; the table
//! lists all of their dependencies.

use std::collections::HashMap;

use maud::{Markup, html};

use crate::web::parts;

/// Workflows with more nodes than this have no graph.
const MAX_NODES: usize = 60;
/// Width and height of a node.
const BOX: (usize, usize) = (176, 32);
/// Distance between columns and between rows.
const STEP: (usize, usize) = (240, 48);
const MARGIN: usize = 8;
const MAX_NAME_CHARS: usize = 20;

#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphNode<'n> {
    pub(crate) name: &'n str,
    pub(crate) depends_on: &'n [String],
    pub(crate) tooltip: &'n str,
    /// The task status whose colour it has, or empty.
    pub(crate) class: &'static str,
}

/// The graph, if the nodes have dependencies and are not too many.
pub(crate) fn graph(nodes: &[GraphNode<'_>]) -> Option<Markup> {
    let has_edges = nodes.iter().any(|node| !node.depends_on.is_empty());
    if !has_edges || nodes.len() > MAX_NODES {
        return None;
    }
    let positions = positions(nodes);
    let width = positions.iter().map(|position| position.0).max()? + BOX.0 + MARGIN;
    let height = positions.iter().map(|position| position.1).max()? + BOX.1 + MARGIN;
    let by_name: HashMap<&str, (usize, usize)> =
        nodes.iter().map(|node| node.name).zip(positions.iter().copied()).collect();
    let arrows = nodes.iter().zip(&positions).flat_map(|(node, to)| {
        let from = node.depends_on.iter().filter_map(|name| by_name.get(name.as_str()));
        from.map(move |from| arrow(*from, *to))
    });
    Some(html! {
        div class="scroll graph" tabindex="0" role="region" aria-label="Node dependencies" {
            svg width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) }
                role="img" aria-label="Dependency graph. The table below lists the same dependencies." {
                @for arrow in arrows { path d=(arrow) {} }
                @for (node, position) in nodes.iter().zip(&positions) { (node_box(node, *position)) }
            }
        }
    })
}

fn positions(nodes: &[GraphNode<'_>]) -> Vec<(usize, usize)> {
    let mut rows: HashMap<usize, usize> = HashMap::new();
    let position = |column: usize| {
        let row = rows.entry(column).or_default();
        *row += 1;
        (MARGIN + column * STEP.0, MARGIN + (*row - 1) * STEP.1)
    };
    columns(nodes).into_iter().map(position).collect()
}

/// The column of each node: the length of its longest dependency chain. Workflows have no cycles.
fn columns(nodes: &[GraphNode<'_>]) -> Vec<usize> {
    let mut columns: HashMap<&str, usize> = HashMap::new();
    for _ in nodes {
        for node in nodes {
            let dependencies = node.depends_on.iter().filter_map(|name| columns.get(name.as_str()));
            let column = dependencies.max().map_or(0, |last| last + 1);
            columns.insert(node.name, column);
        }
    }
    nodes.iter().filter_map(|node| columns.get(node.name).copied()).collect()
}

fn arrow(from: (usize, usize), to: (usize, usize)) -> String {
    let (left, right) = (from.0 + BOX.0, to.0);
    let (above, below) = (from.1 + BOX.1 / 2, to.1 + BOX.1 / 2);
    let bend = STEP.0 - BOX.0 - 16;
    format!("M{left} {above}C{} {above} {} {below} {right} {below}", left + bend, right - bend)
}

fn node_box(node: &GraphNode<'_>, (left, top): (usize, usize)) -> Markup {
    let name = node.name;
    html! {
        g class=(node.class) {
            title { (name) ": " (node.tooltip) }
            rect x=(left) y=(top) width=(BOX.0) height=(BOX.1) rx="6" {}
            text x=(left + 12) y=(top + 21) { (parts::truncate(name, MAX_NAME_CHARS)) }
        }
    }
}
