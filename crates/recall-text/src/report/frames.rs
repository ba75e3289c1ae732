//! The places that a pasted failure names, the one that failed first.

use super::formats::{FrameOrder, PATTERNS};

/// A place in a file, as a trace, a compiler or a test runner names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The path as written, with `/` between its components, without the scheme and the host of a URL. A place in Java has the path of
    /// its package; if only the class is named, the path has no extension.
    pub path: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The function, as written.
    pub function: Option<String>,
    /// Whether the path is one of installed packages or of a standard library.
    pub is_library: bool,
}

/// The most lines between two places of one trace: source lines, carets, notes.
const MOST_LINES_BETWEEN: usize = 6;

/// The most places that are read of a text.
const MOST_FRAMES: usize = 200;

/// The folders in which package managers and toolchains keep what is not the project's.
const LIBRARY_FOLDERS: [&str; 16] = [
    "site-packages",
    "dist-packages",
    "node_modules",
    ".cargo/registry",
    "rustc",
    "rustlib",
    "go/pkg/mod",
    "local/go/src",
    "gems",
    "vendor",
    "lib/python",
    "node:internal",
    "internal/modules",
    "java.base",
    "deps",
    "frozen importlib",
];

/// What is done with a path and a line that stand together in any text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mentions {
    /// They are a place, after those of the known formats.
    Read,
    /// They are not a place: the output of a program names files for many reasons.
    Ignore,
}

/// Consecutive places of formats with one order.
struct Trace {
    order: FrameOrder,
    last_line: usize,
    frames: Vec<Frame>,
}

/// Reads the places in a text: those of traces, the last trace first and in each the innermost place first; then the complaints of
/// compilers and the like in their order; then paths with lines anywhere in the text, if they are to be read. Each place once, at most
/// [`MOST_FRAMES`].
pub(super) fn read_frames(text: &str, mentions: Mentions) -> Vec<Frame> {
    let (mut traces, mut mentioned): (Vec<Trace>, Vec<Frame>) = (Vec::new(), Vec::new());
    let (mut function, mut heading): (Option<&str>, Option<&str>) = (None, None);
    let mut hunks = Patch::default();
    let mut count = 0;
    for (number, line) in text.lines().enumerate() {
        if count >= MOST_FRAMES {
            break;
        }
        let line = line.trim_end();
        if hunks.read(line) {
            continue;
        }
        let has_digit = line.bytes().any(|byte| byte.is_ascii_digit());
        if let Some((format, read)) = PATTERNS.read(line) {
            let group = |name| read.name(name).map(|group| group.as_str());
            let class = group("class").map(path_of_class);
            let Some(path) = group("path").or(class.as_deref()) else { continue };
            let mut frame = frame(path, group("line"), group("function").or(function));
            if let Some(package) =
                group("module").and_then(|module| module.rsplit_once('.')).map(|(package, _)| package)
            {
                frame.path = format!("{}/{}", package.replace('.', "/"), frame.path);
            }
            count += 1;
            match traces.last_mut() {
                Some(trace) if trace.order == format.order && number - trace.last_line <= MOST_LINES_BETWEEN => {
                    trace.last_line = number;
                    trace.frames.push(frame);
                }
                _ => traces.push(Trace { order: format.order, last_line: number, frames: vec![frame] }),
            }
        } else if let Some((path, complaint)) = heading.zip(PATTERNS.below_heading.captures(line)) {
            mentioned.push(frame(path, complaint.name("line").map(|group| group.as_str()), None));
            count += 1;
        } else if let Some(read) = PATTERNS.heading.captures(line) {
            heading = read.name("path").map(|group| group.as_str());
        } else if mentions == Mentions::Read
            && has_digit
            && let Some(read) = [&PATTERNS.anywhere, &PATTERNS.line_of, &PATTERNS.line_in]
                .into_iter()
                .find_map(|form| form.captures(line))
        {
            mentioned.push(frame(&read["path"], read.name("line").map(|group| group.as_str()), None));
            count += 1;
        }
        let named = PATTERNS.function.captures(line);
        function = named.and_then(|read| read.name("rust").or(read.name("go"))).map(|group| group.as_str());
    }
    let (calls, complaints): (Vec<Trace>, Vec<Trace>) =
        traces.into_iter().partition(|trace| trace.order != FrameOrder::Independent);
    let of_traces = calls.into_iter().rev().flat_map(|mut trace| {
        if trace.order == FrameOrder::InnermostLast {
            trace.frames.reverse();
        }
        trace.frames
    });
    let complaints = complaints.into_iter().flat_map(|trace| trace.frames);
    let all = of_traces.chain(complaints).chain(hunks.into_frames()).chain(mentioned);
    let mut distinct: Vec<Frame> = Vec::new();
    for frame in all {
        if !distinct.iter().any(|known| (&known.path, known.line) == (&frame.path, frame.line)) {
            distinct.push(frame);
        }
    }
    distinct
}

