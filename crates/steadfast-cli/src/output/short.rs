//! Texts cut to fit a line.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::sanitize;

/// The first line of a text, no wider than `width`.
pub(crate) fn line(text: &str, width: usize) -> String {
    let text = sanitize::line(text.trim().lines().next().unwrap_or_default());
    if text.width() <= width {
        return text;
    }
    let mut room = width.saturating_sub(1);
    let fits = text.chars().take_while(|letter| {
        let wide = letter.width().unwrap_or_default();
        let fits = wide <= room;
        room = room.saturating_sub(wide);
        fits
    });
    fits.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_ends_with_a_mark_and_fits() {
        assert_eq!(line("short", 5), "short");
        assert_eq!(line("longer", 5), "long…");
        assert_eq!(line("東京都庁", 5), "東京…");
        assert_eq!(line("first\nsecond", 20), "first");
        assert_eq!(line("", 0), "");
    }
}
