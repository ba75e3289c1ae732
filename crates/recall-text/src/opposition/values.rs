//! What a statement chooses or measures: quantities, days, intervals, and names of which a project takes one.

/// A kind of value. Two statements about one subject that give different values of a kind exclude each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueKind {
    Duration,
    Size,
    Weekday,
    Interval,
    /// A number of what the word names.
    Number(String),
    /// One of the names in a row of [`ALTERNATIVES`].
    Alternative(usize),
}

/// A value in a statement.
pub(super) struct Value {
    pub(super) kind: ValueKind,
    /// In a form that equal values share.
    pub(super) text: String,
    /// The number of its words.
    pub(super) words: usize,
}

/// Names of which a project takes one for a purpose; other spellings of a name after `|`. A name is in one row.
const ALTERNATIVES: [&[&str]; 30] = [
    &["npm", "yarn", "pnpm", "bun"],
    &["pip", "poetry", "uv", "pipenv", "conda", "pdm"],
    &["maven", "gradle", "bazel"],
    &["postgres|postgresql", "mysql", "mariadb", "sqlite", "mongodb|mongo", "cassandra", "dynamodb", "oracle"],
    &["redis", "memcached", "valkey"],
    &["rabbitmq", "kafka", "sqs", "nats", "pulsar", "celery", "sidekiq"],
    &["elasticsearch", "opensearch", "solr", "meilisearch", "typesense"],
    &["jenkins", "github actions", "gitlab", "circleci", "travis", "buildkite", "teamcity"],
    &["webpack", "vite", "rollup", "esbuild", "turbopack"],
    &["react", "vue", "angular", "svelte"],
    &["jest", "vitest", "mocha", "jasmine"],
    &["pytest", "unittest"],
    &["cypress", "playwright", "selenium", "puppeteer"],
    &["java", "kotlin", "scala", "python", "rust", "go", "ruby", "typescript", "javascript", "php", "elixir"],
    &["rest", "graphql", "grpc", "soap", "trpc"],
    &["json", "yaml", "toml", "xml", "protobuf", "msgpack", "avro", "csv", "parquet"],
    &["jwt|jwts", "cookie|cookies", "saml"],
    &["bcrypt", "argon2|argon2id", "scrypt", "pbkdf2", "md5", "sha256"],
    &["vault", "doppler", "aws secrets"],
    &["prometheus", "statsd", "datadog", "graphite", "influxdb"],
    &["docker", "podman"],
    &["kubernetes", "nomad", "ecs", "swarm"],
    &["terraform", "pulumi", "ansible", "cloudformation"],
    &["aws", "gcp", "azure"],
    &["eslint", "biome", "tslint"],
    &["tabs|tab", "spaces|space"],
    &["utc", "local time"],
    &["floats|float", "integers|integer", "decimals|decimal"],
    &["rebase|rebasing", "squash|squashing"],
    &["snake_case", "camelcase", "kebab-case", "pascalcase"],
];

/// Names that are also other words, unless they are written as names.
const AMBIGUOUS: [&str; 10] = ["go", "rest", "soap", "swarm", "vault", "oracle", "rust", "python", "bun", "react"];

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The words of an interval, in the form of their stems, with their interval.
const INTERVALS: [(&str, &str); 8] = [
    ("hour", "hour"),
    ("hourly", "hour"),
    ("day", "day"),
    ("daily", "day"),
    ("night", "day"),
    ("nightly", "day"),
    ("week", "week"),
    ("month", "month"),
];

const NUMBERS: [(&str, f64); 16] = [
    ("half", 0.5),
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("twelve", 12.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("sixty", 60.0),
    ("hundred", 100.0),
];

/// Units in the form of their stems, with their seconds.
const SECONDS: [(&str, f64); 12] = [
    ("ms", 0.001),
    ("millisecond", 0.001),
    ("s", 1.0),
    ("second", 1.0),
    ("minut", 60.0),
    ("minuten", 60.0),
    ("min", 60.0),
    ("hour", 3600.0),
    ("day", 86_400.0),
    ("week", 604_800.0),
    ("month", 2_592_000.0),
    ("year", 31_536_000.0),
];

/// Units with their bytes.
const BYTES: [(&str, f64); 8] =
    [("kb", 1e3), ("kib", 1e3), ("mb", 1e6), ("mib", 1e6), ("gb", 1e9), ("gib", 1e9), ("tb", 1e12), ("tib", 1e12)];

fn entry<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

fn alternative(name: &str) -> Option<(ValueKind, String)> {
    ALTERNATIVES.iter().enumerate().find_map(|(row, names)| {
        let spellings = names.iter().find(|spellings| spellings.split('|').any(|known| known == name))?;
        Some((ValueKind::Alternative(row), (*spellings).to_owned()))
    })
}

/// Returns the value that begins at the first of some words, each in lower case with its stem. `before` is the stem of the last
/// content word before them.
pub(super) fn value_at(words: &[(&str, &str)], is_name: bool, before: Option<&str>) -> Option<Value> {
    let &(word, stem) = words.first()?;
    let new = |kind, text, words| Some(Value { kind, text, words });
    if let Some(day) = WEEKDAYS.iter().find(|day| **day == stem) {
        return new(ValueKind::Weekday, (*day).to_owned(), 1);
    }
    let phrase = words.get(1).map(|(next, _)| format!("{word} {next}"));
    if let Some((kind, name)) = alternative(word) {
        return new(kind, name, 1).filter(|_| is_name || !AMBIGUOUS.contains(&word));
    }
    if let Some((kind, name)) = phrase.as_deref().and_then(alternative) {
        return new(kind, name, 2);
    }
    let is_every = matches!(word, "every" | "each");
    let interval = if is_every { words.get(1).map(|(_, stem)| *stem) } else { word.ends_with("ly").then_some(word) };
    if let Some(interval) = interval.and_then(|word| entry(&INTERVALS, word)) {
        return new(ValueKind::Interval, interval.to_owned(), if is_every { 2 } else { 1 });
    }
    quantity_at(words, before)
}

fn quantity_at(words: &[(&str, &str)], before: Option<&str>) -> Option<Value> {
    let &(word, _) = words.first()?;
    let digits = word.trim_start_matches('v').split(['+', '-']).next().unwrap_or_default();
    let is_version = digits.starts_with(|c: char| c.is_ascii_digit());
    let number = digits.parse::<f64>().ok().or_else(|| entry(&NUMBERS, word));
    if number.is_none() && !is_version {
        return None;
    }
    let is_filler = |(word, _): &&(&str, &str)| matches!(*word, "a" | "an" | "of");
    let fillers = words[1..].iter().take_while(is_filler).count();
    let unit = words.get(1 + fillers);
    if let (Some(number), Some((unit, stem))) = (number, unit) {
        let words = fillers + 2;
        if let Some(seconds) = entry(&SECONDS, stem).or_else(|| entry(&SECONDS, unit)) {
            return Some(Value { kind: ValueKind::Duration, text: format!("{:.3}", number * seconds), words });
        }
        if let Some(bytes) = entry(&BYTES, unit) {
            return Some(Value { kind: ValueKind::Size, text: format!("{:.0}", number * bytes), words });
        }
    }
    let counted = unit.filter(|(word, _)| word.len() > 3 && word.chars().all(char::is_alphabetic));
    let kind = ValueKind::Number(counted.map(|(_, stem)| *stem).or(before)?.to_owned());
    let text = number.map_or_else(|| digits.to_owned(), |number| number.to_string());
    Some(Value { kind, text, words: 1 })
}
