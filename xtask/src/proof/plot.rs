//! A plot with one bar a row, as SVG.

use std::fmt::Write as _;

/// One bar.
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// What is written at its end.
    pub(crate) text: String,
}

const WIDTH: f64 = 760.0;
const LABELS: f64 = 250.0;
const ROW: f64 = 26.0;
const TOP: f64 = 40.0;
/// The room for the text at the end of the longest bar.
const TEXT: f64 = 150.0;

/// Draws bars that begin at zero. They are grey on a background of their own, so that they are read on light and dark pages.
pub(crate) fn draw(title: &str, bars: &[Bar]) -> String {
    let greatest = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let scale = if greatest > 0.0 { (WIDTH - LABELS - TEXT) / greatest } else { 0.0 };
    let height = TOP + ROW * bars.len() as f64 + 10.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n\
         <title>{title}</title>\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"10\" y=\"24\" font-weight=\"bold\" fill=\"#222\">{title}</text>\n",
        title = escape(title)
    );
    for (at, bar) in bars.iter().enumerate() {
        let top = TOP + ROW * at as f64;
        let (width, baseline) = (bar.value.max(0.0) * scale, top + 16.0);
        let fill = if bar.label.starts_with("recall") { "#2f6f9f" } else { "#999" };
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{baseline:.1}\" text-anchor=\"end\" fill=\"#222\">{}</text>\
             <rect x=\"{LABELS}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"18\" fill=\"{fill}\"/>\
             <text x=\"{:.1}\" y=\"{baseline:.1}\" fill=\"#222\">{}</text>",
            LABELS - 8.0,
            escape(&bar.label),
            top + 2.0,
            LABELS + width + 6.0,
            escape(&bar.text)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns a text as the content of an element.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_the_longest_bar_fits() {
        let bar = |label: &str, value| Bar { label: label.to_owned(), value, text: "1 < 2".to_owned() };
        let svg = draw("a & b", &[bar("<script>", 2.0), bar("recall", 4.0), bar("nothing", 0.0)]);
        assert!(svg.contains("<title>a &amp; b</title>") && svg.contains("&lt;script&gt;") && svg.contains("1 &lt; 2"));
        assert!(!svg.contains("<script>"));
        assert!(
            svg.contains("width=\"360.0\" height=\"18\"") && svg.contains("width=\"180.0\" height=\"18\""),
            "{svg}"
        );
    }
}
