//! Chart destinations: stdout or a file, in a format.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
#[cfg(feature = "png")]
use steadfast_draw::PngOptions;
use steadfast_draw::{ChartStack, SvgOptions, TerminalOptions, Theme};
use supports_unicode::Stream;

use super::{ChartFlags, ChartFormat};
use crate::error::CliError;
use crate::input;
use crate::output::file;
use crate::output::{self, width};

pub(crate) struct ChartDestination<'p> {
    flags: &'p ChartFlags,
    /// `None` is stdout.
    file: Option<PathBuf>,
    format: ChartFormat,
}

impl<'p> ChartDestination<'p> {
    /// The destination given by flags; the format defaults to the file's extension.
    pub(crate) fn of(flags: &'p ChartFlags) -> Result<Self, CliError> {
        let file = flags.output.as_deref().filter(|file| !input::is_stdin(file));
        let format = match (flags.format, file) {
            (Some(format), _) => format,
            (None, Some(file)) => by_extension(file)?,
            (None, None) => ChartFormat::Terminal,
        };
        if format == ChartFormat::Png && !cfg!(feature = "png") {
            return Err(CliError::usage("this build has no PNG support")
                .with_help("rebuild with `--features png`, or write SVG"));
        }
        if file.is_none() && format == ChartFormat::Png && io::stdout().is_terminal() {
            return Err(CliError::usage("cannot print a PNG to a terminal")
                .with_help("write it to a file with -o FILE.png, or omit --format png"));
        }
        Ok(Self { flags, file: file.map(Path::to_owned), format })
    }

    pub(crate) fn is_stdout(&self) -> bool {
        self.file.is_none()
    }

    pub(crate) fn write(&self, sheet: &ChartStack) -> Result<(), CliError> {
        let drawing = match self.format {
            ChartFormat::Terminal => sheet.terminal(&self.terminal(sheet)).into_bytes(),
            ChartFormat::Svg => sheet.svg(&self.svg(sheet)).into_bytes(),
            ChartFormat::Png => self.png(sheet)?,
        };
        let Some(path) = &self.file else {
            return self.print(&drawing);
        };
        file::write(path, &drawing, true)?;
        output::note(&format!("chart written to {}", path.display()));
        Ok(())
    }

    fn print(&self, drawing: &[u8]) -> Result<(), CliError> {
        match self.format {
            ChartFormat::Terminal => output::print(|page| page.write_all(drawing)).map(drop),
            ChartFormat::Svg | ChartFormat::Png => output::print_raw(drawing),
        }
    }

    fn terminal(&self, sheet: &ChartStack) -> TerminalOptions {
        let (flags, defaults) = (self.flags, TerminalOptions::default());
        let choice = anstream::AutoStream::choice(&io::stdout());
        TerminalOptions {
            width: flags.width.or_else(width::of_stdout).unwrap_or(defaults.width),
            height: flags.height.unwrap_or_else(|| defaults.height.saturating_mul(charts(sheet))),
            ascii: !supports_unicode::on(Stream::Stdout),
            colour: self.file.is_none() && choice != ColorChoice::Never,
        }
    }

    fn svg(&self, sheet: &ChartStack) -> SvgOptions {
        let (flags, defaults) = (self.flags, SvgOptions::default());
        let height = || defaults.height.saturating_mul(u32::from(charts(sheet)));
        SvgOptions {
            width: flags.width.map_or(defaults.width, u32::from),
            height: flags.height.map_or_else(height, u32::from),
            theme: flags.theme.unwrap_or(Theme::Auto),
        }
    }

    #[cfg(feature = "png")]
    fn png(&self, sheet: &ChartStack) -> Result<Vec<u8>, CliError> {
        let SvgOptions { width, height, theme } = self.svg(sheet);
        let options = PngOptions { width, height, theme, ..PngOptions::default() };
        sheet.png(&options).map_err(|why| CliError::usage(why.to_string()))
    }

    #[cfg(not(feature = "png"))]
    fn png(&self, _: &ChartStack) -> Result<Vec<u8>, CliError> {
        Err(CliError::failed("this build has no PNG support"))
    }
}

fn by_extension(file: &Path) -> Result<ChartFormat, CliError> {
    let extension = file.extension().map(|it| it.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("svg") => Ok(ChartFormat::Svg),
        Some("png") => Ok(ChartFormat::Png),
        Some("txt") => Ok(ChartFormat::Terminal),
        _ => Err(CliError::usage(format!(
            "cannot derive the chart format from the file name {}",
            file.display()
        ))
        .with_help("use the extension .svg, .png or .txt, or pass --format")),
    }
}

/// The number of charts; each has the height of a single one.
fn charts(sheet: &ChartStack) -> u16 {
    u16::try_from(sheet.len()).unwrap_or(u16::MAX)
}