/// The places that a patch changes, read line by line.
#[derive(Debug, Default)]
struct Patch<'t> {
    /// The file of the hunks to come.
    path: Option<&'t str>,
    /// The line of the new side that the next line of the hunk has; `None` outside a hunk, and after its first change.
    next_line: Option<u32>,
    frames: Vec<Frame>,
}

impl<'t> Patch<'t> {
    /// Reads a line; returns whether it is of a patch: a header, or a line of a hunk before its first change.
    fn read(&mut self, line: &'t str) -> bool {
        if let Some(read) = PATTERNS.patched.captures(line).filter(|_| !line.contains(" @@ ")) {
            self.end_hunk();
            self.path = read.name("path").map(|group| group.as_str());
            return true;
        }
        if let Some(read) = PATTERNS.hunk.captures(line).filter(|_| self.path.is_some()) {
            self.end_hunk();
            self.next_line = read["line"].parse().ok();
            return true;
        }
        let Some(next) = self.next_line else { return false };
        if line.is_empty() || line.starts_with(' ') {
            self.next_line = Some(next.saturating_add(1));
        } else {
            self.end_hunk();
        }
        true
    }

    /// Adds the place of the first change of the hunk.
    fn end_hunk(&mut self) {
        let place = self.path.zip(self.next_line.take());
        self.frames.extend(place.map(|(path, line)| Frame { line: Some(line.max(1)), ..frame(path, None, None) }));
    }

    fn into_frames(mut self) -> Vec<Frame> {
        self.end_hunk();
        self.frames.truncate(MOST_FRAMES);
        self.frames
    }
}

/// Returns the path of the file that holds a class, without an extension: `org/acme/Cart` for `org.acme.Cart$Item`.
fn path_of_class(class: &str) -> String {
    class.split('$').next().unwrap_or_default().replace('.', "/")
}

fn frame(path: &str, line: Option<&str>, function: Option<&str>) -> Frame {
    let path = plain_path(path);
    Frame {
        is_library: is_library(&path),
        path,
        line: line.and_then(|line| line.parse().ok()).filter(|&line| line > 0),
        function: function.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned),
    }
}

/// Returns a path with `/` between its components, without the scheme, the host and the query of a URL.
fn plain_path(written: &str) -> String {
    let written = written.trim_start_matches(['(', '<', '\'', '`']).replace('\\', "/");
    let path = match written.split_once("://") {
        // `file:///a/b`, `webpack:///./src/a`, `http://host/src/a`.
        Some((_, rest)) => rest.split_once('/').map_or(rest, |(_, path)| path),
        None => written.strip_prefix("file:").unwrap_or(&written),
    };
    path.split(['?', '#']).next().unwrap_or_default().to_owned()
}

fn is_library(path: &str) -> bool {
    let bounded = format!("/{path}");
    LIBRARY_FOLDERS.iter().any(|folder| {
        bounded.match_indices(folder).any(|(at, _)| {
            let after = bounded.as_bytes().get(at + folder.len());
            let begins = at > 0 && matches!(bounded.as_bytes()[at - 1], b'/' | b'<');
            begins && after.is_none_or(|byte| matches!(byte, b'/' | b'.' | b'3' | b':' | b'>' | b'2'))
        })
    })
}

