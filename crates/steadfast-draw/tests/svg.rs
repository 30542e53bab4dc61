//! The SVG: well-formed, self-contained, readable by people and machines.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use roxmltree::{Document, Node};
use steadfast_draw::{Axis, Chart, SvgOptions, Theme, stylesheet};

use common::{backoff, load, oddities};

fn svg(chart: &Chart) -> String {
    chart.svg(&SvgOptions::default())
}

fn with_class<'a>(document: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    let has =
        |node: &Node| node.attribute("class").is_some_and(|c| c.split(' ').any(|c| c == class));
    document.descendants().filter(has).collect()
}

fn texts(document: &Document) -> Vec<String> {
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text()).map(str::to_owned).collect()
}

fn number(node: &Node, attribute: &str) -> f64 {
    node.attribute(attribute).unwrap().parse().unwrap()
}

/// Left, top, right and bottom of the plot.
fn plot(document: &Document) -> [f64; 4] {
    let plot = with_class(document, "sd-plot")[0];
    let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(&plot, name));
    [x, y, x + width, y + height]
}

#[test]
fn chart_is_a_well_formed_document_with_title_and_description() {
    for (what, chart) in oddities() {
        let svg = svg(&chart);
        let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{what}: {error}"));
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"), "{what}");
        let names: Vec<_> = root.children().filter(Node::is_element).take(2).collect();
        assert!(names[0].has_tag_name("title"), "{what}");
        assert!(names[1].has_tag_name("desc"), "{what}");
        assert!(!names[1].text().unwrap().is_empty(), "{what}");
    }
}

#[test]
fn chart_has_no_external_references() {
    for (what, chart) in oddities() {
        let svg = svg(&chart).replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        for forbidden in ["http", "href", "url(", "<script", "@import", "@font-face", "<image"] {
            assert!(!svg.contains(forbidden), "{what}: {forbidden}");
        }
    }
}

#[test]
fn description_summarizes_the_chart() {
    let svg = svg(&load());
    let document = Document::parse(&svg).unwrap();
    let description = document.descendants().find(|node| node.has_tag_name("desc")).unwrap();
    assert_eq!(
        description.text().unwrap(),
        "Vertical axis: requests. Horizontal axis: time. no backoff: between 600/s and 777/s. \
         exponential: between 400/s and 518/s. full jitter: between 200/s and 259/s. \
         outage: from 1m to 2m."
    );
}

#[test]
fn series_are_drawn_and_named() {
    let svg = svg(&load());
    let document = Document::parse(&svg).unwrap();
    let paths = document.descendants().filter(|node| {
        node.has_tag_name("path") && node.attribute("d").is_some_and(|d| d.starts_with('M'))
    });
    assert_eq!(paths.count(), 3);
    let texts = texts(&document);
    for name in ["no backoff", "exponential", "full jitter", "outage", "requests", "time"] {
        assert!(texts.iter().any(|text| text == name), "{name} in {texts:?}");
    }
}

#[test]
fn band_has_the_colour_of_its_line_and_lies_under_it() {
    let svg = svg(&backoff());
    let document = Document::parse(&svg).unwrap();
    let inside = with_class(&document, "sd-plot")[0];
    let classes: Vec<_> = inside
        .descendants()
        .filter(|node| node.has_tag_name("path"))
        .filter_map(|node| node.attribute("class"))
        .collect();
    assert_eq!(classes, ["sd-band sd-s1", "sd-line sd-s1"]);
}

#[test]
fn single_series_has_no_legend() {
    let svg = svg(&Chart::new("Delay").line("delay", [(1.0, 1.0), (2.0, 2.0)]));
    let document = Document::parse(&svg).unwrap();
    assert!(!texts(&document).contains(&"delay".to_owned()));
}

#[test]
fn overfull_legend_counts_the_omitted_series() {
    let chart = (0..14).fold(Chart::new("many"), |chart, i| {
        chart.line(format!("policy number {i}"), [(0.0, 0.0), (1.0, f64::from(i))])
    });
    let svg = chart.svg(&SvgOptions { width: 400, height: 240, ..SvgOptions::default() });
    let document = Document::parse(&svg).unwrap();
    let legend = with_class(&document, "sd-legend")[0];
    let names: Vec<_> = legend.descendants().filter(|node| node.has_tag_name("text")).collect();
    let names: Vec<_> = names.iter().filter_map(|node| node.text()).collect();
    let (last, named) = names.split_last().unwrap();
    assert_eq!(*last, format!("and {} more", 14 - named.len()), "{names:?}");
    assert!(named.len() >= 3, "{names:?}");
}

