//! An SVG of scenes in a terminal, one after the other, which CSS animates and which stands still for those who ask for less motion.

use std::fmt::Write as _;

use super::screen::Run;

/// A command and what it wrote.
pub(crate) struct Scene {
    pub(crate) caption: &'static str,
    pub(crate) command: &'static str,
    pub(crate) rows: Vec<Vec<Run>>,
}

#[derive(Clone, Copy)]
pub(crate) enum Theme {
    Dark,
    Light,
}

impl Theme {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }

    /// Background, frame, text, and text of little weight.
    fn ground(self) -> [&'static str; 4] {
        match self {
            Self::Dark => ["#0d1117", "#30363d", "#e6edf3", "#8b949e"],
            Self::Light => ["#ffffff", "#d0d7de", "#1f2328", "#59636e"],
        }
    }

    /// The palette of sixteen.
    fn palette(self) -> [&'static str; 16] {
        match self {
            Self::Dark => [
                "#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4", "#8b949e",
                "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff",
            ],
            Self::Light => [
                "#24292f", "#cf222e", "#116329", "#7d4e00", "#0550ae", "#8250df", "#1b7c83", "#57606a", "#59636e",
                "#a40e26", "#1a7f37", "#633c01", "#0550ae", "#8250df", "#1b7c83", "#1f2328",
            ],
        }
    }
}

/// The width of a column and the height of a row, in pixels of the drawing.
const COLUMN: f64 = 8.4;
const ROW: f64 = 20.0;

/// The row of the first row of output: after the caption, two rows for the command, and an empty one.
const FIRST: usize = 4;

/// The space around the text.
const MARGIN: f64 = 18.0;

/// Seconds: a typed character, the pause before the output, reading a scene, and reading each of its rows.
const TYPING: f64 = 0.035;
const PAUSE: f64 = 0.4;
const READING: f64 = 2.0;
const READING_ROW: f64 = 0.3;

/// Draws the scenes.
pub(crate) fn draw(scenes: &[Scene], theme: Theme, columns: usize) -> String {
    let most = scenes.iter().map(|scene| scene.rows.len()).max().unwrap_or_default();
    let width = COLUMN * float(columns) + 2.0 * MARGIN;
    let height = ROW * float(most + FIRST) + 2.0 * MARGIN;
    let times: Vec<f64> = scenes.iter().map(duration).collect();
    let whole: f64 = times.iter().sum();
    let [ground, frame, text, weak] = theme.ground();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"img\" aria-labelledby=\"d\">\n<desc id=\"d\">{}</desc>\n<style>\n\
         text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:{text};white-space:pre}}\n\
         .b{{font-weight:700}}.w{{fill:{weak}}}.k{{font-style:italic}}.s,.c{{opacity:0}}.s:last-of-type{{opacity:1}}\n",
        describe(scenes)
    );
    for (number, colour) in theme.palette().iter().enumerate() {
        let _ = write!(svg, ".p{number}{{fill:{colour}}}");
    }
    let mut begin = 0.0;
    svg.push_str("\n@media(prefers-reduced-motion:no-preference){\n");
    for (at, (scene, time)) in scenes.iter().zip(&times).enumerate() {
        let typed = TYPING * float(scene.command.chars().count());
        animate(&mut svg, at, [begin, begin + typed + PAUSE, begin + time], scene, whole);
        begin += time;
    }
    let border =
        format!("<rect x=\".5\" y=\".5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"8\"", width - 1.0, height - 1.0);
    let _ = write!(svg, "}}\n</style>\n{border} fill=\"{ground}\"/>\n");
    for (at, scene) in scenes.iter().enumerate() {
        draw_scene(&mut svg, at, scene, ground);
    }
    // It is drawn last, over what covers text that is not typed yet.
    let _ = writeln!(svg, "{border} fill=\"none\" stroke=\"{frame}\"/>");
    svg.push_str("</svg>\n");
    svg
}

/// Says what is shown: the captions, and the commands after a prompt, each on a line of its own.
fn describe(scenes: &[Scene]) -> String {
    let lines = scenes.iter().map(|scene| format!("{}\n$ {}\n", scene.caption, escape(&one_line(scene.command))));
    format!("A terminal.\n{}", lines.collect::<Vec<_>>().concat())
}

