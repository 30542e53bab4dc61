//! The text for a terminal: never too wide, legible when narrow, honest without colour.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use steadfast_draw::{Axis, Chart, TerminalOptions};
use unicode_width::UnicodeWidthStr;

use common::{backoff, load, oddities};

fn sized(width: u16, height: u16) -> TerminalOptions {
    TerminalOptions { width, height, ..TerminalOptions::default() }
}

/// The text as a terminal shows it.
fn without_escapes(text: &str) -> String {
    let mut shown = String::new();
    let mut parts = text.split('\u{1b}');
    shown += parts.next().unwrap();
    for part in parts {
        shown += part.split_once('m').unwrap().1;
    }
    shown
}

#[test]
fn narrow_chart_is_legible() {
    assert_eq!(
        backoff().terminal(&sized(40, 16)),
        "\
Delay before each retry
exponential, full jitter
░ with jitter  ━ without jitter
delay
  │
2m┤                                  ⢀⡴
  │                                 ⢠⠞░
  │                                ⣰⠋░░
  │                              ⢀⡼⠁░░░
1m┤                            ⣀⡴⠋░░░░░
  │                         ⢀⡴⠚⠁░░░░░░░
  │                   ⢀⣀⣠⠴⠒⠋⠉░░░░░░░░░░
0s┤⣀⣀⣀⣀⣀⣠⠤⠤⠤⠤⠤⠤⠤⠖⠒⠒⠒⠋⠉⠉░░░░░░░░░░░░░░░░
  └┬────┬────┬────┬────┬────┬────┬────┬
   1    2    3    4    5    6    7    8
                                  retry
"
    );
}

#[test]
fn chart_fits_its_width_and_height() {
    for (what, chart) in oddities() {
        for width in [40, 80, 200] {
            for (ascii, colour) in [(false, false), (true, false), (false, true)] {
                let options = TerminalOptions { width, height: 20, ascii, colour };
                let text = without_escapes(&chart.terminal(&options));
                for line in text.lines() {
                    assert!(line.width() <= usize::from(width), "{what} at {width}: {line}");
                    assert_eq!(line, line.trim_end(), "{what} at {width}");
                }
                assert!(text.lines().count() <= 20, "{what} at {width}:\n{text}");
            }
        }
    }
}

#[test]
fn chart_of_any_width_has_title_names_and_axes() {
    for width in [40, 80, 200] {
        let text = load().terminal(&sized(width, 20));
        let words =
            ["Load during an outage", "no backoff", "full jitter", "outage", "requests", "time"];
        for word in words.into_iter().chain(["0/s", "0s", "1m"]) {
            assert!(text.contains(word), "{word} at {width}:\n{text}");
        }
    }
}

#[test]
fn ascii_chart_has_only_ascii() {
    for (what, chart) in oddities() {
        let text = chart.terminal(&TerminalOptions { ascii: true, ..TerminalOptions::default() });
        assert!(text.is_ascii(), "{what}:\n{text}");
    }
    let odd =
        Chart::new("Größe – 重試").y(Axis::seconds("t")).line("µ", [(1.0, 1e-6), (2.0, 4e-6)]);
    let text = odd.terminal(&TerminalOptions { ascii: true, ..TerminalOptions::default() });
    assert!(text.starts_with("Gr??e - ??\n") && text.contains("4us"), "{text}");
}

#[test]
fn lines_without_colour_are_marked_by_letters() {
    let chart = Chart::new("two")
        .line("upper", [(0.0, 9.0), (1.0, 9.0)])
        .line("lower", [(0.0, 1.0), (1.0, 1.0)]);
    let text = chart.terminal(&sized(60, 14));
    assert!(text.contains("a upper  b lower"), "{text}");
    let rows: Vec<&str> = text.lines().skip(2).collect();
    let row_with = |letter| rows.iter().position(|row| row.contains(letter)).unwrap();
    assert!(row_with('a') < row_with('b'), "{text}");
}

