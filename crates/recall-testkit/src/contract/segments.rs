//! Points in Qdrant's segments, in a process of Python with the package `qdrant-edge-py`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::state::{Fields, Nearest, Point, Points, Prepared, Stored, Test};
use crate::postgres;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_client::qdrant::{CreateCollection, FieldType, ListValue, UpdateMode, Value};
use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;
use tonic::Status;

const PACKAGE: &str = "qdrant_edge_py";

/// What the process runs.
const PROGRAM: &str = include_str!("segments.py");

/// The points of a collection. The process ends when it is dropped.
pub(super) struct Segments {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    _folder: TempDir,
}

impl Segments {
    pub(super) fn create(created: &CreateCollection) -> Result<Self, Status> {
        let folder = tempfile::tempdir().map_err(failure)?;
        let mut python = Command::new("python3");
        python.args(["-c", PROGRAM]).arg(folder.path().join("segments"));
        python.env("PYTHONPATH", postgres::unpack_once(PACKAGE, None)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = python.spawn().map_err(failure)?;
        let requests = process.stdin.take().ok_or_else(|| failure("no pipe"))?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(|| failure("no pipe"))?);
        let mut segments = Self { process, requests, answers, _folder: folder };
        let sparse = created.sparse_vectors_config.as_ref().map(|config| config.map.keys().collect());
        let sparse: Vec<&String> = sparse.unwrap_or_default();
        let dense = match created.vectors_config.as_ref().and_then(|config| config.config.as_ref()) {
            Some(Config::ParamsMap(all)) => all.map.iter().map(|(name, one)| (name.clone(), json!(one.size))).collect(),
            _ => Map::new(),
        };
        let graph = created.hnsw_config.map(|graph| {
            json!({ "m": graph.m.unwrap_or(16), "payload_m": graph.payload_m, "ef_construct": 100, "full_scan_threshold": 10 })
        });
        segments.ask("create", &json!({ "dense": dense, "sparse": sparse, "graph": graph }))?;
        Ok(segments)
    }

    fn ask(&mut self, method: &str, arguments: &Json) -> Result<Json, Status> {
        writeln!(self.requests, "{}", json!([method, arguments])).map_err(failure)?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(failure)?;
        let mut answer: Json = serde_json::from_str(&line).map_err(failure)?;
        match answer.get("failed").and_then(Json::as_str) {
            Some(why) => Err(failure(format!("{method}: {why}"))),
            None => Ok(answer["done"].take()),
        }
    }
}

impl Drop for Segments {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Points for Segments {
    fn write(
        &mut self,
        points: Vec<(String, Point)>,
        mode: UpdateMode,
        condition: Option<&Prepared>,
    ) -> Result<(), Status> {
        let mode = match mode {
            UpdateMode::Upsert => "upsert",
            UpdateMode::InsertOnly => "insert",
            UpdateMode::UpdateOnly => "update",
        };
        let of_point = |(id, point): (String, Point)| {
            let vectors = point.vectors.iter().map(|(name, stored)| (name.clone(), vector(stored)));
            Ok(json!([id, from_fields(&point.fields)?, vectors.collect::<Map<String, Json>>()]))
        };
        let points = points.into_iter().map(of_point).collect::<Result<Vec<Json>, Status>>()?;
        let arguments = json!({ "points": points, "mode": mode, "filter": condition.map(filter) });
        self.ask("write", &arguments).map(|_| ())
    }

    fn set(&mut self, fields: &Fields, condition: &Prepared) -> Result<(), Status> {
        self.ask("set", &json!({ "fields": from_fields(fields)?, "filter": filter(condition) })).map(|_| ())
    }

    fn delete(&mut self, condition: &Prepared) -> Result<(), Status> {
        self.ask("delete", &json!({ "filter": filter(condition) })).map(|_| ())
    }

    fn page(
        &mut self,
        condition: &Prepared,
        start: Option<&str>,
        most: usize,
    ) -> Result<Vec<(String, Fields)>, Status> {
        let most = most.min(1_000_000);
        let page = self.ask("page", &json!({ "filter": filter(condition), "start": start, "most": most }))?;
        let point = |point: &Json| Some((point[0].as_str()?.to_owned(), to_fields(&point[1])?));
        all(&page, point)
    }

