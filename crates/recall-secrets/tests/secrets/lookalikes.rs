//! Collected look-alikes, which must not be masked.

use recall_secrets::{Masker, Settings};

/// One look-alike per line, under headings that begin with `##`. `\n` in a look-alike is a line break.
const LOOKALIKES: &str = include_str!("lookalikes.txt");

/// The largest share of look-alikes that may be masked.
const MOST_MASKED: f64 = 0.005;

#[test]
fn at_most_half_a_percent_of_lookalikes_is_masked() {
    let masker = Masker::new(Settings::default()).unwrap();
    let lines: Vec<&str> = LOOKALIKES.lines().filter(|line| !line.is_empty() && !line.starts_with("##")).collect();
    let findings: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let text = line.replace("\\n", "\n");
            masker.find(&text).first().map(|finding| format!("{}: {line}", finding.rule))
        })
        .collect();
    println!("{} look-alikes, {} masked", lines.len(), findings.len());
    assert!(lines.len() >= 200, "{} look-alikes", lines.len());
    assert!((findings.len() as f64) <= lines.len() as f64 * MOST_MASKED, "{}", findings.join("\n"));
}