#[test]
fn lines_have_different_colours() {
    let text = load().terminal(&TerminalOptions { colour: true, ..TerminalOptions::default() });
    for colour in ["\u{1b}[36m", "\u{1b}[33m", "\u{1b}[35m"] {
        assert!(text.contains(colour), "{colour:?}");
    }
    assert!(!load().terminal(&TerminalOptions::default()).contains('\u{1b}'));
}

/// Names come from files: they must not reach the terminal as commands.
#[test]
fn escape_sequences_in_names_are_removed() {
    let hostile = "\u{1b}[2J\u{7}name\r\n";
    let chart = Chart::new(hostile)
        .subtitle(hostile)
        .x(Axis::new(hostile))
        .y(Axis::new(hostile))
        .region(hostile, 0.0, 1.0)
        .line(hostile, [(0.0, 1.0), (1.0, 2.0)])
        .line(hostile, [(0.0, 1.0), (1.0, 2.0)]);
    let text = chart.terminal(&TerminalOptions::default());
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

#[test]
fn wide_characters_take_two_columns() {
    let chart = Chart::new("重試".repeat(30)).line("d", [(0.0, 0.0), (1.0, 1.0)]);
    let text = chart.terminal(&sized(40, 14));
    let title = text.lines().next().unwrap();
    assert!(title.ends_with('…') && (39..=40).contains(&title.width()), "{title}");
}

#[test]
fn empty_chart_says_so() {
    let text = Chart::new("Load").terminal(&sized(40, 20));
    assert_eq!(text, "Load\nNo data yet\n");
}

#[test]
fn single_point_is_drawn() {
    let text = Chart::new("one").line("one", [(3.0, 4.0)]).terminal(&sized(40, 14));
    assert_eq!(text.matches('•').count(), 1, "{text}");
}

#[test]
fn step_holds_its_value() {
    let chart = Chart::new("step").step("s", [(0.0, 0.0), (5.0, 10.0), (10.0, 10.0)]);
    let text = chart.terminal(&TerminalOptions { ascii: true, ..sized(30, 14) });
    let drawn: Vec<usize> = text.lines().map(|line| line.matches('*').count()).collect();
    let long = drawn.iter().filter(|count| **count > 10).count();
    let upright = drawn.iter().filter(|count| **count == 1).count();
    assert_eq!((long, upright), (2, 9), "{text}");
}

#[test]
fn values_outside_the_axes_are_not_drawn() {
    let chart = Chart::new("outside")
        .x(Axis::new("x").min(0.0).max(1.0))
        .y(Axis::new("y").min(0.0).max(1.0))
        .points("far", [(5.0, 0.5), (0.5, -3.0), (0.5, 0.5)]);
    assert_eq!(chart.terminal(&sized(40, 14)).matches('•').count(), 1);
}

#[test]
fn regions_are_labelled_in_any_order() {
    let chart = Chart::new("days")
        .x(Axis::new("x").min(0.0).max(10.0))
        .region("late", 8.0, 6.0)
        .region("early", 1.0, 4.0)
        .region("never", 20.0, 30.0)
        .line("d", [(0.0, 0.0), (10.0, 1.0)]);
    let text = chart.terminal(&sized(60, 14));
    let names = text.lines().nth(1).unwrap();
    let trimmed: Vec<&str> = names.split_whitespace().collect();
    assert_eq!(trimmed, ["├────", "early", "─────┤", "├──", "late", "──┤"], "{text}");
    let column = |c| names.chars().position(|found| found == c);
    let below = text.lines().nth(3).unwrap();
    assert_eq!(column('├'), below.chars().position(|found| found == '┊'), "{text}");
}

#[test]
fn sizes_below_the_minimum_are_raised() {
    let text = backoff().terminal(&sized(0, 0));
    assert!(text.lines().all(|line| line.width() <= 24), "{text}");
    assert!(text.contains("delay") && text.contains('└'), "{text}");
}
