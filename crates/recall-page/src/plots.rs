//! The figures of a project as plots: drawn here, readable in both themes and without a script, each with its numbers as a table.
//!
//! A plot shows only what is recorded, and says so. Its bars are SVG that stretches with the page; all text is HTML, so that it keeps its
//! size on a narrow screen.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use recall_api::json::{SAVINGS_METHOD, rfc3339, saved_tokens, timestamp};
use recall_api::v1::{Activity, DayActivity, Savings, StatsResponse, StoreStats};
use recall_text::quantity::{bytes, count, count_noun};

use crate::view::Time;

/// The height of a picture, and the width of the room of a day in it. The browser stretches both.
const HEIGHT: f64 = 100.0;
const ROOM: f64 = 10.0;

/// Returns one page of HTML with all figures, which needs no other file and no script.
///
/// The answer has the savings and the activity; without them the page has no plots.
#[must_use]
pub fn stats_page(answer: &StatsResponse) -> String {
    let root = answer.stores.first().map_or("", |store| store.root.as_str());
    let name = root.rsplit('/').find(|part| !part.is_empty()).unwrap_or("recall");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Figures of " (name) " · recall" }
                style { (PreEscaped(include_str!("assets/style.css"))) }
            }
            body {
                main {
                    h1 { "Figures of " (name) }
                    p.dim.path { (root) }
                    (section(answer, None))
                    (stores_table(&answer.stores))
                }
            }
        }
    };
    page.into_string()
}

/// Shows the plots of a project, and their numbers as a table. `doubts` is the address of the memories in doubt, if there is a page for them.
pub(crate) fn section(answer: &StatsResponse, doubts: Option<&str>) -> Markup {
    let Some(activity) = &answer.activity else { return Markup::default() };
    let savings = answer.savings.unwrap_or_default();
    let days = every_day(&activity.days);
    let memories = answer.stores.first().map_or(0, |store| store.memories);
    html! {
        section.plots aria-label="Figures" {
            (searches_plot(&days))
            (used_plot(&days))
            (saved_plot(&days, &savings))
            (memories_plot(&days, memories))
            (freshness_plot(activity, doubts))
        }
        @if !activity.days.is_empty() {
            details.numbers { summary { "The numbers of each day" } (days_table(&activity.days)) }
        }
    }
}

fn searches_plot(days: &[DayActivity]) -> Markup {
    let total = sum(days, |day| day.searches);
    let bars: Vec<_> = days.iter().map(|day| Bar { day: &day.day, parts: vec![("", day.searches)] }).collect();
    let note = "Searches of agents and people in sessions. A search outside of a session is not recorded.";
    plot("Searches a day", &count_noun(total, "search", "searches"), &bars, note)
}

fn used_plot(days: &[DayActivity]) -> Markup {
    let (answers, used) = (sum(days, |day| day.answers), sum(days, |day| day.used));
    let bar = |day: &DayActivity| vec![("", day.used), ("rest", day.answers.saturating_sub(day.used))];
    let bars: Vec<_> = days.iter().map(|day| Bar { day: &day.day, parts: bar(day) }).collect();
    let note = "Dark: answers of which the session opened, edited or named a hit, or called one useful. Light: the other answers. \
        An answer that was only read leaves no trace, so these are the least.";
    plot("Answers used", &format!("{} of {}", count(used), count_noun(answers, "answer", "answers")), &bars, note)
}

fn saved_plot(days: &[DayActivity], savings: &Savings) -> Markup {
    let saved = |day: &DayActivity| day.file_tokens.saturating_sub(day.answer_tokens);
    let bars: Vec<_> = days.iter().map(|day| Bar { day: &day.day, parts: vec![("", saved(day))] }).collect();
    let all = saved_tokens(savings);
    let title = match all {
        0.. => format!("about {} tokens in all sessions", count(all.unsigned_abs())),
        _ => format!("none: the answers have {} tokens more than the files", count(all.unsigned_abs())),
    };
    plot("Tokens saved, an estimate", &title, &bars, &format!("Method: {SAVINGS_METHOD}."))
}

fn memories_plot(days: &[DayActivity], memories: u64) -> Markup {
    let added = sum(days, |day| day.memories);
    let mut total = memories.saturating_sub(added);
    let mut bars = Vec::new();
    for day in days {
        total += day.memories;
        bars.push(Bar { day: &day.day, parts: vec![("", total)] });
    }
    let title = format!("{}, {} of them new", count_noun(memories, "memory", "memories"), count(added));
    plot(
        "Growth of memories",
        &title,
        &bars,
        "Memories in force today, by the day on which they were added. Deleted ones are not counted.",
    )
}

