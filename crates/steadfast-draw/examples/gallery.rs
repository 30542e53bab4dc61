//! Example charts: `cargo run -p steadfast-draw --example gallery -- DIRECTORY`.
//!
//! Writes each as SVG and as PNG, light and dark, and prints it.

use std::error::Error;
use std::path::Path;

use steadfast_draw::{Axis, Chart, PngOptions, SvgOptions, TerminalOptions, Theme};

fn main() -> Result<(), Box<dyn Error>> {
    let Some(directory) = std::env::args().nth(1) else {
        return Err("say where to write the charts: gallery DIRECTORY".into());
    };
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    let charts = [
        ("backoff", backoff()),
        ("backoff-log", backoff().y(Axis::seconds("delay").logarithmic())),
        ("load", load()),
        ("completion", completion()),
        ("empty", Chart::new("Success rate").subtitle("last 24 hours")),
    ];
    for (name, chart) in &charts {
        std::fs::write(directory.join(format!("{name}.svg")), chart.svg(&SvgOptions::default()))?;
        for (theme, suffix) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            let png = chart.png(&PngOptions { theme, ..PngOptions::default() })?;
            std::fs::write(directory.join(format!("{name}-{suffix}.png")), png)?;
        }
        println!("{}", chart.terminal(&TerminalOptions { colour: true, ..Default::default() }));
    }
    Ok(())
}

fn backoff() -> Chart {
    let delays: Vec<(f64, f64)> =
        (1..=8).map(|retry| (f64::from(retry), 2_f64.powi(retry - 1).min(60.0))).collect();
    Chart::new("Delay before each retry")
        .subtitle("exponential, base 1s, doubling up to 1m, full jitter")
        .x(Axis::count("retry"))
        .y(Axis::seconds("delay").from_zero())
        .band("with jitter", delays.iter().map(|(retry, delay)| (*retry, 0.0, *delay)))
        .line("without jitter", delays)
}

fn load() -> Chart {
    let over_time = |retries: fn(f64) -> f64| {
        (0..=240).map(f64::from).map(move |t| (t, 200.0 + 12.0 * (t * 0.7).sin() + retries(t)))
    };
    Chart::new("Load during and after an outage")
        .subtitle("10 000 clients, 200 calls a second, server down for one minute")
        .x(Axis::seconds("time"))
        .y(Axis::rate("requests").from_zero())
        .region("outage", 60.0, 120.0)
        .line("no backoff", over_time(|t| if (60.0..135.0).contains(&t) { 900.0 } else { 0.0 }))
        .line("exponential", over_time(|t| wave(t) * (1.0 + (t * 0.8).sin())))
        .line("exponential, full jitter", over_time(wave))
}

/// Retries that rise while nothing succeeds and die down afterwards.
fn wave(t: f64) -> f64 {
    match t {
        t if t < 60.0 => 0.0,
        t if t < 120.0 => 300.0 * (1.0 - (-(t - 60.0) / 15.0).exp()),
        t => 300.0 * (-(t - 120.0) / 25.0).exp(),
    }
}

fn completion() -> Chart {
    let share = |scale: f64| {
        (0..=60).map(move |i| {
            let seconds = 0.05 * 1.15_f64.powi(i);
            (seconds, 1.0 - (-seconds / scale).exp())
        })
    };
    Chart::new("Time to completion")
        .x(Axis::seconds("time until the call succeeded").logarithmic())
        .y(Axis::new("share of calls").min(0.0).max(1.0))
        .step("sql", share(0.8))
        .step("grpc", share(6.0))
        .step("patient", share(70.0))
}
