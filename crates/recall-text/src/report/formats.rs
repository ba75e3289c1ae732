//! The formats in which programs report where they failed: one table, one line a row.
//!
//! Sources are the documentation and the output of each program. A format that is not in the table is still read if a path and a line
//! stand together, as in `src/app.rs:12` and "line 12 of src/app.rs"; see [`ANYWHERE`] and [`LINE_OF`].

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

/// In which order a format writes the places of one failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameOrder {
    /// The place that failed, then its callers.
    InnermostFirst,
    /// The callers, then the place that failed.
    InnermostLast,
    /// Places that do not call each other, such as the complaints of a compiler.
    Independent,
}

/// A format of lines that name a place in a file.
pub(super) struct Format {
    pub(super) order: FrameOrder,
    /// An expression for one line with the groups `path`, and where the format has them `line`, `function` and `module`. A format that
    /// names a class and no file has the group `class` instead of `path`.
    pattern: &'static str,
    /// A line of the format, and what it says: path, line, function.
    #[cfg_attr(not(test), expect(dead_code, reason = "an example documents its format, and tests read it"))]
    example: Example,
}

type Example = (&'static str, &'static str, Option<u32>, Option<&'static str>);

/// The formats. The first that matches a line reads it.
pub(super) const FORMATS: &[Format] = &[
    // Python, also with the bars of an exception group.
    Format {
        order: FrameOrder::InnermostLast,
        pattern: r#"^[ \t|]*File "(?P<path>[^"]+)", line (?P<line>[0-9]+)(?:, in (?P<function>.+))?"#,
        example: (
            r#"  File "/srv/app/web/views.py", line 41, in index"#,
            "/srv/app/web/views.py",
            Some(41),
            Some("index"),
        ),
    },
    // IPython and Jupyter.
    Format {
        order: FrameOrder::InnermostLast,
        pattern: r"^[ \t]*File (?P<path>[^ ,]+?):(?P<line>[0-9]+), in (?P<function>[^ (]+)",
        example: (
            "File ~/app/frame.py:220, in Frame.join(self, other)",
            "~/app/frame.py",
            Some(220),
            Some("Frame.join"),
        ),
    },
    Format {
        order: FrameOrder::InnermostLast,
        pattern: r"^(?P<path>[~/][^ ]*\.py) in (?P<function>[^ (]+)\(",
        example: ("~/app/frame.py in join(self, other)", "~/app/frame.py", None, Some("join")),
    },
    // pytest.
    Format {
        order: FrameOrder::InnermostLast,
        pattern: r"^(?P<path>[^ :]+\.py):(?P<line>[0-9]+): (?:in (?P<function>.+)|[A-Za-z_.]*(?:Error|Exception|Exit|Warning)(?:[ :].*)?)?$",
        example: ("tests/test_views.py:17: AssertionError", "tests/test_views.py", Some(17), None),
    },
    Format {
        order: FrameOrder::Independent,
        pattern: r"^(?:FAILED|ERROR) (?P<path>[^ :]+\.py)(?:::(?P<function>[^ ]+))?",
        example: (
            "FAILED tests/test_views.py::TestIndex::test_empty - KeyError: 'id'",
            "tests/test_views.py",
            None,
            Some("TestIndex::test_empty"),
        ),
    },
    // Java, Kotlin, Scala.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*at (?:[^ ()]*/)?(?P<module>[A-Za-z_$][A-Za-z0-9_.$]*)\.(?P<function>[A-Za-z0-9_$<>]+)\((?P<path>[^():]+\.(?:java|kt|kts|scala|groovy|clj)):(?P<line>[0-9]+)\)",
        example: ("\tat org.acme.shop.Cart.total(Cart.java:88)", "org/acme/shop/Cart.java", Some(88), Some("total")),
    },
    // JUnit and TestNG, as Maven's Surefire and Gradle sum up their failures: a class without its file.
    Format {
        order: FrameOrder::Independent,
        pattern: r"^\[(?:ERROR|FAIL)\][ \t]+(?P<class>[A-Za-z_][A-Za-z0-9_.$]*)\.(?P<function>[A-Za-z0-9_$]+):(?P<line>[0-9]+)(?:->|[ \t]|$)",
        example: ("[ERROR]   CartTest.total:42 expected:<3> but was:<4>", "CartTest", Some(42), Some("total")),
    },
    Format {
        order: FrameOrder::Independent,
        pattern: r"^(?:\[ERROR\][ \t]+)?(?P<class>[A-Za-z_][A-Za-z0-9_.$]*)\.(?P<function>[A-Za-z0-9_$]+)(?:[ \t]+--)?[ \t]+Time elapsed: .*<<< (?:FAILURE|ERROR)!",
        example: (
            "[ERROR] org.acme.shop.CartTest.total  Time elapsed: 0.02 s  <<< FAILURE!",
            "org/acme/shop/CartTest",
            None,
            Some("total"),
        ),
    },
    Format {
        order: FrameOrder::Independent,
        pattern: r"^(?P<function>[A-Za-z0-9_$]+)\((?P<class>[A-Za-z_][A-Za-z0-9_.$]*)\)[ \t]+Time elapsed: .*<<< (?:FAILURE|ERROR)!",
        example: (
            "total(org.acme.shop.CartTest)  Time elapsed: 0.02 sec  <<< ERROR!",
            "org/acme/shop/CartTest",
            None,
            Some("total"),
        ),
    },
    Format {
        order: FrameOrder::Independent,
        pattern: r"^(?P<class>[A-Za-z_][A-Za-z0-9_.$]*) > (?:.* > )?(?P<function>[A-Za-z0-9_$]+)(?:\(.*\))?(?:\[.*\])? FAILED$",
        example: ("org.acme.shop.CartTest > total() FAILED", "org/acme/shop/CartTest", None, Some("total")),
    },
    // C# and F#.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*at (?P<function>[^ (]+)\(.*\) in (?P<path>.+):line (?P<line>[0-9]+)",
        example: (
            r"   at Acme.Shop.Cart.Total(Int32 n) in C:\src\Shop\Cart.cs:line 88",
            "C:/src/Shop/Cart.cs",
            Some(88),
            Some("Acme.Shop.Cart.Total"),
        ),
    },
    // Node and browsers.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*at (?:async )?(?P<function>.+?) \((?P<path>[^ ()]+?):(?P<line>[0-9]+):[0-9]+\)",
        example: (
            "    at async Cart.total (/srv/shop/src/cart.js:12:9)",
            "/srv/shop/src/cart.js",
            Some(12),
            Some("Cart.total"),
        ),
    },
    // Node without a function, and the backtraces of Rust, whose function stands on the line before.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*at (?:async )?(?P<path>[^ ()]+?):(?P<line>[0-9]+)(?::[0-9]+)?$",
        example: ("             at ./src/cart.rs:12:9", "./src/cart.rs", Some(12), None),
    },
    // Firefox and Safari.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*(?P<function>[^@ \t]*)@(?P<path>[a-z-]+://[^ ]+?):(?P<line>[0-9]+)(?::[0-9]+)?$",
        example: ("total@http://localhost:3000/src/cart.js:12:9", "src/cart.js", Some(12), Some("total")),
    },
    // Rust: a panic, with the message on the next line or, formerly, in quotation marks.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"panicked at (?:'.*', )?(?P<path>[^ ',]+?\.rs):(?P<line>[0-9]+)",
        example: ("thread 'main' panicked at src/cart.rs:12:9:", "src/cart.rs", Some(12), None),
    },
    // rustc, ruff and others that draw an arrow.
    Format {
        order: FrameOrder::Independent,
        pattern: r"^[ \t]*(?:-->|:::|┌─|╭─\[)[ \t]*(?P<path>[^ :]+?):(?P<line>[0-9]+)(?::[0-9]+)?",
        example: ("  --> src/cart.rs:12:9", "src/cart.rs", Some(12), None),
    },
    // Go. The function stands on the line before.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]+(?P<path>[^ ]+\.go):(?P<line>[0-9]+)(?: \+0x[0-9a-f]+)?$",
        example: ("\t/home/me/shop/cart.go:12 +0x1d", "/home/me/shop/cart.go", Some(12), None),
    },
    // Elixir.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*(?:\([^)]*\) )?(?P<path>[^ ():]+\.exs?):(?P<line>[0-9]+): (?P<function>[A-Z][^ ]*)",
        example: (
            "    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total/1",
            "lib/shop/cart.ex",
            Some(12),
            Some("Shop.Cart.total/1"),
        ),
    },
    // Ruby 2.5 to 2.7 on a terminal.
    Format {
        order: FrameOrder::InnermostLast,
        pattern: r"^[ \t]*[0-9]+: from (?P<path>[^ :]+):(?P<line>[0-9]+):in [`'](?P<function>[^'`]+)'",
        example: ("\t2: from lib/cart.rb:12:in `total'", "lib/cart.rb", Some(12), Some("total")),
    },
    // Ruby and RSpec.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*(?:from |# )?(?P<path>[^ :]+):(?P<line>[0-9]+):in [`'](?P<function>[^'`]+)'",
        example: ("\tfrom lib/cart.rb:12:in `total'", "lib/cart.rb", Some(12), Some("total")),
    },
    Format {
        order: FrameOrder::Independent,
        pattern: r"^[ \t]*(?:rspec|#) (?P<path>[^ :]+\.rb):(?P<line>[0-9]+)",
        example: ("rspec ./spec/cart_spec.rb:12 # Cart sums its items", "./spec/cart_spec.rb", Some(12), None),
    },
    // PHP.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*#[0-9]+ (?P<path>[^ ()]+\.[A-Za-z][A-Za-z0-9]*)\((?P<line>[0-9]+)\): (?P<function>[^ (]+)",
        example: (
            "#0 /var/www/src/Cart.php(12): Shop\\Cart->total()",
            "/var/www/src/Cart.php",
            Some(12),
            Some("Shop\\Cart->total"),
        ),
    },
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"(?:^|[ \t])in (?P<path>[^ ]+\.php)(?: on line |:)(?P<line>[0-9]+)",
        example: (
            "PHP Fatal error:  Uncaught TypeError in /var/www/src/Cart.php:12",
            "/var/www/src/Cart.php",
            Some(12),
            None,
        ),
    },
    // gdb, ASan and other sanitizers.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*#[0-9]+[ \t]+0x[0-9a-f]+ in (?P<function>[^ (]+)(?: ?\(.*\))?(?: at)? (?P<path>[^ ()]+\.[A-Za-z+]+):(?P<line>[0-9]+)",
        example: (
            "    #1 0x55d0 in cart_total /src/shop/cart.c:12:9",
            "/src/shop/cart.c",
            Some(12),
            Some("cart_total"),
        ),
    },
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*#[0-9]+[ \t]+(?P<function>[^ (]+) \(.*\) at (?P<path>[^ ]+):(?P<line>[0-9]+)",
        example: ("#0  cart_total (n=3) at shop/cart.c:12", "shop/cart.c", Some(12), Some("cart_total")),
    },
    // Valgrind.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^==[0-9]+==[ \t]+(?:at|by) 0x[0-9A-Fa-f]+: (?P<function>[^ (]+).*\((?P<path>[^ ():]+):(?P<line>[0-9]+)\)",
        example: ("==812==    at 0x1091: cart_total (cart.c:12)", "cart.c", Some(12), Some("cart_total")),
    },
    // The assertions of glibc.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"(?P<path>[^ :]+\.[A-Za-z+]+):(?P<line>[0-9]+): (?P<function>[^:]+): Assertion",
        example: ("shop: cart.c:12: cart_total: Assertion `n > 0' failed.", "cart.c", Some(12), Some("cart_total")),
    },
    // Swift.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*[0-9]+ .* in (?P<function>[^ (]+).* at (?P<path>[^ ]+\.swift):(?P<line>[0-9]+)",
        example: (
            "0 [ra] 0x01 Cart.total() + 40 in shop at /src/Cart.swift:12:9",
            "/src/Cart.swift",
            Some(12),
            Some("shop"),
        ),
    },
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"(?P<path>[^ :]+\.swift)(?:, line |:)(?P<line>[0-9]+)",
        example: ("Fatal error: no items: file Shop/Cart.swift, line 12", "Shop/Cart.swift", Some(12), None),
    },
    // The call stacks of GHC.
    Format {
        order: FrameOrder::InnermostFirst,
        pattern: r"^[ \t]*(?P<function>[^ ,]+), called at (?P<path>[^ :]+):(?P<line>[0-9]+):[0-9]+",
        example: ("  total, called at src/Cart.hs:12:9 in shop-0.1:Cart", "src/Cart.hs", Some(12), Some("total")),
    },
    // tsc and MSBuild.
    Format {
        order: FrameOrder::Independent,
        pattern: r"^[ \t]*(?P<path>[^ ():][^():]*\.[A-Za-z]+)\((?P<line>[0-9]+),[0-9]+\): (?:error|warning)",
        example: ("src/cart.ts(12,9): error TS2322: Type 'string' is not assignable.", "src/cart.ts", Some(12), None),
    },
    // gcc, clang, javac, swiftc, go, ghc, mypy, flake8, tsc on a terminal, PHPUnit, ExUnit and many others.
    Format {
        order: FrameOrder::Independent,
        pattern: r"^[ \t]*(?P<path>(?:[A-Za-z]:[\\/])?[^ :()]+\.[A-Za-z0-9+]+):(?P<line>[0-9]+)(?::[0-9]+)?(?::|[ \t]|$)",
        example: ("src/cart.c:12:9: error: use of undeclared identifier 'n'", "src/cart.c", Some(12), None),
    },
    // A patch in one line: the header of a file and that of its first hunk.
    Format {
        order: FrameOrder::Independent,
        pattern: r"^(?:\+\+\+ (?:b/)?|diff --git [^ ]+ (?:b/)?)(?P<path>[^ \t]+)[ \t]+@@ -[0-9]+(?:,[0-9]+)? \+(?P<line>[0-9]+)",
        example: ("+++ b/src/cart.c @@ -12,7 +12,8 @@ int total(void)", "src/cart.c", Some(12), None),
    },
    // A link to lines in a repository's page.
    Format {
        order: FrameOrder::Independent,
        pattern: r"https?://[^ ]+?/(?:blob|src|tree)/(?:branch/)?[^/ ]+/(?P<path>[^ #?]+)#(?:L|lines-)(?P<line>[0-9]+)",
        example: ("see https://example.org/me/shop/blob/main/src/cart.c#L12-L20", "src/cart.c", Some(12), None),
    },
];