/// Shows how many memories still fit their files, as one bar.
fn freshness_plot(activity: &Activity, doubts: Option<&str>) -> Markup {
    let states = [
        ("is-unchanged", "files unchanged", activity.memories_unchanged),
        ("is-changed", "files changed since", activity.memories_changed),
        ("is-gone", "files gone", activity.memories_gone),
        ("is-loose", "without files", activity.memories_unanchored),
    ];
    let all: u64 = states.iter().map(|(_, _, memories)| memories).sum();
    let doubtful = activity.memories_changed + activity.memories_gone;
    let title = if doubtful == 0 {
        "no memory is in doubt".to_owned()
    } else {
        format!("{} of {} in doubt", count(doubtful), count(all))
    };
    let mut x = 0.0;
    let mut places = Vec::new();
    for (class, name, memories) in states {
        let width = memories as f64 / all.max(1) as f64 * HEIGHT;
        places.push((class, name, memories, x, width));
        x += width;
    }
    html! {
        figure.plot {
            figcaption { h2 { "Freshness of memories" } p { (title) } }
            @if all > 0 {
                svg.bars.flat viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=(format!("Freshness of memories: {title}")) {
                    @for (class, name, memories, x, width) in &places {
                        rect class=(class) x=(format!("{x:.2}")) y="0" width=(format!("{width:.2}")) height="10" { title { (name) ": " (count(*memories)) } }
                    }
                }
            }
            ul.legend { @for (class, name, memories) in states { li { span.swatch.(class) {} (name) " " span.count { (count(memories)) } } } }
            @if let Some(address) = doubts.filter(|_| doubtful > 0) { p { a href=(address) { "Confirm, amend or retire them" } } }
            p.dim { "Their state now, by comparing the files that they are about. Earlier states are not recorded." }
        }
    }
}

/// The values of a day, from the bottom up, each with its class.
struct Bar<'a> {
    day: &'a str,
    parts: Vec<(&'static str, u64)>,
}

impl Bar<'_> {
    fn total(&self) -> u64 {
        self.parts.iter().map(|(_, value)| value).sum()
    }
}

