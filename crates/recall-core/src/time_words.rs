//! The words of a question that name a time, in the languages of questions.
//!
//! A question about what somebody did or decided is limited to that time. Words such as "last week" in other questions are about the
//! project itself: `how is last week computed`. So a question needs a word of doing or deciding, and the caller says what it understood
//! and falls back to any time if nothing is found.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The longest question that is read for times, in bytes.
const QUESTION_BYTES: usize = 400;

/// The time that the words of a question name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeWords {
    /// The words, as they are in the question.
    pub words: String,
    /// The question without them.
    pub rest: String,
    /// The earliest time, as [`When`](crate::When) reads it.
    pub since: Option<String>,
    /// The end.
    pub before: Option<String>,
    /// A word for an event before which it was, such as `migration`. Only a history can say when that was.
    pub before_event: Option<String>,
}

/// What a pattern stands for.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// From the first to the second.
    Between(&'static str, Option<&'static str>),
    /// So many units ago, of which the unit is the first letters that follow the number.
    Ago,
    Since,
    Before,
    BeforeEvent,
}

/// A version, a tag, a commit or a date.
const POINT: &str = r"(v?\d+(?:\.\d+)+[\w.-]*|v\d[\w.-]*|\d{4}-\d{2}(?:-\d{2})?|[0-9a-f]{7,40})";

/// Reads the words that name a time. `None` for a question without them, and for one that is not about doing or deciding.
pub fn read_time_words(question: &str) -> Option<TimeWords> {
    if question.len() > QUESTION_BYTES || question.contains('"') || !DOING.is_match(question) {
        return None;
    }
    PATTERNS.iter().find_map(|(pattern, meaning)| {
        let found = pattern.captures(question)?;
        let whole = found.get_match();
        let (since, before, before_event) = bounds(*meaning, &found)?;
        let rest = format!("{} {}", question[..whole.start()].trim_end(), question[whole.end()..].trim_start());
        Some(TimeWords {
            words: whole.as_str().trim().to_owned(),
            rest: rest.trim().to_owned(),
            since,
            before,
            before_event,
        })
    })
}

type Bounds = (Option<String>, Option<String>, Option<String>);

fn bounds(meaning: Meaning, found: &Captures<'_>) -> Option<Bounds> {
    // An alternative of a pattern has a group of its own.
    let named = || found.iter().skip(1).flatten().next().map(|part| part.as_str().to_owned());
    Some(match meaning {
        Meaning::Between(since, before) => (Some(since.to_owned()), before.map(str::to_owned), None),
        Meaning::Since => (named(), None, None),
        Meaning::Before => (None, named(), None),
        Meaning::BeforeEvent => (None, None, named()),
        Meaning::Ago => {
            let count: u32 = found.get(1)?.as_str().parse().ok().filter(|count| *count > 0)?;
            let unit = unit(&found.get(2)?.as_str().to_lowercase())?;
            let end = if count == 1 { None } else { Some(format!("{} {unit} ago", count - 1)) };
            let end = end.or_else(|| (unit == "days").then(|| "today".to_owned()));
            (Some(format!("{count} {unit} ago")), end, None)
        }
    })
}

/// Returns the English unit of a word for one.
fn unit(word: &str) -> Option<&'static str> {
    const UNITS: [(&str, &[&str]); 3] = [
        ("days", &["day", "tag", "jour", "día", "dia", "日", "天", "дн", "ден"]),
        ("weeks", &["week", "woche", "semaine", "semana", "週", "周", "недел"]),
        ("months", &["month", "monat", "mois", "mes", "か月", "ヶ月", "个月", "個月", "месяц"]),
    ];
    UNITS.iter().find(|(_, begins)| begins.iter().any(|begin| word.starts_with(begin))).map(|(unit, _)| *unit)
}

/// The words of doing and deciding.
static DOING: LazyLock<Regex> = LazyLock::new(|| {
    let words = [
        r"\b(?:did|decid\w*|decision\w*|chang\w*|happen\w*|learn\w*|was|were|agreed|chose|remember\w*|added|used|new)\b",
        r"\b(?:entschied\w*|entscheidung\w*|beschl\w*|geändert|gelernt|passiert|haben wir|gemacht|benutzt|war|waren)\b",
        r"\b(?:décid\w*|choisi\w*|changé\w*|appris|passé|avons|fait|utilis\w*)",
        r"\b(?:decid\w*|cambi\w*|aprend\w*|pasó|hicimos|hemos|us\w*amos|acordamos)\b",
        "決め|決ま|決定|変更|変わ|学ん|した|使って|决定|決定|改变|改變|学到|學到|做了|用了|发生|發生",
        r"\b(?:решил\w*|решен\w*|изменил\w*|узнал\w*|случил\w*|делал\w*|использ\w*|было|были)",
    ];
    Regex::new(&format!("(?i){}", words.join("|"))).expect("a pattern")
});

