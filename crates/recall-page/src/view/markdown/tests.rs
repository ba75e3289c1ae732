use super::*;

#[track_caller]
fn check(markdown: &str, expected: &str) {
    assert_eq!(text(markdown).into_string().trim_end(), expected, "{markdown}");
}

#[test]
fn the_usual_forms_become_elements() {
    check("a **b** *c* ~~d~~ `e<f>`", "<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e&lt;f&gt;</code></p>");
    check("- a\n- [x] b", "<ul><li>a</li>\n<li>☑ b</li>\n</ul>");
    check("3. a\n4. b", "<ol start=\"3\"><li>a</li>\n<li>b</li>\n</ol>");
    check("> a\n\n---", "<blockquote><p>a</p>\n</blockquote>\n<hr>");
    check(
        "[a](https://example.org) [b](docs/c.md)",
        "<p><a href=\"https://example.org\" rel=\"noreferrer\">a</a> <a href=\"doc?id=docs%2Fc.md\">b</a></p>",
    );
    check(
        "| a | |\n|--:|---|\n| 1 | b |",
        "<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th class=\"n\">a<td></tr></thead><tbody>\n<tr><td class=\"n\">1<td>b</tr>\n</tbody></table></div>",
    );
    check("---\na: b\n---\n", "<pre tabindex=\"0\"><code>a: b\n</code></pre>");
}

#[test]
fn code_is_highlighted_in_the_language_that_it_names() {
    check("```rs,ignore\nlet a;\n\n```", "<pre tabindex=\"0\"><code><span class=\"k\">let</span> a;\n\n</code></pre>");
    check("    let a;", "<pre tabindex=\"0\"><code>let a;\n</code></pre>");
}

#[test]
fn no_level_of_headings_is_skipped() {
    check("# a\n### b\n###### c\n## d", "<h2>a</h2>\n<h3>b</h3>\n<h4>c</h4>\n<h3>d</h3>");
}

#[test]
fn html_is_left_out_and_other_angle_brackets_are_text() {
    check("a <b>c</b><br/><!-- d --> Vec<T>", "<p>a c Vec&lt;T&gt;</p>");
    check("<p align=\"a>b\"><img src=x onerror=boom(1)>\nwombat\n</p>", "<p>wombat</p>");
    check("<!-- a\n\nb -->\n\nc", "<p>c</p>");
    check("<script>boom(1)</script>", "<p>&lt;script&gt;boom(1)&lt;/script&gt;</p>");
    check("<p title=\"a\nb", "<p>&lt;p title=&quot;a\nb</p>");
}

#[test]
fn a_link_that_leads_nowhere_is_its_text() {
    check("[a](javascript:boom(1)) <javascript:boom(1)>", "<p>a javascript:boom(1)</p>");
    check("[a](//example.org \"t\")", "<p>a</p>");
    check("[a]\n\n[a]: data:text/html,b", "<p>a</p>");
}

#[test]
fn an_image_is_named_and_never_loaded() {
    check(
        "![a **b**](https://example.org/c.png)",
        "<p><span class=\"image\"><a href=\"https://example.org/c.png\" rel=\"noreferrer\">a b</a></span></p>",
    );
    check("![](d.png)", "<p><span class=\"image\">image</span></p>");
    check(
        "[![a](https://example.org/c.svg)](https://example.org)",
        "<p><a href=\"https://example.org\" rel=\"noreferrer\"><span class=\"image\">a</span></a></p>",
    );
    check("![a ![b](c) d](e) f", "<p><span class=\"image\">a b d</span> f</p>");
}

#[test]
fn a_document_has_addresses_of_its_headings_and_lines_and_shows_notes_at_them() {
    let source = "# A `b`\n\nc\nd\n\n- e\n- f\n\n# A b\n";
    let note = |text: &str| html! { aside { (text) } };
    let notes = Notes { target: Some(4), by_line: BTreeMap::from([(4, note("x")), (7, note("y"))]) };
    let shown = document("docs/a.md", source, &notes).into_string();
    assert_eq!(
        shown,
        "<h2 id=\"h-a-b\"><span id=\"L1\"></span>A <code>b</code></h2>\n\
         <aside>x</aside><p id=\"L3\" class=\"target\"><span id=\"L4\"></span>c\nd</p>\n\
         <ul><li id=\"L6\">e</li>\n<li id=\"L7\"><aside>y</aside>f</li>\n</ul>\n\
         <h2 id=\"h-a-b-1\"><span id=\"L9\"></span>A b</h2>\n"
    );
    let rows = document("a.md", "| a |\n|---|\n| b |\n", &Notes { target: Some(3), ..Notes::default() }).into_string();
    assert!(rows.contains("<tr id=\"L3\" class=\"target\">"), "{rows}");
}

#[test]
fn every_line_that_was_asked_for_has_an_address() {
    let source = "a\nb\n\n```\nc\nd\n```\n\n> e\n> f\n\n1. g\n   h\n\n   i\n\n<div>\nj\n</div>\n";
    for line in 1..=source.lines().count() as u32 {
        let notes = Notes { target: Some(line), by_line: BTreeMap::from([(line, html! { "note" })]) };
        let shown = document("a.md", source, &notes).into_string();
        assert_eq!(shown.matches(&format!("id=\"L{line}\"")).count(), 1, "{line}: {shown}");
        assert_eq!(shown.matches("note").count(), 1, "{line}: {shown}");
    }
}

/// A text that opens thousands of elements, quotes or links takes time that grows with its length.
#[test]
fn long_nests_are_rendered() {
    for part in ["<p ", "<p \"", "![", "[a](", "> ", "- ", "*", "<!--", "`"] {
        let shown = text(&part.repeat(20_000)).into_string();
        assert!(shown.len() < 20_000 * 40, "{part}: {}", shown.len());
    }
}
