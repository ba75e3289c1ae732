use std::cmp::Ordering;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const TEXT: &str = "\
# features: words names%20here
1 qid:1 1:0.5 2:nan # org/project commit weight=2 missed=1
0 qid:1 1:0.25 # org/project commit weight=2 missed=1
# qid:2 org/project commit missed=3
";

#[test]
fn the_text_is_as_documented() {
    let judged = read(TEXT).expect("it is well-formed");
    assert_eq!(judged.features, ["words", "names here"]);
    assert_eq!(judged.queries[0].labels, [1.0, 0.0]);
    assert_eq!(judged.queries[0].rows[2..], [0.25, 0.0]);
    assert_eq!((judged.queries[0].weight, judged.queries[1].missed), (2.0, 3));
    assert_eq!(write(&judged), TEXT);
}

#[test]
fn a_malformed_line_is_reported_with_its_number() {
    #[track_caller]
    fn check(text: &str, line: usize, problem: LetorProblem) {
        assert_eq!(read(text), Err(LetorError { line, problem }));
    }
    let word = str::to_owned;
    check("", 1, LetorProblem::NoFeatures);
    check("\n1 qid:1 # g k", 2, LetorProblem::NoFeatures);
    check("# features: a\n# features: a", 2, LetorProblem::SecondFeatures);
    check("# features: a%2", 1, LetorProblem::Name(word("a%2")));
    let with = |lines: &str| format!("# features: a b\n\n# a comment\n{lines}");
    check(&with("x qid:1 # g k"), 4, LetorProblem::Label(word("x")));
    check(&with("1 1:0 # g k"), 4, LetorProblem::Query(word("1:0")));
    check(&with("1 qid:1 2:x # g k"), 4, LetorProblem::Value(word("2:x")));
    check(&with("1 qid:1 0:1 # g k"), 4, LetorProblem::Feature(0));
    check(&with("1 qid:1 3:1 # g k"), 4, LetorProblem::Feature(3));
    check(&with("1 qid:1 2:1 1:1 # g k"), 4, LetorProblem::Feature(1));
    check(&with("1 qid:1 2:1"), 4, LetorProblem::Origin);
    check(&with("1 qid:1 2:1 # g"), 4, LetorProblem::Origin);
    check(&with("1 qid:1 2:1 # g k other"), 4, LetorProblem::Setting(word("other")));
    check(&with("1 qid:1 # g k\n1 qid:1 # h k"), 5, LetorProblem::Differs(1));
    check(&with("1 qid:1 # g k\n1 qid:2 # g k\n1 qid:1 # g k"), 6, LetorProblem::SecondQuery(1));
}

proptest! {
    #[test]
    fn what_is_written_is_read(queries in vec(query(), 0..5), names in vec(".*", 2)) {
        let judged = Judged { features: names, queries };
        let text = write(&judged);
        let read = read(&text).expect("it was written");
        prop_assert_eq!(write(&read), text);
        prop_assert_eq!(read.features, judged.features);
        for (read, query) in read.queries.iter().zip(&judged.queries) {
            prop_assert_eq!(without_rows(read), without_rows(query));
            for (read, value) in read.rows.iter().zip(&query.rows) {
                let is_same = read.partial_cmp(value).map_or(read.is_nan() && value.is_nan(), Ordering::is_eq);
                prop_assert!(is_same, "{read} {value}");
            }
        }
    }

    #[test]
    fn no_text_does_harm(text in "(# (features|qid):|[01] qid:|[0-9]:|nan|weight=|%|#|g|k|[ \n]){0,60}") {
        if let Ok(judged) = read(&text) {
            prop_assert_eq!(read(&write(&judged)).map(|read| write(&read)), Ok(write(&judged)));
        }
    }
}

fn without_rows(query: &JudgedQuery) -> JudgedQuery {
    JudgedQuery { rows: Vec::new(), ..query.clone() }
}

fn query() -> impl Strategy<Value = JudgedQuery> {
    let value = prop_oneof![4 => any::<f32>(), 1 => Just(0.0_f32)];
    let candidates = vec((0..4_u8, [value.clone(), value]), 0..4);
    (".*", ".*", 0.01..10.0_f32, 0..3_u32, candidates).prop_map(|(group, kind, weight, missed, candidates)| {
        JudgedQuery {
            group,
            kind,
            weight,
            rows: candidates.iter().flat_map(|(_, row)| *row).collect(),
            labels: candidates.iter().map(|(label, _)| f32::from(*label)).collect(),
            missed,
        }
    })
}
