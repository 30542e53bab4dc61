//! Where a chart goes, and how it is drawn there.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use steadfast_draw::{Chart, PngOptions, SvgOptions, TerminalOptions};
use supports_unicode::Stream;

use super::{Form, Plot, Theme};
use crate::input;
use crate::output::file::{self, IfThere};
use crate::output::{self, width};
use crate::problem::Problem;

/// A place, and the form of what is put there.
pub(super) struct Target {
    /// None is stdout.
    file: Option<PathBuf>,
    form: Form,
}

impl Target {
    /// What was asked for, or what the file's extension says.
    pub(super) fn of(output: Option<&Path>, form: Option<Form>) -> Result<Self, Problem> {
        let file = output.filter(|file| !input::is_stdin(file));
        let form = match (form, file) {
            (Some(form), _) => form,
            (None, Some(file)) => by_extension(file)?,
            (None, None) => Form::Terminal,
        };
        if file.is_none() && form == Form::Png && io::stdout().is_terminal() {
            return Err(Problem::usage("a PNG would only garble this terminal")
                .with_next("name a file with -o FILE.png, or leave out --format png".to_owned()));
        }
        Ok(Self { file: file.map(Path::to_owned), form })
    }

    pub(super) fn is_stdout(&self) -> bool {
        self.file.is_none()
    }

    pub(super) fn write(&self, chart: &Chart, asked: &Plot) -> Result<(), Problem> {
        let drawing = match self.form {
            Form::Terminal => chart.terminal(&self.terminal(asked)).into_bytes(),
            Form::Svg => chart.svg(&svg(asked)).into_bytes(),
            Form::Png => chart.png(&png(asked)).map_err(|why| Problem::usage(why.to_string()))?,
        };
        let Some(path) = &self.file else {
            return self.print(&drawing);
        };
        file::write(path, &drawing, IfThere::Replace)?;
        output::note(&format!("drawn to {}", path.display()));
        Ok(())
    }

    fn print(&self, drawing: &[u8]) -> Result<(), Problem> {
        match self.form {
            Form::Terminal => output::print(|page| page.write_all(drawing)),
            Form::Svg | Form::Png => output::print_raw(drawing),
        }
    }

    fn terminal(&self, asked: &Plot) -> TerminalOptions {
        let usual = TerminalOptions::default();
        let choice = anstream::AutoStream::choice(&io::stdout());
        TerminalOptions {
            width: asked.width.or_else(width::of_stdout).unwrap_or(usual.width),
            height: asked.height.unwrap_or(usual.height),
            ascii: !supports_unicode::on(Stream::Stdout),
            colour: self.file.is_none() && choice != ColorChoice::Never,
        }
    }
}

fn by_extension(file: &Path) -> Result<Form, Problem> {
    let extension = file.extension().map(|it| it.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("svg") => Ok(Form::Svg),
        Some("png") => Ok(Form::Png),
        Some("txt") => Ok(Form::Terminal),
        _ => Err(Problem::usage(format!(
            "the extension of {} does not say how to draw",
            file.display()
        ))
        .with_next("let its name end in .svg, .png or .txt, or say it with --format".to_owned())),
    }
}

fn svg(asked: &Plot) -> SvgOptions {
    let usual = SvgOptions::default();
    SvgOptions {
        width: asked.width.map_or(usual.width, u32::from),
        height: asked.height.map_or(usual.height, u32::from),
        theme: theme(asked),
    }
}

fn png(asked: &Plot) -> PngOptions {
    let SvgOptions { width, height, theme } = svg(asked);
    PngOptions { width, height, theme, ..PngOptions::default() }
}

fn theme(asked: &Plot) -> steadfast_draw::Theme {
    match asked.theme {
        Some(Theme::Light) => steadfast_draw::Theme::Light,
        Some(Theme::Dark) => steadfast_draw::Theme::Dark,
        Some(Theme::Auto) | None => steadfast_draw::Theme::Auto,
    }
}
