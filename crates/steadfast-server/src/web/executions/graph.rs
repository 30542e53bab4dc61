//! How the nodes of a workflow wait for each other, drawn: a table says it too, but nobody sees
//! from it what holds everything up.
//!
//! A node stands one column to the right of the last that it waits for. Drawn is what a person can
//! take in; the table has all of it.

use std::collections::HashMap;

use maud::{Markup, html};

/// More nodes than this are a carpet.
const MOST: usize = 60;
const BOX: (usize, usize) = (176, 32);
const STEP: (usize, usize) = (240, 48);
const MARGIN: usize = 8;
/// So many letters fit into a box.
const LETTERS: usize = 20;

/// A node as it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawn<'n> {
    pub(crate) name: &'n str,
    /// The nodes that must have completed before.
    pub(crate) waits_for: &'n [String],
    /// What is said of it to whoever points at it.
    pub(crate) says: &'n str,
    /// The status of a task that it looks like, if it is anywhere.
    pub(crate) looks: &'static str,
}

/// The drawing, if there is something to see.
pub(crate) fn draw(nodes: &[Drawn<'_>]) -> Option<Markup> {
    let waits = nodes.iter().any(|node| !node.waits_for.is_empty());
    if !waits || nodes.len() > MOST {
        return None;
    }
    let places = places(nodes);
    let width = places.iter().map(|place| place.0).max()? + BOX.0 + MARGIN;
    let height = places.iter().map(|place| place.1).max()? + BOX.1 + MARGIN;
    let by_name: HashMap<&str, (usize, usize)> =
        nodes.iter().map(|node| node.name).zip(places.iter().copied()).collect();
    let arrows = nodes.iter().zip(&places).flat_map(|(node, to)| {
        let from = node.waits_for.iter().filter_map(|name| by_name.get(name.as_str()));
        from.map(move |from| arrow(*from, *to))
    });
    Some(html! {
        div class="scroll graph" tabindex="0" role="region" aria-label="How the nodes wait for each other" {
            svg width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) }
                role="img" aria-label="The nodes, each right of those that it waits for. The table below says the same." {
                @for way in arrows { path d=(way) {} }
                @for (node, place) in nodes.iter().zip(&places) { (drawn(node, *place)) }
            }
        }
    })
}

/// Where the box of each node begins, from the left and from above.
fn places(nodes: &[Drawn<'_>]) -> Vec<(usize, usize)> {
    let mut rows: HashMap<usize, usize> = HashMap::new();
    let place = |column: usize| {
        let row = rows.entry(column).or_default();
        *row += 1;
        (MARGIN + column * STEP.0, MARGIN + (*row - 1) * STEP.1)
    };
    columns(nodes).into_iter().map(place).collect()
}

/// How many nodes in a row each has to wait for. A workflow has no way round.
fn columns(nodes: &[Drawn<'_>]) -> Vec<usize> {
    let mut columns: HashMap<&str, usize> = HashMap::new();
    for _ in nodes {
        for node in nodes {
            let before = node.waits_for.iter().filter_map(|name| columns.get(name.as_str()));
            let column = before.max().map_or(0, |last| last + 1);
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

fn drawn(node: &Drawn<'_>, (left, top): (usize, usize)) -> Markup {
    let name = node.name;
    let shown: String = match name.chars().count() > LETTERS {
        true => name.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => name.to_owned(),
    };
    html! {
        g class=(node.looks) {
            title { (name) ": " (node.says) }
            rect x=(left) y=(top) width=(BOX.0) height=(BOX.1) rx="6" {}
            text x=(left + 12) y=(top + 21) { (shown) }
        }
    }
}