/// A path and a line in any text.
const ANYWHERE: &str = r#"(?P<path>[A-Za-z0-9_.@~+/\\-]*[A-Za-z0-9_-]\.[A-Za-z][A-Za-z0-9+]{0,7})(?::|#L|:line |[`'"]?,? (?:on |at )?lines? )(?P<line>[0-9]+)"#;

/// A line and a path in a sentence: "line 12 of src/app.rs", "lines 12-20 in src/app.rs", and the same in other languages.
const LINE_OF: &str = r#"(?i)\b(?:lines?|zeilen?|lignes?|líneas?|linhas?|rig(?:a|he)|строк[аеиу]?|satır|linia|linii|wiersz|regels?) (?P<line>[0-9]+)(?:(?:-|–| to | and | bis | à | a | по )[0-9]+)?(?: (?:of|in|the|file|von|der|datei|de|du|fichier|del|el|en|archivo|do|da|no|na|arquivo|di|nel|файла|файле|в|из|w|pliku|van|bestand)){1,3} [`'"]?(?P<path>[A-Za-z0-9_.@~+/\\-]*[A-Za-z0-9_-]\.[A-Za-z][A-Za-z0-9+]{0,7})\b"#;

/// A path and a line behind it, as Chinese, Japanese, Korean and Turkish have them: `src/app.rs 的第 12 行`.
const LINE_IN: &str = r"(?P<path>[A-Za-z0-9_.@~+/\\-]*[A-Za-z0-9_-]\.[A-Za-z][A-Za-z0-9+]{0,7})[`']?(?: ?(?:の|的|文件|ファイル|의|파일|dosyasının))* ?第? ?(?P<line>[0-9]+) ?(?:行|번째 줄|번 줄|줄|행|\. ?satır)";