#[test]
fn label_at_the_axis_end_stays_inside_the_image() {
    let chart = Chart::new("far").line("far", [(1_000_000.25, 1.0), (1_000_000.75, 2.0)]);
    let svg = svg(&chart);
    let document = Document::parse(&svg).unwrap();
    let ticks = with_class(&document, "sd-middle");
    assert!(ticks.len() > 1);
    for tick in ticks {
        let (from, to) = ends(&tick);
        assert!(from >= 0.0 && to <= 720.0, "{:?} from {from} to {to}", tick.text());
    }
}

#[test]
fn markup_in_names_is_escaped() {
    let hostile = "</text><script>alert('1')</script> & \"q\"\u{0}\u{1b}\u{ffff}";
    let chart = Chart::new(hostile)
        .subtitle(hostile)
        .x(Axis::new(hostile))
        .y(Axis::new(hostile))
        .region(hostile, 0.0, 1.0)
        .line(hostile, [(0.0, 0.0), (1.0, 1.0)])
        .points(hostile, [(0.5, 0.5)]);
    let svg = chart.svg(&SvgOptions { width: 2000, ..SvgOptions::default() });
    let document = Document::parse(&svg).unwrap();
    assert!(document.descendants().all(|node| !node.has_tag_name("script")));
    let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
    assert_eq!(title.text().unwrap(), "</text><script>alert('1')</script> & \"q\"   ");
}

#[test]
fn values_are_placed_by_the_axes() {
    let chart = Chart::new("diagonal")
        .x(Axis::new("x"))
        .y(Axis::new("y"))
        .line("d", [(0.0, 0.0), (5.0, 5.0), (10.0, 10.0)]);
    let svg = svg(&chart);
    let document = Document::parse(&svg).unwrap();
    let [left, top, right, bottom] = plot(&document);
    let dots = with_class(&document, "sd-dot");
    let places: Vec<_> = dots.iter().map(|dot| (number(dot, "cx"), number(dot, "cy"))).collect();
    let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 1.2 && (a.1 - b.1).abs() < 1.2;
    assert!(near(places[0], (left, bottom)), "{places:?}");
    assert!(near(places[1], ((left + right) / 2.0, (top + bottom) / 2.0)), "{places:?}");
    assert!(near(places[2], (right, top)), "{places:?}");
}

#[test]
fn points_have_tooltips() {
    let svg = svg(&backoff());
    let document = Document::parse(&svg).unwrap();
    let readings: Vec<_> = with_class(&document, "sd-values")[0]
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .filter_map(|node| node.text())
        .collect();
    assert!(readings.contains(&"without jitter: 4s at retry 3"), "{readings:?}");
    assert!(readings.contains(&"with jitter: 0s to 2m8s at retry 8"), "{readings:?}");
}

#[test]
fn gap_breaks_the_line() {
    let points = [(1.0, 1.0), (2.0, 2.0), (3.0, f64::NAN), (4.0, 1.0), (5.0, 2.0)];
    let svg = svg(&Chart::new("gap").line("gap", points));
    let document = Document::parse(&svg).unwrap();
    let path = document.descendants().find(|node| node.has_tag_name("path")).unwrap();
    assert_eq!(path.attribute("d").unwrap().matches('M').count(), 2);
}

/// A full jitter's lower edge is zero, which a logarithmic axis doesn't have.
#[test]
fn band_reaches_a_logarithmic_axis() {
    let svg = svg(&backoff().y(Axis::seconds("delay").logarithmic()));
    let document = Document::parse(&svg).unwrap();
    let [_, _, _, bottom] = plot(&document);
    let band = with_class(&document, "sd-band").into_iter().find(|node| node.has_tag_name("path"));
    let path = band.unwrap().attribute("d").unwrap().to_owned();
    let lowest = path.split(['M', 'L', 'Z']).filter_map(|place| place.split_once(' '));
    let lowest = lowest.map(|(_, y)| y.parse::<f64>().unwrap()).fold(0.0, f64::max);
    assert!((lowest - bottom).abs() < 1.2, "{lowest} at {bottom}");
}

