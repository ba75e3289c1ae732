//! Parsing of statements and filters.

use std::ops::Range;

use crate::rql::ast::{
    Combined, Comparison, Direction, Expression, Literal, Object, Operator, OrderBy, Retrieval, Select, Spanned,
    Statement, Using,
};
use crate::rql::error::{Fault, MOST_DEPTH, MOST_TERMS, Problem, RqlError};
use crate::rql::lexer::{FILTER_EXAMPLE, Token, TokenKind, tokens};

/// An example of a valid statement.
const STATEMENT_EXAMPLE: &str = "SELECT * FROM chunk FILTER doc.path GLOB 'src/**' LIMIT 10";

/// The words that cannot be names of fields.
const KEYWORDS: [&str; 16] = [
    "SELECT", "FROM", "USING", "FILTER", "ORDER", "BY", "ASC", "DESC", "LIMIT", "OFFSET", "AND", "OR", "NOT", "IN",
    "LIKE", "GLOB",
];

/// Parses a statement.
///
/// # Errors
/// The text is not a statement, or exceeds a limit. Names and types are not checked.
pub fn parse_statement(text: &str) -> Result<Statement, RqlError> {
    statement(text).map_err(|fault| fault.report(text, |text| statement(text).is_ok()))
}

/// Parses a filter.
///
/// # Errors
/// The text is not an expression, or exceeds a limit. Names and types are not checked.
pub fn parse_expression(text: &str) -> Result<Expression, RqlError> {
    expression(text).map_err(|fault| fault.report(text, |text| expression(text).is_ok()))
}

pub(crate) fn statement(text: &str) -> Result<Statement, Fault> {
    let mut parser = Parser::new(text, STATEMENT_EXAMPLE)?;
    let statement = parser.statement()?;
    parser.end()?;
    Ok(statement)
}