static PATTERNS: LazyLock<Vec<(Regex, Meaning)>> = LazyLock::new(|| {
    use Meaning::{Ago, Before, BeforeEvent, Between, Since};
    let last_week = Between("last week", Some("this week"));
    let this_week = Between("this week", None);
    let last_month = Between("last month", Some("this month"));
    let this_month = Between("this month", None);
    let yesterday = Between("yesterday", Some("today"));
    let today = Between("today", None);
    let last_year = Between("last year", Some("this year"));
    let point = |before: &str, after: &str| format!("{before}{POINT}{after}");
    let patterns: Vec<(String, Meaning)> = vec![
        (r"\b(?:in the )?last week\b|\b(?:in der )?(?:letzten?|vergangenen?|vorigen?) woche\b|\bla semaine (?:dernière|passée)|\bla semana pasada\b|先週|上周|上週|上星期|上个星期|上個星期|(?:на )?прошлой неделе".into(), last_week),
        (r"\bthis week\b|\bdiese woche\b|\bcette semaine\b|\besta semana\b|今週|本周|本週|这周|這週|(?:на )?этой неделе".into(), this_week),
        (r"\blast month\b|\b(?:im )?(?:letzten|vergangenen|vorigen) monat\b|\ble mois (?:dernier|passé)|\bel mes pasado\b|先月|上个月|上個月|上月|(?:в )?прошлом месяце".into(), last_month),
        (r"\bthis month\b|\bdiesen monat\b|\bce mois(?:-ci)?\b|\beste mes\b|今月|这个月|這個月|本月|(?:в )?этом месяце".into(), this_month),
        (r"\blast year\b|\b(?:letztes|voriges|vergangenes) jahr\b|\bl['’]an(?:née)? (?:dernière?|passée?)|\bel año pasado\b|去年|昨年|(?:в )?прошлом году".into(), last_year),
        (r"\byesterday\b|\bgestern\b|\bhier\b|\bayer\b|昨日|昨天|\bвчера\b".into(), yesterday),
        (r"\btoday\b|\bheute\b|\baujourd['’]hui\b|\bhoy\b|今日|今天|\bсегодня\b".into(), today),
        (r"\b(\d+) (days?|weeks?|months?) ago\b".into(), Ago),
        (r"\bvor (\d+) (tag\w*|woche\w*|monat\w*)\b".into(), Ago),
        (r"\bil y a (\d+) (jours?|semaines?|mois)\b".into(), Ago),
        (r"\bhace (\d+) (d[ií]as?|semanas?|mes(?:es)?)\b".into(), Ago),
        (r"(\d+) ?(日|週間|か月|ヶ月)前".into(), Ago),
        (r"(\d+) ?(天|周|週|个月|個月)(?:之)?前".into(), Ago),
        (r"\b(\d+) (дн\w*|ден\w*|недел\w*|месяц\w*) назад\b".into(), Ago),
        (point(r"\b(?:since|seit(?: der| dem)?|depuis(?: la| le)?|desde(?: la| el)?|начиная с|с) ", r"\b"), Since),
        (point("(?:自从|自從|自|从|從)? ?", " ?(?:以降|以来|以來|から|之后|之後|开始|開始)"), Since),
        (point(r"\b(?:before|vor(?: der| dem)?|avant(?: la| le)?|antes de(?: la|l)?|до|перед) ", r"\b"), Before),
        (point("", " ?(?:より前|の前|以前|之前|前)"), Before),
        (r"\bbefore the (\w{4,})\b|\bvor (?:der|dem) (\w{4,})\b|\bavant (?:la |le |l['’])(\w{4,})\b|\bantes de(?: la|l) (\w{4,})\b|\b(?:до|перед) (\w{4,})\b".into(), BeforeEvent),
        (r"([\p{Han}\p{Katakana}ー]{2,8})(?:より前|の前|以前|之前)".into(), BeforeEvent),
    ];
    let compile =
        |(pattern, meaning): (String, Meaning)| (Regex::new(&format!("(?i){pattern}")).expect("a pattern"), meaning);
    patterns.into_iter().map(compile).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, expected: Option<(&str, &str, &str)>) {
        let read = read_time_words(question);
        let some = |text: &Option<String>| text.clone().unwrap_or_default();
        let read = read.map(|time| (some(&time.since), some(&time.before), some(&time.before_event)));
        let expected = expected.map(|(since, before, event)| (since.to_owned(), before.to_owned(), event.to_owned()));
        assert_eq!(read, expected, "{question}");
    }

    #[test]
    fn times_are_read_in_the_languages_of_questions() {
        let week = Some(("last week", "this week", ""));
        for question in [
            "what did we decide last week",
            "Was haben wir letzte Woche entschieden?",
            "qu'avons-nous décidé la semaine dernière",
            "qué decidimos la semana pasada",
            "先週何を決めた",
            "我们上周决定了什么",
            "что мы решили на прошлой неделе",
        ] {
            check(question, week);
        }
        let since = Some(("v2.3", "", ""));
        for question in [
            "what changed since v2.3",
            "was wurde seit v2.3 entschieden, wir haben wir",
            "qu'est-ce qui a changé depuis la v2.3",
            "qué cambió desde v2.3",
            "v2.3以降に変更したこと",
            "自从v2.3以来做了什么",
            "что было изменено с v2.3",
        ] {
            check(question, since);
        }
        let ago = Some(("3 days ago", "2 days ago", ""));
        for question in [
            "what did we do 3 days ago",
            "was haben wir vor 3 Tagen gemacht",
            "qu'avons-nous fait il y a 3 jours",
            "qué hicimos hace 3 días",
            "3日前に決めたこと",
            "3天前做了什么",
            "что мы решили 3 дня назад",
        ] {
            check(question, ago);
        }
        check("how did we store sessions before the migration", Some(("", "", "migration")));
        check("wie war es vor der Migration", Some(("", "", "Migration")));
        check("what was used before 1.2.0", Some(("", "1.2.0", "")));
        check("what did we decide yesterday", Some(("yesterday", "today", "")));
    }

    #[test]
    fn other_questions_have_no_time() {
        for question in [
            "how is last week computed",
            "where is yesterday parsed",
            "deprecated since v2.3",
            "what runs before the request",
            "what did \"last week\" return",
            "what did we decide about retries",
        ] {
            check(question, None);
        }
    }

    #[test]
    fn the_rest_of_the_question_is_left() {
        let read = read_time_words("what did we decide last week about retries").expect("a time");
        assert_eq!((read.words.as_str(), read.rest.as_str()), ("last week", "what did we decide about retries"));
    }
}
