//! Statements as text: what is valid, what is reported, and that printing and parsing are inverse.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use recall_core::rql::{
    Combined, Comparison, Direction, Expression, Field, Filter, Literal, MOST_DEPTH, MOST_TERMS, Object, Operator,
    OrderBy, Problem, Query, Retrieval, Select, Selected, Spanned, Statement, Using, parse_expression, parse_statement,
};

#[test]
fn a_statement_is_read_whole() {
    let text = "select path, chunk.start_line, score, nonsense FROM chunk
        USING semantic('close a session'), lexical(\"it's\")
        FILTER doc.tag = 'a''b' AND NOT chunk.kind IN ('part', 'window') OR doc.mtime >= '2026-01-31'
        ORDER BY score DESC LIMIT 20 OFFSET 40;";
    let query = Query::parse(text).expect("valid");
    let columns: Vec<_> = query.columns.iter().map(|column| column.as_str()).collect();
    assert_eq!(columns, ["doc.path", "chunk.start_line", "score"]);
    assert_eq!(query.ignored.len(), 1);
    assert_eq!((query.semantic.as_deref(), query.lexical.as_deref()), (Some("close a session"), Some("it's")));
    assert_eq!((query.limit, query.offset), (20, 40));
    let statement = parse_statement(text).expect("valid");
    insta::assert_snapshot!(statement, @"SELECT path, chunk.start_line, score, nonsense FROM chunk USING semantic('close a session'), lexical('it''s') FILTER doc.tag = 'a''b' AND NOT chunk.kind IN ('part', 'window') OR doc.mtime >= '2026-01-31' ORDER BY score DESC LIMIT 20 OFFSET 40");
}

#[test]
fn and_binds_tighter_than_or() {
    let check = |text: &str, same: &str| {
        assert_eq!(parse_expression(text).expect("valid"), parse_expression(same).expect("valid"), "{text}");
    };
    check("doc.id = 'a' OR doc.id = 'b' AND doc.id = 'c'", "doc.id = 'a' OR (doc.id = 'b' AND doc.id = 'c')");
    check("((doc.id = 'a'))", "doc.id = 'a'");
    assert_ne!(
        parse_expression("(doc.id = 'a' OR doc.id = 'b') AND doc.id = 'c'").expect("valid"),
        parse_expression("doc.id = 'a' OR doc.id = 'b' AND doc.id = 'c'").expect("valid"),
    );
}

#[test]
fn a_star_selects_all_fields_of_the_rows() {
    let columns = |text: &str| Query::parse(text).expect("valid").columns;
    assert_eq!(columns("SELECT * FROM doc").len(), 12);
    assert_eq!(columns("SELECT * FROM chunk").first(), Some(&Selected::Field(Field::ChunkId)));
    assert_eq!(columns("SELECT * FROM chunk").len(), 21);
    assert_eq!(columns("SELECT * FROM memory USING lexical('x')").last(), Some(&Selected::Score));
}

/// The fields of documents, as errors list them.
const DOCUMENT_FIELDS: &str = "doc.id, doc.path, doc.mtime, doc.hash, doc.tag, doc.source, doc.type, doc.title, doc.scope, \
    doc.language, doc.size, doc.staleness";

#[track_caller]
fn check_error(text: &str, expected: &str) {
    let error = Query::parse(text).expect_err("not valid");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_error_of_words_and_names_says_where_what_and_how() {
    let fields = DOCUMENT_FIELDS;
    for (text, expected) in [
        (
            "SELECT * FROM doc FILTER doc.pth = 'a'",
            format!("line 1, column 26: unknown field `doc.pth`, the nearest is `doc.path`; expected one of {fields}; for example: \
                SELECT * FROM doc FILTER doc.path = 'a'"),
        ),
        (
            "SELECT * FROM doc\nFILTER path = 'a'",
            format!("line 2, column 8: unknown field `path`, the nearest is `doc.path`; expected one of {fields}; for example: \
                SELECT * FROM doc\nFILTER doc.path = 'a'"),
        ),
        (
            "SELECT * FROM doc FILTER chunk.kind = 'part'",
            format!("line 1, column 26: `chunk.kind` is not a field of a row `FROM doc`; expected one of {fields}; for example: \
                SELECT * FROM chunk FILTER chunk.kind = 'text'"),
        ),
        (
            "SELECT * FROM doc WHERE doc.path = 'a'",
            "line 1, column 19: unexpected `WHERE`; expected USING, FILTER, ORDER BY, LIMIT, OFFSET in this order, or the end; for \
                example: SELECT * FROM doc FILTER doc.path = 'a'".to_owned(),
        ),
        (
            "SELECT * FROM docs",
            "line 1, column 15: unexpected `docs`; expected `doc`, `chunk` or `memory`; for example: SELECT * FROM doc".to_owned(),
        ),
        (
            "SELECT * FROM doc FILTER doc.type == 'code'",
            "line 1, column 35: unexpected `==`; expected `=`; for example: SELECT * FROM doc FILTER doc.type = 'code'".to_owned(),
        ),
        (
            "SELECT * FROM doc FILTER doc.type <> 'code'",
            "line 1, column 35: unexpected `<>`; expected `!=`; for example: SELECT * FROM doc FILTER doc.type != 'code'".to_owned(),
        ),
        (
            "SELECT * FROM doc FILTER doc.type = code",
            "line 1, column 37: unexpected `code`; expected a text in quotes or a number; for example: \
                SELECT * FROM doc FILTER doc.type = 'code'".to_owned(),
        ),
        (
            "SELECT * FROM doc FILTER doc.type NOT IN ('code')",
            "line 1, column 26: unexpected `NOT` after a field; expected `NOT doc.type IN …`; for example: \
                SELECT * FROM doc FILTER NOT doc.type IN ('code')".to_owned(),
        ),
    ] {
        check_error(text, &expected);
    }
}

#[test]
fn an_error_of_operators_values_and_numbers_says_where_what_and_how() {
    let fields = DOCUMENT_FIELDS;
    for (text, expected) in [
        (
            "SELECT * FROM doc FILTER doc.size LIKE '1%'",
            "line 1, column 35: `LIKE` does not compare `doc.size`; expected one of = != < <= > >= IN; for example: \
                SELECT * FROM doc FILTER doc.size = 10".to_owned(),
        ),
        (
            "SELECT * FROM doc FILTER doc.size > '10'",
            "line 1, column 37: `doc.size` cannot be compared with '10'; expected a number; for example: \
                SELECT * FROM doc FILTER doc.size > 10".to_owned(),
        ),
        (
            "SELECT * FROM doc FILTER doc.type IN ('code', 'transcript')",
            "line 1, column 47: documents of the type `transcript` are not indexed; expected the type of an indexed document; \
                `recall session search` reads transcripts; for example: SELECT * FROM doc FILTER doc.type = 'session'".to_owned(),
        ),
        (
            "SELECT * FROM doc FILTER doc.mtime > 'yesterday'",
            "line 1, column 38: `doc.mtime` cannot be compared with 'yesterday'; expected a date in quotes like '2026-01-31' or \
                '2026-01-31T10:00:00Z'; for example: SELECT * FROM doc FILTER doc.mtime > '2026-01-31'".to_owned(),
        ),
        (
            "SELECT * FROM doc FILTER doc.path = 'a",
            "line 1, column 37: the text in quotes does not end; expected a closing '; for example: \
                SELECT * FROM doc FILTER doc.path = 'a'".to_owned(),
        ),
        (
            "SELECT * FROM doc FILTER doc.path = 'a' && doc.size > 1",
            "line 1, column 41: unexpected character `&`; expected a field, a keyword, an operator, a number or a text in quotes; for \
                example: SELECT * FROM doc FILTER doc.path = 'a'  AND  doc.size > 1".to_owned(),
        ),
        (
            "SELECT * FROM doc ORDER BY score",
            "line 1, column 28: `score` needs `USING`; expected a field, or `USING` before; for example: \
                SELECT * FROM doc USING lexical('parse a date') ORDER BY score DESC".to_owned(),
        ),
        (
            "SELECT * FROM chunk ORDER BY chunk.text",
            "line 1, column 30: rows cannot be ordered by `chunk.text`; expected a field with one short value; for example: \
                SELECT * FROM chunk ORDER BY chunk.id".to_owned(),
        ),
        (
            "SELECT * FROM doc LIMIT 5000",
            "line 1, column 25: `5000` is out of bounds; expected 1 to 1000; for example: SELECT * FROM doc LIMIT 1000".to_owned(),
        ),
        (
            "SELECT pth FROM doc",
            format!("line 1, column 8: unknown field `pth`, the nearest is `doc.path`; expected one of {fields}; for example: \
                SELECT doc.path FROM doc"),
        ),
        (
            "SELECT * FROM chunk USING semantic(' ')",
            "line 1, column 36: the query in `USING` is blank; expected a text of at most 10240 bytes that is not blank; for example: \
                SELECT * FROM chunk USING semantic('parse a date')".to_owned(),
        ),
        (
            "",
            "line 1, column 1: unexpected end; expected `SELECT`; for example: \
                SELECT * FROM chunk FILTER doc.path GLOB 'src/**' LIMIT 10".to_owned(),
        ),
    ] {
        check_error(text, &expected);
    }
}

#[test]
fn the_column_counts_characters() {
    let error = Filter::parse("doc.title = 'é🦀' AND pth = 'x'").expect_err("unknown");
    assert_eq!((error.at.line, error.at.column), (1, 22));
    assert_eq!(&"doc.title = 'é🦀' AND pth = 'x'"[error.at.bytes.clone()], "pth");
}

#[test]
fn a_filter_of_thousands_of_terms_is_answered_or_refused_in_time() {
    let repeat = |term: &dyn Fn(usize) -> String, separator: &str, count: usize| {
        (0..count).map(term).collect::<Vec<_>>().join(separator)
    };
    let within = |text: &str| {
        let began = Instant::now();
        let read = Filter::parse(text);
        let took = began.elapsed();
        // For a debug build on a busy machine.
        assert!(took < Duration::from_secs(10), "{took:?}");
        read
    };
    let equal = |number| format!("doc.path = 'src/file{number}.rs'");
    let filter = within(&repeat(&equal, " OR ", MOST_TERMS)).expect("one check");
    assert_eq!(filter.parts().count(), 1);
    within(&repeat(&|number| format!("doc.size != {number}"), " AND ", MOST_TERMS)).expect("one check");
    let list = repeat(&|number| format!("'{number}'"), ", ", MOST_TERMS);
    within(&format!("doc.path IN ({list})")).expect("one check");
    let problem = |text: &str| within(text).expect_err("too much").problem;
    let list = repeat(&|number| format!("'{number}'"), ", ", MOST_TERMS + 1);
    assert_eq!(problem(&format!("doc.path IN ({list})")), Problem::TooManyTerms);
    let globs = repeat(&|number| format!("doc.path GLOB '*{number}*'"), " OR ", MOST_TERMS);
    assert_eq!(problem(&globs), Problem::TooManyComparisons { found: MOST_TERMS });
    let nested = |depth| format!("{}doc.size = 1{}", "(".repeat(depth), ")".repeat(depth));
    within(&nested(MOST_DEPTH)).expect("deep enough");
    assert_eq!(problem(&nested(MOST_DEPTH + 1)), Problem::TooDeep);
    assert_eq!(problem(&nested(100_000)), Problem::TooDeep);
    assert_eq!(problem(&"x".repeat(2 << 20)), Problem::TooLong { bytes: 2 << 20 });
    // Not nested: parsing, printing and dropping it do not recurse.
    let both = repeat(&|number| format!("NOT doc.size = {number} AND doc.size > 1"), " AND ", MOST_TERMS / 2);
    assert!(matches!(problem(&both), Problem::TooManyComparisons { .. }));
    parse_expression(&both).expect("valid").to_string();
}

fn spanned<T>(node: T) -> Spanned<T> {
    Spanned { node, bytes: 0..0 }
}

fn word() -> impl Strategy<Value = Spanned<String>> {
    // No keyword begins like this.
    "z[a-z0-9_.]{0,5}".prop_map(spanned)
}

fn literal() -> impl Strategy<Value = Spanned<Literal>> {
    prop_oneof![
        "\\PC{0,8}|['\"\n ]{0,4}".prop_map(Literal::Text),
        "-?[0-9]{1,6}(\\.[0-9]{1,3})?".prop_map(Literal::Number),
    ]
    .prop_map(spanned)
}

fn comparison() -> impl Strategy<Value = Expression> {
    let single = (word(), prop::sample::select(&Operator::ALL[..8]), literal())
        .prop_map(|(field, operator, value)| Comparison { field, operator: spanned(operator), values: vec![value] });
    let several = (word(), prop::collection::vec(literal(), 1..4)).prop_map(|(field, values)| Comparison {
        field,
        operator: spanned(Operator::In),
        values,
    });
    prop_oneof![single, several].prop_map(Expression::Comparison)
}

fn expression() -> impl Strategy<Value = Expression> {
    comparison().prop_recursive(4, 24, 4, |inner| {
        let several = prop::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            (prop::sample::select(vec![Combined::And, Combined::Or]), several)
                .prop_map(|(how, parts)| Expression::Combined(how, parts)),
            inner.prop_map(|part| Expression::Not(Box::new(part))),
        ]
    })
}

prop_compose! {
    fn statement()(
        select in prop_oneof![
            Just(Select::All),
            prop::collection::vec(word(), 1..4).prop_map(Select::Fields),
        ],
        from in prop::sample::select(&Object::ALL[..]),
        as_of in prop::option::of("[a-z0-9.]{1,8}"),
        retrievals in prop::sample::subsequence(&Retrieval::ALL[..], 0..=2),
        text in "\\PC{0,8}",
        filter in prop::option::of(expression()),
        order in prop::option::of((word(), prop::sample::select(vec![Direction::Ascending, Direction::Descending]))),
        limit in prop::option::of((any::<u32>(), prop::option::of(any::<u32>()))),
    ) -> Statement {
        Statement {
            select,
            from,
            as_of: as_of.map(spanned),
            using: retrievals.into_iter().map(|retrieval| Using { retrieval, text: spanned(text.clone()) }).collect(),
            filter,
            order: order.map(|(field, direction)| OrderBy { field, direction }),
            limit: limit.map(|(limit, _)| spanned(limit)),
            offset: limit.and_then(|(_, offset)| offset).map(spanned),
        }
    }
}

proptest! {
    #[test]
    fn parsing_a_printed_statement_gives_the_statement(statement in statement()) {
        let text = statement.to_string();
        let parsed = parse_statement(&text);
        prop_assert_eq!(parsed.as_ref(), Ok(&statement), "{}", text);
    }

    #[test]
    fn parsing_a_printed_filter_gives_the_filter(expression in expression()) {
        let text = expression.to_string();
        let parsed = parse_expression(&text);
        prop_assert_eq!(parsed.as_ref(), Ok(&expression), "{}", text);
    }

    #[test]
    fn an_error_is_inside_the_text_and_its_example_is_valid(text in statement_like()) {
        if let Err(error) = Query::parse(&text) {
            prop_assert!(error.at.bytes.start <= error.at.bytes.end && error.at.bytes.end <= text.len());
            prop_assert!(Query::parse(&error.example).is_ok(), "{}: {}", error, error.example);
        }
        if let Err(error) = Filter::parse(&text) {
            prop_assert!(Filter::parse(&error.example).is_ok(), "{}: {}", error, error.example);
        }
    }
}

/// Texts of the words, signs and values of statements, in any order.
fn statement_like() -> impl Strategy<Value = String> {
    let words = [
        "SELECT",
        "FROM",
        "USING",
        "FILTER",
        "ORDER BY",
        "ASC",
        "DESC",
        "LIMIT",
        "OFFSET",
        "AND",
        "OR",
        "NOT",
        "IN",
        "LIKE",
        "GLOB",
        "=",
        "!=",
        "<",
        ">=",
        "<>",
        "==",
        "(",
        ")",
        ",",
        "*",
        ";",
        "doc",
        "chunk",
        "memory",
        "semantic",
        "lexical",
        "score",
        "doc.path",
        "doc.tag",
        "doc.size",
        "doc.mtime",
        "chunk.kind",
        "chunk.text",
        "memory.title",
        "pth",
        "'a'",
        "\"b\"",
        "'",
        "'2026-01-31'",
        "7",
        "-1.5",
        "99999999999",
        "&&",
        "é",
        "SELECT * FROM doc FILTER",
        "SELECT * FROM doc",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..12).prop_map(|words| words.join(" "))
}