/// Returns a command without the break of its rows.
fn one_line(command: &str) -> String {
    command.replace("\\\n", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How long a scene is on the screen.
fn duration(scene: &Scene) -> f64 {
    TYPING * float(scene.command.chars().count()) + PAUSE + READING + READING_ROW * float(scene.rows.len())
}

/// Writes the animations of a scene: when it is there, when the rows of its command are typed, when its output is there.
fn animate(svg: &mut String, at: usize, [begin, shown, end]: [f64; 3], scene: &Scene, whole: f64) {
    let part = |time: f64| format!("{:.2}%", 100.0 * time / whole);
    let [from, output, to] = [begin, shown, end].map(part);
    let _ = writeln!(
        svg,
        "#s{at}{{animation:s{at} {whole:.1}s step-end infinite}}\
         @keyframes s{at}{{0%{{opacity:0}}{from}{{opacity:1}}{to}{{opacity:0}}100%{{opacity:0}}}}\n\
         #o{at}{{animation:o{at} {whole:.1}s step-end infinite}}\
         @keyframes o{at}{{0%{{opacity:0}}{output}{{opacity:1}}100%{{opacity:1}}}}"
    );
    let mut begin = begin;
    for (row, line) in scene.command.lines().enumerate() {
        let letters = line.chars().count();
        let (from, end) = (part(begin), begin + TYPING * float(letters));
        let _ = writeln!(
            svg,
            "#c{at}-{row}{{opacity:1;animation:c{at}-{row} {whole:.1}s steps({letters}) infinite}}\
             @keyframes c{at}-{row}{{0%,{from}{{transform:none}}{},100%{{transform:translateX({:.1}px)}}}}",
            part(end),
            COLUMN * float(letters + 3)
        );
        begin = end;
    }
}

fn draw_scene(svg: &mut String, at: usize, scene: &Scene, ground: &str) {
    let _ = writeln!(svg, "<g class=\"s\" id=\"s{at}\">");
    line(
        svg,
        0,
        &format!("<tspan class=\"w k\"># {}</tspan>", escape(scene.caption)),
        scene.caption.chars().count() + 2,
    );
    for (row, text) in scene.command.lines().enumerate() {
        let (prompt, letters) = (if row == 0 { "$ " } else { "" }, text.chars().count());
        let spans = format!("<tspan class=\"p2\">{prompt}</tspan>{}", escape(text));
        line(svg, row + 1, &spans, letters + prompt.len());
        // It covers what is not typed yet, and has the cursor at its beginning.
        let (x, y) = (MARGIN + COLUMN * float(prompt.len()), MARGIN + ROW * float(row + 1));
        let _ = writeln!(
            svg,
            "<g class=\"c\" id=\"c{at}-{row}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{ROW}\" fill=\"{ground}\"/>{}</g>",
            COLUMN * float(letters + 3),
            if row == 0 {
                format!("<rect class=\"w\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{COLUMN}\" height=\"17\"/>", y + 2.0)
            } else {
                String::new()
            },
        );
    }
    let _ = writeln!(svg, "<g id=\"o{at}\">");
    for (number, row) in scene.rows.iter().enumerate() {
        let spans: String = row.iter().map(span).collect();
        line(svg, number + FIRST, &spans, row.iter().map(|run| run.text.chars().count()).sum());
    }
    svg.push_str("</g></g>\n");
}

/// Writes one row. Its length is stated, because fonts differ.
fn line(svg: &mut String, row: usize, spans: &str, letters: usize) {
    if letters > 0 {
        let (y, length) = (MARGIN + ROW * float(row) + 15.0, COLUMN * float(letters));
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y:.0}\" textLength=\"{length:.1}\">{spans}</text>");
    }
}

fn span(run: &Run) -> String {
    let colour = run.style.colour.map(|number| format!("p{number}"));
    let classes = [colour, run.style.is_bold.then(|| "b".to_owned()), run.style.is_dim.then(|| "w".to_owned())];
    let classes = classes.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let text = escape(&run.text);
    if classes.is_empty() { text } else { format!("<tspan class=\"{classes}\">{text}</tspan>") }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[expect(clippy::cast_precision_loss, reason = "rows and columns are few")]
fn float(number: usize) -> f64 {
    number as f64
}