#[test]
fn axis_labels_do_not_overlap() {
    for (width, height) in [(240, 160), (400, 240), (720, 400), (1600, 900)] {
        for (what, chart) in oddities() {
            let options = SvgOptions { width, height, ..SvgOptions::default() };
            let svg = chart.svg(&options);
            let document = Document::parse(&svg).unwrap();
            let ticks = with_class(&document, "sd-tick");
            let (across, down): (Vec<_>, Vec<_>) =
                ticks.iter().partition(|tick| tick.attribute("class").unwrap().contains("middle"));
            let ends: Vec<(f64, f64)> = across.iter().map(|tick| ends(tick)).collect();
            assert!(ends.windows(2).all(|pair| pair[0].1 < pair[1].0), "{what} at {width}");
            let ys: Vec<f64> = down.iter().map(|tick| number(tick, "y")).collect();
            assert!(ys.windows(2).all(|pair| pair[0] - pair[1] >= 14.0), "{what} at {height}");
        }
    }
}

/// Where a centred label of 12 pixels begins and ends, if a letter is 7 pixels wide.
fn ends(tick: &Node) -> (f64, f64) {
    let half = tick.text().unwrap().chars().count() as f64 * 3.5;
    (number(tick, "x") - half, number(tick, "x") + half)
}

#[test]
fn empty_chart_says_so() {
    for chart in [Chart::new("nothing"), Chart::new("gaps").points("gaps", [(f64::NAN, 1.0)])] {
        assert!(chart.is_empty());
        let svg = svg(&chart);
        let document = Document::parse(&svg).unwrap();
        let texts = texts(&document);
        assert!(texts.contains(&"No data yet".to_owned()), "{texts:?}");
    }
}

#[test]
fn theme_is_automatic_fixed_or_inherited() {
    let theme = |theme| backoff().svg(&SvgOptions { theme, ..SvgOptions::default() });
    let auto = theme(Theme::Auto);
    assert!(auto.contains("prefers-color-scheme: dark") && auto.contains("var(--sd-ink)"));
    for (fixed, background) in [(Theme::Light, "#ffffff"), (Theme::Dark, "#12171e")] {
        let svg = theme(fixed);
        assert!(svg.contains(&format!(".sd-background{{fill:{background}}}")));
        assert!(!svg.contains("var(") && !svg.contains("@media"));
    }
    let page = theme(Theme::Page);
    assert!(!page.contains("<style") && !page.contains("style="));
    let document = Document::parse(&page).unwrap();
    let classes = document.descendants().filter_map(|node| node.attribute("class"));
    let css = stylesheet();
    for class in classes.flat_map(|classes| classes.split(' ')) {
        let group = ["sd-axes", "sd-legend", "sd-plot", "sd-series", "sd-values"].contains(&class);
        assert!(group || css.contains(&format!(".{class}")), "{class} has no style");
    }
}

/// H2: pages hold several charts, so nothing in one may be confused with another.
#[test]
fn chart_has_no_element_ids() {
    assert!(!svg(&load()).contains(" id="));
}

#[test]
fn million_values_give_a_small_file() {
    let noise = || (0..1_000_000_u32).map(|i| (f64::from(i), f64::from(i % 1009 * 7919 % 1009)));
    let line = svg(&Chart::new("noise").line("line", noise()));
    assert!(line.len() < 100_000, "{}", line.len());
    let points = svg(&Chart::new("noise").points("points", noise()));
    assert!(points.len() < 2_000_000, "{}", points.len());
}

fn ended() -> Chart {
    Chart::new("Ended")
        .x(Axis::seconds("time"))
        .y(Axis::count("tasks").from_zero())
        .bars("completed", [(0.0, 60.0, 8.0), (60.0, 120.0, 0.0)])
        .bars("failed", [(0.0, 60.0, 2.0), (60.0, 120.0, f64::NAN)])
}

#[test]
fn bars_are_stacked_and_share_a_tooltip() {
    let svg = ended().svg(&SvgOptions::default());
    assert_eq!(svg.matches("class=\"sd-bar sd-s1\"").count(), 2, "a bar and its sample");
    assert_eq!(svg.matches("class=\"sd-bar sd-s2\"").count(), 2, "a bar and its sample");
    assert!(svg.contains("0s to 1m: completed 8, failed 2"), "{svg}");
    assert!(svg.contains("1m to 2m: completed 0<"), "{svg}");
    assert!(svg.contains(".sd-bar.sd-s1{fill:var(--sd-s1)}"), "{svg}");
}

#[test]
fn chart_without_bars_has_no_bar_styles() {
    let svg = Chart::new("Line").line("a", [(0.0, 1.0), (1.0, 2.0)]).svg(&SvgOptions::default());
    assert!(!svg.contains("sd-bar"), "{svg}");
}

#[test]
fn chart_without_heading_has_an_accessible_name() {
    let svg = ended().without_heading().svg(&SvgOptions::default());
    assert!(!svg.contains("class=\"sd-title\""), "{svg}");
    assert!(svg.contains("aria-label=\"Ended\""), "{svg}");
}