/// The heading of a file in the output of `eslint` and of checkers that follow it.
const HEADING: &str = r"^(?P<path>(?:[A-Za-z]:)?[^ :]*[/\\][^ :]+\.[A-Za-z]+)$";

/// A complaint below such a heading.
const BELOW_HEADING: &str = r"^[ \t]+(?P<line>[0-9]+):[0-9]+[ \t]+(?:error|warning)[ \t]";

/// The header of a file in a patch, with the path of the new side.
const PATCHED: &str = r"^\+\+\+ (?:b/)?(?P<path>[^\t]+)";

/// The header of a hunk in a patch, with the first line of the new side.
const HUNK: &str = r"^@@ -[0-9]+(?:,[0-9]+)? \+(?P<line>[0-9]+)(?:,[0-9]+)? @@";

/// A function, on the line before its place: Rust and Go.
const FUNCTION: &str = r"^[ \t]*(?:[0-9]+: (?:0x[0-9a-f]+ - )?(?P<rust>[^ ]+)$|(?P<go>[A-Za-z0-9_./*-]+(?:\(\*[A-Za-z0-9_]+\))?[A-Za-z0-9_.]*)\([^ ]*\)$)";

/// A class of errors and its message, or the message of a failure.
const ERROR: &str = r"^[ \t|E>]*(?:Caused by: |Uncaught |Unhandled |Exception in thread [^ ]+ |\*\* |Error: )?(?:\(?(?P<class>[A-Za-z_][A-Za-z0-9_.:\\]*(?:Error|Exception|Warning|Failure|Fault|Panic|Exit))\)?(?:: | )(?P<message>[^ ].*)|(?:panic|fatal error|Fatal error|error|ERROR|Error|fatal|FATAL|PHP Fatal error)(?:\[[A-Za-z0-9]+\])?:[ \t]+(?P<plain>[^ ].*))$";

