//! Several charts in one picture.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use steadfast_draw::{Chart, ChartStack, SvgOptions, TerminalOptions};

fn charts() -> [Chart; 2] {
    ["Load", "Done"].map(|title| Chart::new(title).line("it", [(0.0, 1.0), (1.0, 2.0)]))
}

fn options() -> SvgOptions {
    SvgOptions { width: 600, height: 800, ..SvgOptions::default() }
}

/// Each has its half of the height, and they do not overlap.
#[test]
fn charts_are_stacked_vertically() {
    let svg = ChartStack::new(charts()).svg(&options());
    let document = roxmltree::Document::parse(&svg).unwrap();
    let sheet = document.root_element();
    assert_eq!(sheet.attribute("viewBox"), Some("0 0 600 800"));
    let inner: Vec<_> = sheet.children().filter(|node| node.has_tag_name("svg")).collect();
    let places = inner.iter().map(|chart| (chart.attribute("y"), chart.attribute("height")));
    let places: Vec<_> = places.collect();
    assert_eq!(places, [(Some("0"), Some("400")), (Some("400"), Some("400"))]);
}

/// One alone is drawn as it always was.
#[test]
fn stack_of_one_chart_is_that_chart() {
    let [chart, _] = charts();
    assert_eq!(ChartStack::from(chart.clone()).svg(&options()), chart.svg(&options()));
    let text = TerminalOptions::default();
    assert_eq!(ChartStack::from(chart.clone()).terminal(&text), chart.terminal(&text));
}

#[test]
fn stacked_charts_share_the_terminal_lines() {
    let text =
        ChartStack::new(charts()).terminal(&TerminalOptions { height: 30, ..Default::default() });
    assert!(text.lines().count() <= 31, "{text}");
    assert!(text.find("Load").unwrap() < text.find("Done").unwrap());
}

#[cfg(feature = "png")]
#[test]
fn png_has_the_requested_size() {
    let options =
        steadfast_draw::PngOptions { width: 600, height: 800, scale: 1.0, ..Default::default() };
    let png = ChartStack::new(charts()).png(&options).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (600, 800));
}

/// No data yet is drawn as nothing.
#[test]
fn empty_stack_is_a_valid_document() {
    assert!(ChartStack::default().is_empty());
    assert!(ChartStack::default().svg(&options()).starts_with("<svg"));
    assert_eq!(ChartStack::default().terminal(&TerminalOptions::default()), "");
}
