//! The output of a failed command as a report.
//!
//! Nobody wrote it for a reader: it has no title and no prose. Only what says that something failed is read. The lines of warnings
//! name places that did not fail, and build tools repeat in their last lines that a step before them failed.

use super::frames::{Mentions, read_frames};
use super::{MESSAGE_BYTES, Report, read_errors, reads_like_a_message, says_failed, words};

/// The most messages that are asked. The last ones say what failed.
const MOST_ASKED: usize = 2;

/// The most functions that are asked.
const MOST_FUNCTIONS: usize = 3;

/// The beginnings of messages that repeat that another program or step failed.
const REPEATING: [&str; 9] = [
    "aborting due to",
    "build failed",
    "command failed",
    "could not compile",
    "process completed with exit code",
    "process didn't exit successfully",
    "script returned exit code",
    "target failed",
    "test failed, to rerun",
];

/// The marks of lines with a warning of a compiler or an interpreter, after its place.
const WARNING_MARKS: [&str; 3] = [": warning:", ": warning ", "Warning: "];

impl Report {
    /// Reads the output of a command that failed. `None` if it names no place that failed and has no message.
    ///
    /// The question is the last messages, with the functions of the innermost places; it is empty if the output has only places
    /// without a function.
    ///
    /// ```
    /// let output = "warning: unused\n --> src/a.rs:2:1\n\nerror[E0308]: mismatched types\n --> src/b.rs:7:5\n";
    /// let report = recall_text::Report::read_output(output).expect("a report");
    /// assert_eq!((report.frames.len(), report.frames[0].path.as_str()), (1, "src/b.rs"));
    /// assert_eq!(report.errors, ["mismatched types"]);
    /// assert!(recall_text::Report::read_output("a.rs\nb.rs\n").is_none());
    /// ```
    pub fn read_output(output: &str) -> Option<Self> {
        let failed = without_warnings(output);
        let frames = read_frames(&failed, Mentions::Ignore);
        let mut errors = read_errors(&failed);
        errors.retain(|message| !repeats(message));
        if errors.is_empty() {
            errors.extend(last_message(&failed));
        }
        if frames.is_empty() && errors.is_empty() {
            return None;
        }
        let mut asked: Vec<&str> = errors.iter().take(MOST_ASKED).map(String::as_str).collect();
        let failing = frames.iter().filter(|frame| !frame.is_library).take(MOST_FUNCTIONS);
        for function in failing.filter_map(|frame| frame.function.as_deref()).flat_map(words) {
            if function.len() > 2 && !asked.contains(&function) {
                asked.push(function);
            }
        }
        let question = asked.join(" ").replace('"', " ");
        Some(Self { question, frames, errors })
    }
}

fn repeats(message: &str) -> bool {
    let message = message.to_lowercase();
    REPEATING.iter().any(|beginning| message.starts_with(beginning))
}

/// Returns the last line that reads like a message, for programs that do not begin it with a word such as *error*: from that word on,
/// if a place stands before it.
fn last_message(output: &str) -> Option<String> {
    let is_message = |line: &&str| reads_like_a_message(line) && says_failed(line) && !repeats(line);
    let line = output.lines().rev().map(str::trim).find(is_message)?;
    let line = line.split_once(" error: ").map_or(line, |(_, message)| message);
    Some(line[..line.floor_char_boundary(MESSAGE_BYTES.min(line.len()))].to_owned())
}

/// Returns an output without its warnings: the blocks of `rustc`, which go on in indented or numbered lines, and the lines of other
/// programs.
fn without_warnings(output: &str) -> String {
    let mut kept = String::with_capacity(output.len());
    let mut is_in_block = false;
    for line in output.lines() {
        let goes_on = line.starts_with(|c: char| c.is_whitespace() || c.is_ascii_digit() || c == '.');
        is_in_block = line.starts_with("warning:") || line.starts_with("warning[") || (is_in_block && goes_on);
        if !is_in_block && !WARNING_MARKS.iter().any(|mark| line.contains(mark)) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, places: &[(&str, u32)], errors: &[&str]) {
        let report = Report::read_output(output);
        let frames = report.iter().flat_map(|report| &report.frames);
        let read: Vec<(&str, u32)> = frames.map(|frame| (frame.path.as_str(), frame.line.unwrap_or(0))).collect();
        assert_eq!(read, places, "{output}");
        assert_eq!(report.map(|report| report.errors).unwrap_or_default(), errors, "{output}");
    }

    #[test]
    fn a_trace_names_the_place_that_failed_first() {
        let trace = "..F\nTraceback (most recent call last):\n  File \"/w/shop/main.py\", line 4, in main\n    print(total(x))\n  File \"/w/shop/cart.py\", line 12, in total\n    return x[\"price\"]\nKeyError: 'price'\n";
        check(trace, &[("/w/shop/cart.py", 12), ("/w/shop/main.py", 4)], &["'price'"]);
        let report = Report::read_output(trace).expect("a report");
        assert_eq!(report.question, "'price' total main");
    }

    #[test]
    fn the_summary_of_a_test_run_is_not_its_message() {
        let output = "running 1 test\ntest tests::adds ... FAILED\n\nfailures:\n\n---- tests::adds stdout ----\n\nthread 'tests::adds' panicked at src/lib.rs:9:9:\nassertion `left == right` failed\n  left: 3\n right: 4\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\nfailures:\n    tests::adds\n\nerror: test failed, to rerun pass `--lib`\n";
        check(output, &[("src/lib.rs", 9)], &["assertion `left == right` failed"]);
    }

    #[test]
    fn places_of_warnings_did_not_fail() {
        check(
            "warning: unused variable: `x`\n --> src/a.rs:2:9\n  |\n2 |     let x = 1;\n  |         ^\n\nwarning: `shop` (lib) generated 1 warning\nerror[E0308]: mismatched types\n --> src/b.rs:7:5\nerror: could not compile `shop` (lib) due to 1 previous error\n",
            &[("src/b.rs", 7)],
            &["mismatched types"],
        );
        check(
            "src/a.c:3:5: warning: unused variable 'n'\nsrc/b.c:8:1: error: expected ';'\n",
            &[("src/b.c", 8)],
            &["expected ';'"],
        );
    }

    #[test]
    fn what_says_nothing_about_a_failure_is_not_a_report() {
        for output in ["", "exit code 2", "Exit code 1\nok 1\nok 2\n", "see src/a.rs:3 for more\n"] {
            check(output, &[], &[]);
        }
        check("bash: foo: command not found\n", &[], &["bash: foo: command not found"]);
    }

    proptest::proptest! {
        #[test]
        fn any_output_is_read(text in "(\\PC|[ \n`#:]|warning: |Error: ){0,300}") {
            let _ = Report::read_output(&text);
        }
    }
}
