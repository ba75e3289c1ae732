//! Text output of models.

use std::fmt::Write;

use anstyle::Style;
use recall_api::v1;

use super::quantity::{bytes, count_noun, millis};
use super::style::{DIM, GOOD, SYMBOL, WARNING};
use super::table::{Align, Column, render as table};
use super::text::printable;

/// Formats the installed models, followed by those that can be pulled.
pub(crate) fn list(models: &[v1::Model], width: Option<usize>) -> String {
    let column = |heading, align, style| Column { heading, align, style };
    let layout = [
        column("MODEL", Align::Left, SYMBOL),
        column("ROLE", Align::Left, Style::new()),
        column("STATE", Align::Left, Style::new()),
        column("DIM", Align::Right, DIM),
        column("TOKENS", Align::Right, DIM),
        column("SIZE", Align::Right, DIM),
        column("LANGUAGES", Align::Left, DIM),
        column("LICENCE", Align::Left, DIM),
    ];
    let rows: Vec<_> = models.iter().filter(|model| model.installed).chain(models_to_pull(models)).map(cells).collect();
    let mut text = table(&layout, &rows, width);
    for model in models.iter().filter(|model| !model.problem.is_empty()) {
        let _ = writeln!(text, "{WARNING}{}{WARNING:#}: {}", printable(&model.name), printable(&model.problem));
    }
    for model in models.iter().filter(|model| !model.measured.is_empty()) {
        let _ = writeln!(text, "{SYMBOL}{}{SYMBOL:#}: {}", printable(&model.name), printable(&model.measured));
    }
    if models_to_pull(models).next().is_some() {
        let _ = writeln!(text, "{DIM}to download one: `recall models pull MODEL`{DIM:#}");
    }
    text
}

fn models_to_pull(models: &[v1::Model]) -> impl Iterator<Item = &v1::Model> {
    models.iter().filter(|model| !model.installed)
}

fn cells(model: &v1::Model) -> [String; 8] {
    let or_empty = |number: u32| if number == 0 { String::new() } else { number.to_string() };
    [
        printable(&model.name).into_owned(),
        model.roles.join(", "),
        state(model),
        or_empty(model.dimensions),
        or_empty(model.window_tokens),
        if model.bytes == 0 { String::new() } else { bytes(model.bytes) },
        printable(&model.languages.join(", ")).into_owned(),
        if model.licence.is_empty() { "unknown".to_owned() } else { printable(&model.licence).into_owned() },
    ]
}

/// `used, on cpu`, `installed`, `can be pulled`.
fn state(model: &v1::Model) -> String {
    let what = match () {
        () if !model.problem.is_empty() => "cannot be used",
        () if !model.installed => return "can be pulled".to_owned(),
        () if !model.used_as.is_empty() && !model.address.is_empty() => {
            return format!("used, at {}", printable(&model.address));
        }
        () if !model.used_as.is_empty() => "used",
        () if !model.address.is_empty() => return format!("not used, at {}", printable(&model.address)),
        () if model.origin == "builtin" => "off",
        () => "installed",
    };
    if model.provider.is_empty() { what.to_owned() } else { format!("{what}, on {}", printable(&model.provider)) }
}

/// Formats a model on one line.
pub(crate) fn row(model: &v1::Model) -> String {
    let mut parts = vec![model.roles.join(", ")];
    if model.dimensions > 0 {
        parts.push(count_noun(model.dimensions.into(), "dimension", "dimensions"));
    }
    if model.window_tokens > 0 {
        parts.push(count_noun(model.window_tokens.into(), "token", "tokens"));
    }
    parts.extend(Some(bytes(model.bytes)).filter(|_| model.bytes > 0));
    parts.extend(Some(printable(&model.licence).into_owned()).filter(|licence| !licence.is_empty()));
    let name = printable(&model.name);
    let role = model.roles.first().map_or("embed", String::as_str);
    format!(
        "{GOOD}installed{GOOD:#} {SYMBOL}{name}{SYMBOL:#}: {}\n{DIM}use it with `recall models use {role} {name}`{DIM:#}\n",
        parts.join(", "),
    )
}

/// Formats the result of a download.
pub(crate) fn format_transfer(finished: &v1::TransferFinished) -> String {
    let v1::TransferFinished { model, path, took_ms } = finished;
    match model {
        Some(model) => row(model),
        None => format!("{GOOD}installed{GOOD:#} {} in {}\n", printable(path), millis(*took_ms)),
    }
}