pub(crate) fn expression(text: &str) -> Result<Expression, Fault> {
    let mut parser = Parser::new(text, FILTER_EXAMPLE)?;
    let expression = parser.expression(0)?;
    parser.end()?;
    Ok(expression)
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    next: usize,
    /// The number of values so far.
    terms: usize,
    example: &'static str,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, example: &'static str) -> Result<Self, Fault> {
        Ok(Self { text, tokens: tokens(text, example)?, next: 0, terms: 0, example })
    }

    fn statement(&mut self) -> Result<Statement, Fault> {
        self.keyword("SELECT")?;
        let select = self.select()?;
        self.keyword("FROM")?;
        let from = self.object()?;
        let as_of = if self.take_keyword("AS") { Some(self.as_of()?) } else { None };
        let using = if self.take_keyword("USING") { self.usings()? } else { Vec::new() };
        let filter = if self.take_keyword("FILTER") { Some(self.expression(0)?) } else { None };
        let order = if self.take_keyword("ORDER") { Some(self.order()?) } else { None };
        let limit = if self.take_keyword("LIMIT") { Some(self.count()?) } else { None };
        let offset = if limit.is_some() && self.take_keyword("OFFSET") { Some(self.count()?) } else { None };
        self.take_sign(';');
        Ok(Statement { select, from, as_of, using, filter, order, limit, offset })
    }

    fn select(&mut self) -> Result<Select, Fault> {
        if self.take_sign('*') {
            return Ok(Select::All);
        }
        let mut fields = vec![self.name("`*` or the name of a field")?];
        while self.take_sign(',') {
            fields.push(self.name("the name of a field")?);
        }
        Ok(Select::Fields(fields))
    }

    fn object(&mut self) -> Result<Object, Fault> {
        let expected = "`doc`, `chunk` or `memory`";
        let word = self.name(expected)?;
        Object::from_name(&word.node).ok_or_else(|| {
            let near = recall_text::nearest(&word.node.to_lowercase(), Object::ALL.map(Object::as_str));
            let fault = self.fault(word.bytes, Problem::Unexpected { found: format!("`{}`", word.node) }, expected);
            near.into_iter().fold(fault, Fault::replaced_by)
        })
    }

    fn as_of(&mut self) -> Result<Spanned<String>, Fault> {
        self.keyword("OF")?;
        match self.advance() {
            Token { kind: TokenKind::Text(text), bytes } if !text.trim().is_empty() => {
                Ok(Spanned { node: text, bytes })
            }
            token => Err(self.unexpected_token(&token, "a date, a commit or a tag in quotes")),
        }
    }

    fn usings(&mut self) -> Result<Vec<Using>, Fault> {
        let mut usings: Vec<Using> = Vec::new();
        loop {
            let expected = "`semantic('…')` or `lexical('…')`";
            let word = self.name(expected)?;
            let retrieval = Retrieval::ALL.into_iter().find(|one| word.node.eq_ignore_ascii_case(one.as_str()));
            let Some(retrieval) = retrieval else {
                let problem = Problem::Unexpected { found: format!("`{}`", word.node) };
                return Err(self.using_fault(word.bytes, problem, expected));
            };
            if usings.iter().any(|known| known.retrieval == retrieval) {
                let problem = Problem::Twice { name: retrieval.as_str() };
                return Err(self.using_fault(word.bytes, problem, "each at most once"));
            }
            self.sign('(')?;
            let text = match self.advance() {
                Token { kind: TokenKind::Text(text), bytes } => Spanned { node: text, bytes },
                token => return Err(self.unexpected_token(&token, "a text in quotes")),
            };
            self.sign(')')?;
            usings.push(Using { retrieval, text });
            if !self.take_sign(',') {
                return Ok(usings);
            }
        }
    }

    fn using_fault(&self, bytes: Range<usize>, problem: Problem, expected: &str) -> Fault {
        let example = "SELECT * FROM chunk USING semantic('where are sessions closed'), lexical('close session')";
        Fault { example: example.to_owned(), ..self.fault(bytes, problem, expected) }
    }

    fn order(&mut self) -> Result<OrderBy, Fault> {
        self.keyword("BY")?;
        let field = self.name("the name of a field, or `score`")?;
        let direction = if self.take_keyword("DESC") {
            Direction::Descending
        } else {
            self.take_keyword("ASC");
            Direction::Ascending
        };
        Ok(OrderBy { field, direction })
    }

    fn count(&mut self) -> Result<Spanned<u32>, Fault> {
        let token = self.advance();
        let written = &self.text[token.bytes.clone()];
        if token.kind != TokenKind::Number || written.contains(['-', '.']) {
            return Err(self.unexpected_token(&token, "a number without sign and fraction"));
        }
        let Ok(node) = written.parse() else {
            let problem = Problem::OutOfBounds { found: written.to_owned() };
            return Err(self.fault(token.bytes, problem, "a smaller number"));
        };
        Ok(Spanned { node, bytes: token.bytes })
    }

    /// `expr := all (OR all)*`, `all := term (AND term)*`. Recurses only for parentheses.
    fn expression(&mut self, depth: usize) -> Result<Expression, Fault> {
        let mut alternatives = Vec::new();
        loop {
            let mut all = vec![self.term(depth)?];
            while self.take_keyword("AND") {
                all.push(self.term(depth)?);
            }
            alternatives.push(combine(Combined::And, all));
            if !self.take_keyword("OR") {
                return Ok(combine(Combined::Or, alternatives));
            }
        }
    }

    fn term(&mut self, depth: usize) -> Result<Expression, Fault> {
        if self.take_keyword("NOT") {
            return Ok(Expression::Not(Box::new(self.positive(depth)?)));
        }
        self.positive(depth)
    }

    fn positive(&mut self, depth: usize) -> Result<Expression, Fault> {
        let bytes = self.peek().bytes.clone();
        if !self.take_sign('(') {
            return self.comparison().map(Expression::Comparison);
        }
        if depth == MOST_DEPTH {
            return Err(self.fault(bytes, Problem::TooDeep, format!("at most {MOST_DEPTH} levels")));
        }
        let inner = self.expression(depth + 1)?;
        if !self.take_sign(')') {
            let token = self.advance();
            return Err(self.unexpected_token(&token, "`AND`, `OR` or `)`"));
        }
        Ok(inner)
    }

    fn comparison(&mut self) -> Result<Comparison, Fault> {
        let field = self.name("the name of a field, `NOT` or `(`")?;
        let operator = self.operator(&field)?;
        let values = if operator.node == Operator::In {
            self.sign('(')?;
            let mut values = vec![self.literal()?];
            while self.take_sign(',') {
                values.push(self.literal()?);
            }
            self.sign(')')?;
            values
        } else {
            vec![self.literal()?]
        };
        Ok(Comparison { field, operator, values })
    }

    fn operator(&mut self, field: &Spanned<String>) -> Result<Spanned<Operator>, Fault> {
        let is_negated = self.take_keyword("NOT");
        let token = self.advance();
        let written = &self.text[token.bytes.clone()];
        let is_word = matches!(token.kind, TokenKind::Word | TokenKind::Comparison);
        let operator = Operator::ALL.into_iter().find(|known| is_word && written.eq_ignore_ascii_case(known.as_str()));
        match operator {
            Some(node) if is_negated => {
                // `field NOT IN`: the negation belongs before the field.
                let bytes = field.bytes.start..token.bytes.end;
                let problem = Problem::Unexpected { found: "`NOT` after a field".to_owned() };
                let expected = format!("`NOT {} {} …`", field.node, node.as_str());
                let replacement = format!("NOT {} {}", field.node, node.as_str());
                Err(self.fault(bytes, problem, expected).replaced_by(replacement))
            }
            Some(node) => Ok(Spanned { node, bytes: token.bytes }),
            None => Err(self.unexpected_token(&token, "an operator: = != < <= > >= LIKE GLOB IN")),
        }
    }

    fn literal(&mut self) -> Result<Spanned<Literal>, Fault> {
        let token = self.advance();
        self.terms += 1;
        if self.terms > MOST_TERMS {
            return Err(self.fault(token.bytes, Problem::TooManyTerms, format!("at most {MOST_TERMS} values")));
        }
        let bytes = token.bytes.clone();
        match token.kind {
            TokenKind::Text(text) => Ok(Spanned { node: Literal::Text(text), bytes }),
            TokenKind::Number => Ok(Spanned { node: Literal::Number(self.text[bytes.clone()].to_owned()), bytes }),
            TokenKind::Word => {
                let replacement = format!("'{}'", &self.text[bytes]);
                Err(self.unexpected_token(&token, "a text in quotes or a number").replaced_by(replacement))
            }
            _ => Err(self.unexpected_token(&token, "a text in quotes or a number")),
        }
    }

    fn end(&mut self) -> Result<(), Fault> {
        let token = self.advance();
        if token.kind == TokenKind::End {
            return Ok(());
        }
        let expected = if self.example == FILTER_EXAMPLE {
            "`AND`, `OR` or the end"
        } else {
            "USING, FILTER, ORDER BY, LIMIT, OFFSET in this order, or the end"
        };
        let written = self.text[token.bytes.clone()].to_uppercase();
        let fault = self.unexpected_token(&token, expected);
        Err(if written == "WHERE" { fault.replaced_by("FILTER") } else { fault })
    }

    /// Reads a word that is not a keyword.
    fn name(&mut self, expected: &str) -> Result<Spanned<String>, Fault> {
        let token = self.advance();
        let written = &self.text[token.bytes.clone()];
        let is_keyword = KEYWORDS.iter().any(|keyword| written.eq_ignore_ascii_case(keyword));
        if token.kind != TokenKind::Word || is_keyword {
            return Err(self.unexpected_token(&token, expected));
        }
        Ok(Spanned { node: written.to_owned(), bytes: token.bytes })
    }

    fn keyword(&mut self, keyword: &'static str) -> Result<(), Fault> {
        if self.take_keyword(keyword) {
            return Ok(());
        }
        let token = self.advance();
        Err(self.unexpected_token(&token, format!("`{keyword}`")))
    }

    fn sign(&mut self, sign: char) -> Result<(), Fault> {
        if self.take_sign(sign) {
            return Ok(());
        }
        let token = self.advance();
        Err(self.unexpected_token(&token, format!("`{sign}`")))
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let token = self.peek();
        let is_it = token.kind == TokenKind::Word && self.text[token.bytes.clone()].eq_ignore_ascii_case(keyword);
        self.next += usize::from(is_it);
        is_it
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let is_it = self.peek().kind == TokenKind::Sign(sign);
        self.next += usize::from(is_it);
        is_it
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next]
    }

    /// Takes the next token. The end is returned again and again.
    fn advance(&mut self) -> Token {
        let token = &mut self.tokens[self.next];
        let token = Token { kind: std::mem::replace(&mut token.kind, TokenKind::End), bytes: token.bytes.clone() };
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn fault(&self, bytes: Range<usize>, problem: Problem, expected: impl Into<String>) -> Fault {
        Fault::new(bytes, problem, expected, self.example)
    }

    fn unexpected_token(&self, token: &Token, expected: impl Into<String>) -> Fault {
        /// The longest text that an error quotes.
        const MOST_QUOTED: usize = 60;
        let written: String = self.text[token.bytes.clone()].chars().take(MOST_QUOTED).collect();
        let found = if token.kind == TokenKind::End { "end".to_owned() } else { format!("`{written}`") };
        self.fault(token.bytes.clone(), Problem::Unexpected { found }, expected)
    }
}

/// Combines parts; a single one stands for itself.
fn combine(how: Combined, mut parts: Vec<Expression>) -> Expression {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            Expression::Combined(how, parts)
        }
    }
}