/// The expressions, compiled once.
pub(super) struct Patterns {
    any: RegexSet,
    formats: Vec<Regex>,
    pub(super) anywhere: Regex,
    pub(super) line_of: Regex,
    pub(super) line_in: Regex,
    pub(super) heading: Regex,
    pub(super) below_heading: Regex,
    pub(super) patched: Regex,
    pub(super) hunk: Regex,
    pub(super) function: Regex,
    pub(super) error: Regex,
}

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let regex = |pattern: &str| Regex::new(pattern).expect("the expression is valid: tests compile it");
    Patterns {
        any: RegexSet::new(FORMATS.iter().map(|format| format.pattern)).expect("the expressions are valid"),
        formats: FORMATS.iter().map(|format| regex(format.pattern)).collect(),
        anywhere: regex(ANYWHERE),
        line_of: regex(LINE_OF),
        line_in: regex(LINE_IN),
        heading: regex(HEADING),
        below_heading: regex(BELOW_HEADING),
        patched: regex(PATCHED),
        hunk: regex(HUNK),
        function: regex(FUNCTION),
        error: regex(ERROR),
    }
});

impl Patterns {
    /// Returns the first format that reads a line, and what it reads.
    pub(super) fn read<'l>(&self, line: &'l str) -> Option<(&'static Format, regex::Captures<'l>)> {
        let place = self.any.matches(line).iter().next()?;
        Some((&FORMATS[place], self.formats[place].captures(line)?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::frames::{Mentions, read_frames};
    use super::*;

    #[test]
    fn each_format_reads_its_example() {
        for Format { example: (line, path, number, function), pattern, .. } in FORMATS {
            let frames = read_frames(line, Mentions::Read);
            let read = frames.first().map(|frame| (frame.path.as_str(), frame.line, frame.function.as_deref()));
            assert_eq!(read, Some((*path, *number, *function)), "{line} by {pattern}");
        }
    }

    #[test]
    fn each_example_is_read_by_its_own_format() {
        for format in FORMATS {
            let (read, _) = PATTERNS.read(format.example.0).expect("the example is read");
            assert_eq!(read.pattern, format.pattern, "{}", format.example.0);
        }
    }
}
