//! Generated sections of a text: between `<!-- name: … -->` and `<!-- /name -->`.

/// The text with the part between the markers of `name` replaced, or `None`
/// when the markers are not there, in this order.
pub(crate) fn replaced(text: &str, name: &str, part: &str) -> Option<String> {
    let (before, rest) = text.split_once(&format!("<!-- {name}: "))?;
    let (remark, rest) = rest.split_once("-->")?;
    let end = format!("<!-- /{name} -->");
    let (_, after) = rest.split_once(&end)?;
    let part = part.trim();
    Some(format!("{before}<!-- {name}: {remark}-->\n\n{part}\n\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn section_is_replaced_and_the_rest_kept() {
        let text = "a\n<!-- core: by hand? no -->\nold\n<!-- /core -->\nz\n";
        let wanted = "a\n<!-- core: by hand? no -->\n\nnew\n\n<!-- /core -->\nz\n";
        assert_eq!(replaced(text, "core", "new\n").as_deref(), Some(wanted));
    }

    #[test]
    fn replacement_is_idempotent() {
        let text = "<!-- core: x --><!-- /core -->";
        let once = replaced(text, "core", "new").unwrap();
        assert_eq!(replaced(&once, "core", "new"), Some(once));
    }

    #[test]
    fn missing_markers_replace_nothing() {
        assert_eq!(replaced("a", "core", "new"), None);
        assert_eq!(replaced("<!-- core: x -->", "core", "new"), None);
        assert_eq!(replaced("<!-- /core --><!-- core: x -->", "core", "new"), None);
    }
}
