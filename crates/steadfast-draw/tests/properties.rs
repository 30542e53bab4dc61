//! Properties of every chart, with arbitrary values.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use roxmltree::Document;
use steadfast_draw::{Axis, Chart, SvgOptions, TerminalOptions};
use unicode_width::UnicodeWidthStr;

fn any_value() -> BoxedStrategy<f64> {
    prop_oneof![
        6 => -100.0..100.0,
        2 => (0..10_i32).prop_map(f64::from),
        2 => (-300..300_i32).prop_map(|power| 10_f64.powi(power)),
        1 => Just(0.0),
        2 => any::<f64>(),
    ]
    .boxed()
}

fn any_axis() -> impl Strategy<Value = Axis> {
    let kind = prop_oneof![
        Just(Axis::new as fn(String) -> Axis),
        Just(Axis::count as fn(String) -> Axis),
        Just(Axis::seconds as fn(String) -> Axis),
        Just(Axis::rate as fn(String) -> Axis),
    ];
    let ends = (option::of(any_value()), option::of(any_value()));
    (kind, ".{0,20}", any::<bool>(), any::<bool>(), ends).prop_map(
        |(kind, label, logarithmic, from_zero, (min, max))| {
            let axis = kind(label);
            let axis = if logarithmic { axis.logarithmic() } else { axis };
            let axis = if from_zero { axis.from_zero() } else { axis };
            let axis = min.into_iter().fold(axis, Axis::min);
            max.into_iter().fold(axis, Axis::max)
        },
    )
}

fn any_chart() -> impl Strategy<Value = Chart> {
    let series = (0..4_u8, ".{0,30}", vec((any_value(), any_value(), any_value()), 0..30));
    let regions = vec((".{0,10}", any_value(), any_value()), 0..3);
    (".{0,60}", any_axis(), any_axis(), vec(series, 0..6), regions).prop_map(
        |(title, x, y, series, regions)| {
            let chart = Chart::new(title).x(x).y(y);
            let chart = series.into_iter().fold(chart, |chart, (kind, name, values)| {
                let points: Vec<_> = values.iter().map(|(x, y, _)| (*x, *y)).collect();
                match kind {
                    0 => chart.line(name, points),
                    1 => chart.step(name, points),
                    2 => chart.points(name, points),
                    _ => chart.band(name, values),
                }
            });
            regions
                .into_iter()
                .fold(chart, |chart, (label, from, to)| chart.region(label, from, to))
        },
    )
}

const COORDINATES: [&str; 11] =
    ["x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height"];

proptest! {
    #[test]
    fn svg_is_well_formed_with_finite_coordinates(
        chart in any_chart(),
        width in 0..3000_u32,
        height in 0..3000_u32,
    ) {
        let svg = chart.svg(&SvgOptions { width, height, ..SvgOptions::default() });
        let document = Document::parse(&svg).unwrap();
        for node in document.descendants() {
            for attribute in node.attributes().filter(|a| COORDINATES.contains(&a.name())) {
                let value = attribute.value().trim_end_matches('%');
                let number: f64 = value.parse().unwrap();
                prop_assert!(number.is_finite(), "{} {value}", attribute.name());
            }
            let numbers = node.attribute("d").unwrap_or("").split(['M', 'L', 'Z', ' ']);
            for number in numbers.filter(|number| !number.is_empty()) {
                prop_assert!(number.parse::<f64>().unwrap().is_finite(), "{number}");
            }
        }
    }

    #[test]
    fn points_lie_inside_the_plot(chart in any_chart()) {
        let svg = chart.svg(&SvgOptions::default());
        let document = Document::parse(&svg).unwrap();
        let with_class = |class: &'static str| {
            document.descendants().filter(move |node| node.attribute("class") == Some(class))
        };
        let Some(plot) = with_class("sd-plot").next() else {
            prop_assert!(chart.is_empty());
            return Ok(());
        };
        let number = |node: &roxmltree::Node, name| node.attribute(name).unwrap().parse::<f64>().unwrap();
        let [left, top, width, height] = ["x", "y", "width", "height"].map(|name| number(&plot, name));
        let values = with_class("sd-values").next().unwrap();
        for dot in values.descendants().filter(|node| node.has_tag_name("circle")) {
            let (x, y) = (number(&dot, "cx") - left, number(&dot, "cy") - top);
            prop_assert!((-0.3..=width + 0.3).contains(&x), "{x} of {width}");
            prop_assert!((-0.3..=height + 0.3).contains(&y), "{y} of {height}");
        }
    }

    #[test]
    fn terminal_text_fits_its_width(
        chart in any_chart(),
        width in 0..250_u16,
        height in 0..60_u16,
        ascii in any::<bool>(),
    ) {
        let text = chart.terminal(&TerminalOptions { width, height, ascii, colour: false });
        for line in text.lines() {
            prop_assert!(line.width() <= usize::from(width.max(24)), "{line}");
            prop_assert!(!ascii || line.is_ascii(), "{line}");
        }
    }
}