/// Draws a bar for each day.
fn plot(name: &str, title: &str, bars: &[Bar<'_>], note: &str) -> Markup {
    let most = bars.iter().map(Bar::total).max().unwrap_or(0);
    html! {
        figure.plot {
            figcaption { h2 { (name) } p { (title) } }
            @if most == 0 { p.dim { "Nothing is recorded in the last quarter of a year." } } @else {
                div.frame {
                    span.most { (count(most)) }
                    svg.bars viewBox={ "0 0 " (bars.len() as f64 * ROOM) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label={ (name) ": " (title) } {
                        @for (at, bar) in bars.iter().enumerate() { (draw(at, bar, most)) }
                    }
                }
                div.axis { @if let (Some(first), Some(last)) = (bars.first(), bars.last()) { span { (first.day) } span { (last.day) } } }
            }
            p.dim { (note) }
        }
    }
}

fn draw(at: usize, bar: &Bar<'_>, most: u64) -> Markup {
    let mut top = HEIGHT;
    let mut rects = Vec::new();
    for (class, value) in &bar.parts {
        // A value that is not 0 can be seen.
        let height = if *value == 0 { 0.0 } else { (*value as f64 / most as f64 * HEIGHT).max(1.0) };
        top = (top - height).max(0.0);
        rects.push((*class, top, height));
    }
    let values: Vec<String> = bar.parts.iter().map(|(_, value)| count(*value)).collect();
    html! {
        g {
            title { (bar.day) ": " (values.join(" and ")) }
            @for (class, y, height) in rects.iter().filter(|(_, _, height)| *height > 0.0) {
                rect class=[Some(*class).filter(|class| !class.is_empty())] x=(format!("{:.0}", at as f64 * ROOM + 1.0)) y=(format!("{y:.2}")) width=(ROOM - 2.0) height=(format!("{height:.2}")) {}
            }
        }
    }
}

fn sum(days: &[DayActivity], number: impl Fn(&DayActivity) -> u64) -> u64 {
    days.iter().map(number).sum()
}

fn days_table(days: &[DayActivity]) -> Markup {
    html! {
        div.wide role="region" aria-label="The numbers of each day" tabindex="0" { table {
            thead { tr { th { "Day" } th.n { "Searches" } th.n { "Answers" } th.n { "Used" } th.n { "Tokens of hits" } th.n { "Tokens of their files" } th.n { "New memories" } } }
            tbody { @for day in days.iter().rev() {
                tr {
                    td { (day.day) }
                    @for number in [day.searches, day.answers, day.used, day.answer_tokens, day.file_tokens, day.memories] { td.n { (count(number)) } }
                }
            } }
        } }
    }
}

fn stores_table(stores: &[StoreStats]) -> Markup {
    html! {
        h2 { "Stores" }
        div.wide role="region" aria-label="Stores" tabindex="0" { table {
            thead { tr { th { "Root" } th.n { "Documents" } th.n { "Text" } th.n { "Chunks" } th.n { "Symbols" } th.n { "Memories" } th.n { "Sessions" } } }
            tbody { @for store in stores {
                tr {
                    td { (store.root) }
                    td.n { (count(store.documents)) } td.n { (bytes(store.text_bytes)) }
                    @for number in [store.chunks, store.symbols, store.memories, store.sessions] { td.n { (count(number)) } }
                }
            } }
        } }
    }
}

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// Returns the days from the first to the last, with those between on which nothing happened.
fn every_day(days: &[DayActivity]) -> Vec<DayActivity> {
    let starts: Vec<i64> = days.iter().filter_map(|day| start(&day.day)).collect();
    let (Some(first), Some(last)) = (starts.first(), starts.last()) else { return Vec::new() };
    let mut known = days.iter().zip(&starts).peekable();
    let mut every = Vec::new();
    for seconds in (*first..=*last).step_by(DAY as usize) {
        every.push(match known.next_if(|(_, start)| **start == seconds) {
            Some((day, _)) => day.clone(),
            None => DayActivity { day: date(seconds), ..DayActivity::default() },
        });
    }
    every
}

/// Returns the second at which a day begins; `None` if it is not a date.
fn start(date: &str) -> Option<i64> {
    timestamp(&format!("{date}T00:00:00Z")).map(|time| time.seconds)
}

/// Returns the date of a second.
fn date(seconds: i64) -> String {
    let time = rfc3339(&Time { seconds, nanos: 0 }).unwrap_or_default();
    time.get(..10).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(date: &str, searches: u64, used: u64, memories: u64) -> DayActivity {
        let (answers, answer_tokens, file_tokens) = (searches, 10 * searches, 100 * searches);
        DayActivity { day: date.to_owned(), searches, answers, used, answer_tokens, file_tokens, memories }
    }

    fn answer() -> StatsResponse {
        let days = vec![day("2026-02-27", 4, 1, 2), day("2026-03-02", 2, 0, 1)];
        let activity = Activity { days, memories_unchanged: 6, memories_changed: 2, ..Activity::default() };
        let savings = Savings { answers: 6, answer_tokens: 60, file_tokens: 600, ..Savings::default() };
        let store = StoreStats { root: "/home/ada/zoo <b>".to_owned(), memories: 8, ..StoreStats::default() };
        StatsResponse { stores: vec![store], savings: Some(savings), activity: Some(activity), html: String::new() }
    }

    #[test]
    fn days_without_anything_stand_between_the_others() {
        let days = every_day(&answer().activity.expect("activity").days);
        let dates: Vec<_> = days.iter().map(|day| (day.day.as_str(), day.searches)).collect();
        assert_eq!(dates, [("2026-02-27", 4), ("2026-02-28", 0), ("2026-03-01", 0), ("2026-03-02", 2)]);
        assert_eq!(every_day(&[]), []);
        assert_eq!(every_day(&[day("tomorrow", 1, 0, 0)]), []);
    }

    #[test]
    fn the_page_has_plots_with_their_numbers_and_method_and_needs_nothing_else() {
        let page = stats_page(&answer());
        for part in [
            "Figures of zoo &lt;b&gt;",
            "<p>6 searches</p>",
            "<p>1 of 6 answers</p>",
            "<p>about 540 tokens in all sessions</p>",
            "Method: the tokens of the hits",
            "<p>8 memories, 3 of them new</p>",
            "<p>2 of 8 in doubt</p>",
            "<title>2026-02-28: 0</title>",
            "<title>2026-02-27: 1 and 3</title>",
            "<td>2026-03-02</td>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        for part in ["<script", "src=", "href=", "url(", "@import"] {
            assert!(!page.contains(part), "{part} is in the page");
        }
    }

    #[test]
    fn nothing_recorded_is_said() {
        let activity = Some(Activity::default());
        let page = section(&StatsResponse { activity, ..StatsResponse::default() }, None).into_string();
        assert_eq!(page.matches("Nothing is recorded").count(), 4, "{page}");
        assert!(!page.contains("<rect") && !page.contains("NaN"), "{page}");
        assert_eq!(section(&StatsResponse::default(), None).into_string(), "");
    }
}
