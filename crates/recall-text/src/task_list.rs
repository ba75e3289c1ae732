//! Task lists in Markdown.

/// Returns the task-list items of a Markdown text, and whether each is ticked.
///
/// ```
/// let text = "Left open:\n- [ ] add a test\n- [x] mention it\n";
/// assert_eq!(recall_text::boxes(text).collect::<Vec<_>>(), [("add a test", false), ("mention it", true)]);
/// ```
pub fn boxes(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().filter_map(|line| {
        let item = line.trim_start().strip_prefix(['-', '*', '+'])?.trim_start();
        let (mark, task) = item.strip_prefix('[')?.split_once(']')?;
        let is_done = match mark {
            " " => false,
            "x" | "X" => true,
            _ => return None,
        };
        Some((task.trim(), is_done)).filter(|(task, _)| !task.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_found_in_lists() {
        let text = "# Done\n- [x] one\n- [ ] two\n  * [ ] three\n- [link](x) four\n[ ] five\n- [ ]\n";
        assert_eq!(boxes(text).collect::<Vec<_>>(), [("one", true), ("two", false), ("three", false)]);
    }
}
