//! The cut costs of markup, by its indentation.

use crate::lines::Lines;
use crate::outline::NO_CUT;

/// The indentation, in bytes, from which on all lines are equally deep.
const MOST_INDENT: usize = 60;

/// The beginnings of lines that end or continue what begins above them.
const CONTINUATIONS: &[&str] = &[
    "</", "{/", "{:", "}", ")", "]", ">", "/>", "-->", "{% end", "{%- end", "{% el", "{%- el", "<% end", "<% else",
    "<% }", "{{/", "{{ end", "{{- end", "{{else", "{{ else", "{{- else", "@end", "@else",
];

/// Returns a cost for each line: twice its indentation, and one more if no blank line is above it.
pub(super) fn costs(lines: &Lines<'_>) -> Vec<u16> {
    let mut after_blank = true;
    let cost = |line| {
        if lines.is_blank(line) {
            after_blank = true;
            return NO_CUT;
        }
        let is_first = std::mem::replace(&mut after_blank, false);
        let text = lines.get(line).trim_start();
        if CONTINUATIONS.iter().any(|start| text.starts_with(start)) {
            return NO_CUT;
        }
        1 + 2 * lines.indent(line).min(MOST_INDENT) as u16 + u16::from(!is_first)
    };
    (0..lines.len()).map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_lines_and_those_of_one_paragraph_cost_more() {
        let lines = Lines::new("<a>\n  b\n\n  c\n</a>\n<d>\n");
        assert_eq!(costs(&lines), [1, 6, NO_CUT, 5, NO_CUT, 2]);
    }
}
