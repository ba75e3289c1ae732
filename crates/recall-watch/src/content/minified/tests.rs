use super::*;

#[track_caller]
fn check(path: &str, text: &str, expected: bool) {
    let path = DocPath::new(path).unwrap();
    let head: String = text.chars().take(120).collect();
    assert_eq!(is_minified(&path, text), expected, "{path}: {head}");
}

#[test]
fn only_large_code_with_long_lines_is_minified() {
    let statement = "function a(b,c){return b+c};";
    let minified = format!("/* licence */\n{}\n", statement.repeat(4000));
    check("app.js", &minified, true);
    check("book.md", &minified, false);
    check("notebook.ipynb", &minified, false);
    check("small.js", &statement.repeat(1000), false);
    check("written.js", &format!("{statement}\n").repeat(4000), false);
    check(
        "one-long-line.rs",
        &format!("{}\nconst T: &str = \"{}\";\n", "fn f() {}\n".repeat(9000), "x".repeat(9000)),
        false,
    );
    // 300 characters per line, three bytes each.
    check("chinese.c", &format!("{}\n", "这".repeat(300)).repeat(100), false);
    check("one.json", &"1,".repeat(50 * 1024 * 1024), true);
}