/// Returns the part of a library's path below the folder of packages, such as `dask/array/core.py`; the whole path if there is none.
pub(super) fn below_packages(path: &str) -> &str {
    ["site-packages/", "dist-packages/", "node_modules/"]
        .iter()
        .find_map(|folder| path.rsplit_once(folder).map(|(_, below)| below))
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<(String, u32)> {
        read_frames(text, Mentions::Read).into_iter().map(|frame| (frame.path, frame.line.unwrap_or(0))).collect()
    }

    fn check(text: &str, expected: &[(&str, u32)]) {
        let expected: Vec<_> = expected.iter().map(|&(path, line)| (path.to_owned(), line)).collect();
        assert_eq!(places(text), expected, "{text}");
    }

    #[test]
    fn the_innermost_place_of_the_last_trace_is_first() {
        check(
            "Traceback (most recent call last):\n  File \"app/main.py\", line 3, in main\n    trace()\n  File \"app/trace.py\", line 9, in trace\n    go()\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n\n\n  File \"app/main.py\", line 5, in main\n    log()\n  File \"app/log.py\", line 7, in log\n",
            &[("app/log.py", 7), ("app/main.py", 5), ("app/trace.py", 9), ("app/main.py", 3)],
        );
        check(
            "TypeError: x is not a function\n    at total (src/cart.js:4:2)\n    at src/main.js:9:1\n    at node:internal/main:1:1\n",
            &[("src/cart.js", 4), ("src/main.js", 9), ("node:internal/main", 1)],
        );
    }

    #[test]
    fn functions_on_the_line_before_belong_to_the_place() {
        let frames = read_frames(
            "stack backtrace:\n   4: shop::cart::total\n             at ./src/cart.rs:12:9\n",
            Mentions::Read,
        );
        assert_eq!(frames[0].function.as_deref(), Some("shop::cart::total"));
        let frames = read_frames(
            "goroutine 1 [running]:\nmain.(*Cart).Total(0x0)\n\t/src/shop/cart.go:12 +0x1d\n",
            Mentions::Read,
        );
        assert_eq!(frames[0].function.as_deref(), Some("main.(*Cart).Total"));
    }

    #[test]
    fn complaints_come_in_their_order_and_paths_in_prose_last() {
        check(
            "see src/z.rs:3 too\nsrc/b.c:2:1: error: no\nsrc/a.c:1:1: error: no\n",
            &[("src/b.c", 2), ("src/a.c", 1), ("src/z.rs", 3)],
        );
        check("/srv/web/src/app.js\n  12:5  error  'x' is not defined  no-undef\n", &[("/srv/web/src/app.js", 12)]);
    }

    #[test]
    fn a_patch_names_the_first_change_of_each_hunk() {
        check(
            "diff --git a/src/old.c b/src/cart.c\n--- a/src/old.c\n+++ b/src/cart.c\n@@ -10,7 +12,8 @@ int total(void)\n {\n   int n;\n+  int m;\n   return n;\n@@ -90 +93,2 @@\n-x\n+y\n",
            &[("src/cart.c", 14), ("src/cart.c", 93)],
        );
        check("diff --git a/src/cart.c b/src/cart.c @@ -235,5 +236,6 @@", &[("src/cart.c", 236)]);
        check("@@ -1,2 +3,4 @@", &[]);
    }

    #[test]
    fn paths_of_installed_packages_are_told_apart() {
        for (path, expected) in [
            ("/usr/lib/python3.12/site-packages/dask/array/core.py", true),
            ("/usr/lib/python3.12/json/decoder.py", true),
            ("node_modules/react/index.js", true),
            ("/home/me/.cargo/registry/src/index/serde-1.0/src/lib.rs", true),
            ("/rustc/0ab1/library/core/src/option.rs", true),
            ("/home/me/shop/src/gemstone.rb", false),
            ("src/vendoring.py", false),
        ] {
            assert_eq!(is_library(path), expected, "{path}");
        }
        assert_eq!(below_packages("/usr/lib/python3/site-packages/dask/core.py"), "dask/core.py");
    }

    #[test]
    fn a_line_that_ends_a_bounded_read_does_not_hang() {
        let long = (1..=5_000).map(|line| format!("  File \"a.py\", line {line}, in f")).collect::<Vec<_>>().join("\n");
        assert_eq!(read_frames(&long, Mentions::Read).len(), MOST_FRAMES);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(\\PC|[ \t\n:/.()#0-9]){0,400}") {
            read_frames(&text, Mentions::Read);
        }
    }
}
