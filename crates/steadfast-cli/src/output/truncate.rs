//! Text truncated to one line.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::sanitize;

/// The first line of a text, truncated to `width` columns.
pub(crate) fn line(text: &str, width: usize) -> String {
    let text = sanitize::line(text.trim().lines().next().unwrap_or_default());
    if text.width() <= width {
        return text;
    }
    let mut columns_left = width.saturating_sub(1);
    let fits = text.chars().take_while(|letter| {
        let wide = letter.width().unwrap_or_default();
        let fits = wide <= columns_left;
        columns_left = columns_left.saturating_sub(wide);
        fits
    });
    fits.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_truncated_with_ellipsis() {
        assert_eq!(line("short", 5), "short");
        assert_eq!(line("longer", 5), "long…");
        assert_eq!(line("東京都庁", 5), "東京…");
        assert_eq!(line("first\nsecond", 20), "first");
        assert_eq!(line("", 0), "");
    }
}
