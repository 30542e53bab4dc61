//! Where a chart goes, and how it is drawn there.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use steadfast_draw::{PngOptions, ChartStack, SvgOptions, TerminalOptions};
use supports_unicode::Stream;

use super::{Form, Picture, Theme};
use crate::input;
use crate::output::file::{self, IfThere};
use crate::output::{self, width};
use crate::problem::Problem;

/// A place, and the form of what is put there.
pub(crate) struct Target<'p> {
    asked: &'p Picture,
    /// None is stdout.
    file: Option<PathBuf>,
    form: Form,
}

impl<'p> Target<'p> {
    /// What was asked for, or what the file's extension says.
    pub(super) fn of(asked: &'p Picture) -> Result<Self, Problem> {
        let file = asked.output.as_deref().filter(|file| !input::is_stdin(file));
        let form = match (asked.format, file) {
            (Some(form), _) => form,
            (None, Some(file)) => by_extension(file)?,
            (None, None) => Form::Terminal,
        };
        if file.is_none() && form == Form::Png && io::stdout().is_terminal() {
            return Err(Problem::usage("a PNG would only garble this terminal")
                .with_next("name a file with -o FILE.png, or leave out --format png".to_owned()));
        }
        Ok(Self { asked, file: file.map(Path::to_owned), form })
    }

    pub(crate) fn is_stdout(&self) -> bool {
        self.file.is_none()
    }

    pub(crate) fn write(&self, sheet: &ChartStack) -> Result<(), Problem> {
        let drawing = match self.form {
            Form::Terminal => sheet.terminal(&self.terminal(sheet)).into_bytes(),
            Form::Svg => sheet.svg(&self.svg(sheet)).into_bytes(),
            Form::Png => self.png(sheet)?,
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

    fn terminal(&self, sheet: &ChartStack) -> TerminalOptions {
        let (asked, usual) = (self.asked, TerminalOptions::default());
        let choice = anstream::AutoStream::choice(&io::stdout());
        TerminalOptions {
            width: asked.width.or_else(width::of_stdout).unwrap_or(usual.width),
            height: asked.height.unwrap_or_else(|| usual.height.saturating_mul(charts(sheet))),
            ascii: !supports_unicode::on(Stream::Stdout),
            colour: self.file.is_none() && choice != ColorChoice::Never,
        }
    }

    fn svg(&self, sheet: &ChartStack) -> SvgOptions {
        let (asked, usual) = (self.asked, SvgOptions::default());
        let height = || usual.height.saturating_mul(u32::from(charts(sheet)));
        SvgOptions {
            width: asked.width.map_or(usual.width, u32::from),
            height: asked.height.map_or_else(height, u32::from),
            theme: theme(asked),
        }
    }

    fn png(&self, sheet: &ChartStack) -> Result<Vec<u8>, Problem> {
        let SvgOptions { width, height, theme } = self.svg(sheet);
        let options = PngOptions { width, height, theme, ..PngOptions::default() };
        sheet.png(&options).map_err(|why| Problem::usage(why.to_string()))
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

/// Each chart is as high as it would be alone.
fn charts(sheet: &ChartStack) -> u16 {
    u16::try_from(sheet.len()).unwrap_or(u16::MAX)
}

fn theme(asked: &Picture) -> steadfast_draw::Theme {
    match asked.theme {
        Some(Theme::Light) => steadfast_draw::Theme::Light,
        Some(Theme::Dark) => steadfast_draw::Theme::Dark,
        Some(Theme::Auto) | None => steadfast_draw::Theme::Auto,
    }
}