/// Formats the model that was selected.
pub(crate) fn format_use(answer: &v1::UseModelResponse, role: &str) -> String {
    let v1::UseModelResponse { model, chunks_to_embed } = answer;
    let Some(model) = model else { return format!("no model is used to {role}\n") };
    let mut text = format!("{GOOD}used{GOOD:#} to {role}: {SYMBOL}{}{SYMBOL:#}\n", printable(&model.name));
    if !model.address.is_empty() {
        let what = match role {
            "judge" => "the text of hard questions and of their first hits",
            "describe" => "the text of every indexed document that is not code",
            "compare" => "the text of memories about the same subject",
            _ => "the text of every indexed chunk and of every query",
        };
        let address = printable(&model.address);
        let _ = writeln!(text, "{WARNING}sent to {address}{WARNING:#}: {what}, of all projects, with secrets masked");
    }
    if *chunks_to_embed > 0 {
        let chunks = count_noun(*chunks_to_embed, "chunk", "chunks");
        let _ = writeln!(text, "{DIM}{chunks} to embed in the background; `recall status` shows the progress{DIM:#}");
    }
    text
}

/// Formats the model that was removed.
pub(crate) fn format_remove(name: &str, freed: u64) -> String {
    format!("removed {}, {} freed\n", printable(name), bytes(freed))
}

#[cfg(test)]
mod tests {
    use super::super::style::plain;
    use super::*;

    fn minilm() -> v1::Model {
        v1::Model {
            name: "all-MiniLM-L6-v2".to_owned(),
            roles: vec!["embed".to_owned()],
            used_as: vec!["embed".to_owned()],
            origin: "hub".to_owned(),
            dimensions: 384,
            window_tokens: 256,
            licence: "Apache-2.0".to_owned(),
            loaded: true,
            provider: "cpu".to_owned(),
            bytes: 91_000_000,
            installed: true,
            ..v1::Model::default()
        }
    }

    #[test]
    fn models_are_a_table_with_what_can_be_pulled_at_its_end() {
        let can_be_pulled = v1::Model {
            name: "bge".to_owned(),
            roles: vec!["embed".to_owned()],
            dimensions: 384,
            bytes: 133_000_000,
            languages: vec!["en".to_owned(), "zh".to_owned()],
            measured: "better at prose".to_owned(),
            ..v1::Model::default()
        };
        let built_in = v1::Model {
            name: "static".to_owned(),
            roles: vec!["embed".to_owned()],
            origin: "builtin".to_owned(),
            dimensions: 256,
            installed: true,
            ..v1::Model::default()
        };
        let broken = v1::Model {
            name: "tiny".to_owned(),
            problem: "model.onnx has changed".to_owned(),
            installed: true,
            ..v1::Model::default()
        };
        insta::assert_snapshot!(plain(&list(&[minilm(), can_be_pulled, built_in, broken], None)), @r"
        MODEL             ROLE   STATE           DIM  TOKENS       SIZE  LANGUAGES  LICENCE
        all-MiniLM-L6-v2  embed  used, on cpu    384     256   86.8 MiB             Apache-2.0
        static            embed  off             256                                unknown
        tiny                     cannot be used                                     unknown
        bge               embed  can be pulled   384          126.8 MiB  en, zh     unknown
        tiny: model.onnx has changed
        bge: better at prose
        to download one: `recall models pull MODEL`
        ");
    }

    #[test]
    fn results_take_one_or_two_lines() {
        assert_eq!(
            plain(&row(&minilm())),
            "installed all-MiniLM-L6-v2: embed, 384 dimensions, 256 tokens, 86.8 MiB, Apache-2.0\n\
             use it with `recall models use embed all-MiniLM-L6-v2`\n"
        );
        let answer = v1::UseModelResponse { model: Some(minilm()), chunks_to_embed: 1 };
        assert_eq!(
            plain(&format_use(&answer, "embed")),
            "used to embed: all-MiniLM-L6-v2\n1 chunk to embed in the background; `recall status` shows the progress\n"
        );
        assert_eq!(plain(&format_use(&v1::UseModelResponse::default(), "embed")), "no model is used to embed\n");
        let runtime = v1::TransferFinished { model: None, path: "/d/lib.so".to_owned(), took_ms: 1_500.0 };
        assert_eq!(plain(&format_transfer(&runtime)), "installed /d/lib.so in 1.5 s\n");
    }
}