    fn count(&mut self, condition: &Prepared) -> Result<u64, Status> {
        let count = self.ask("count", &json!({ "filter": filter(condition) }))?;
        count.as_u64().ok_or_else(|| failure("no count"))
    }

    fn best(&mut self, nearest: &Nearest, condition: &Prepared) -> Result<Vec<(String, f32)>, Status> {
        let Nearest { name, vector: wanted, most, breadth } = nearest;
        let arguments = json!({
            "name": name, "wanted": vector(wanted), "most": most, "breadth": breadth, "filter": filter(condition)
        });
        let best = self.ask("best", &arguments)?;
        all(&best, |point| Some((point[0].as_str()?.to_owned(), point[1].as_f64()? as f32)))
    }

    fn index(&mut self, field: &str, kind: FieldType) -> Result<(), Status> {
        let kind = match kind {
            FieldType::Keyword if field == "tenant" => "tenant",
            FieldType::Keyword => "text",
            FieldType::Uuid => "identity",
            FieldType::Integer => "number",
            other => return Err(Status::unimplemented(format!("an index of {other:?}"))),
        };
        self.ask("index", &json!({ "field": field, "kind": kind })).map(|_| ())
    }
}

fn all<T>(list: &Json, one: impl Fn(&Json) -> Option<T>) -> Result<Vec<T>, Status> {
    let all = list.as_array().and_then(|list| list.iter().map(one).collect());
    all.ok_or_else(|| failure(format!("an answer of another form: {list}")))
}

fn filter(condition: &Prepared) -> Json {
    let tests = |tests: &[Test]| tests.iter().map(test).collect::<Vec<Json>>();
    let Prepared { must, must_not, should } = condition;
    json!({ "must": tests(must), "must_not": tests(must_not), "should": tests(should) })
}

fn test(test: &Test) -> Json {
    match test {
        Test::Ids(ids) => json!({ "ids": ids }),
        Test::Texts(key, texts) => json!({ "any": [key, texts] }),
        Test::Numbers(key, numbers) => json!({ "any": [key, numbers] }),
        Test::Range(key, range) => {
            json!({ "range": [key, { "lt": range.lt, "gt": range.gt, "lte": range.lte, "gte": range.gte }] })
        }
        Test::Filter(inner) => json!({ "filter": filter(inner) }),
    }
}

fn vector(stored: &Stored) -> Json {
    match stored {
        Stored::Dense(components) => json!(components),
        Stored::Sparse(weights) => {
            json!([weights.keys().collect::<Vec<_>>(), weights.values().collect::<Vec<_>>()])
        }
    }
}

fn from_fields(fields: &Fields) -> Result<Json, Status> {
    let all = fields.iter().map(|(name, value)| Ok((name.clone(), from_value(value)?)));
    all.collect::<Result<Map<String, Json>, Status>>().map(Json::Object)
}

fn from_value(value: &Value) -> Result<Json, Status> {
    match &value.kind {
        Some(Kind::StringValue(text)) => Ok(json!(text)),
        Some(Kind::IntegerValue(number)) => Ok(json!(number)),
        Some(Kind::ListValue(list)) => list.values.iter().map(from_value).collect::<Result<_, _>>().map(Json::Array),
        other => Err(Status::unimplemented(format!("the value {other:?}"))),
    }
}

fn to_fields(fields: &Json) -> Option<Fields> {
    fields.as_object()?.iter().map(|(name, value)| Some((name.clone(), to_value(value)?))).collect()
}

fn to_value(value: &Json) -> Option<Value> {
    let kind = match value {
        Json::String(text) => Kind::StringValue(text.clone()),
        Json::Number(number) => Kind::IntegerValue(number.as_i64()?),
        Json::Array(values) => {
            Kind::ListValue(ListValue { values: values.iter().map(to_value).collect::<Option<_>>()? })
        }
        _ => return None,
    };
    Some(Value { kind: Some(kind) })
}

fn failure(why: impl std::fmt::Display) -> Status {
    Status::internal(format!("the segments: {why}"))
}
