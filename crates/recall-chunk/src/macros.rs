//! The macros of C and C++ that hide a declaration from its grammar.
//!
//! A grammar does not expand `FMT_API void open();` or a line `BEGIN_NAMESPACE`: it takes the macro for a type, and what follows for
//! something else, often up to the end of the file. A word in capitals is a macro if what follows it can follow no type. The parser
//! sees blanks in its place, so that all positions stay as they are.
//!
//! The rules are about words alone, since a text with macros has no other structure that holds.

use std::collections::HashSet;
use std::ops::Range;

use crate::c_words::{Token, TokenKind, Words};

/// The most macros before one declaration.
const MAX_MACROS: usize = 8;

/// Words that begin or continue a declaration, and never follow a type. Sorted.
const NEVER_AFTER_TYPES: &[&str] = &[
    "auto",
    "bool",
    "char",
    "class",
    "concept",
    "consteval",
    "constexpr",
    "constinit",
    "double",
    "enum",
    "explicit",
    "extern",
    "float",
    "friend",
    "inline",
    "int",
    "long",
    "namespace",
    "private",
    "protected",
    "public",
    "short",
    "signed",
    "static",
    "struct",
    "template",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
];

/// Words before the type of a declaration. Sorted.
const SPECIFIERS: &[&str] = &[
    "consteval",
    "constexpr",
    "constinit",
    "explicit",
    "export",
    "extern",
    "friend",
    "inline",
    "static",
    "template",
    "virtual",
];

/// Words that do not stand before the name of a function in its declaration. Sorted.
const NO_TYPES: &[&str] = &[
    "case", "class", "const", "delete", "do", "else", "enum", "goto", "mutable", "new", "operator", "return", "sizeof",
    "struct", "throw", "typedef", "typename", "union", "using", "volatile",
];

/// Returns a text with blanks for macros, of the same length. `None` if there are none.
pub(crate) fn blank_macros(text: &str) -> Option<String> {
    let macros = find(text);
    if macros.is_empty() {
        return None;
    }
    let mut blanked = String::with_capacity(text.len());
    let mut end = 0;
    for found in macros {
        blanked.push_str(&text[end..found.start]);
        let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
        blanked.extend(text[found.clone()].bytes().map(blank));
        end = found.end;
    }
    blanked.push_str(&text[end..]);
    Some(blanked)
}

/// Returns the macros before and in the heads of declarations, with their arguments, in order.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let mut finder = Finder {
        words: Words::new(text),
        found: Vec::new(),
        head: true,
        last: Last::End,
        types: HashSet::new(),
        external: None,
    };
    let mut at = 0;
    while let Some(token) = finder.words.next(at) {
        at = finder.take(token);
    }
    finder.found
}

/// The token before the current one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last<'t> {
    Word(&'t str),
    /// `;`, `}` or the start of the text.
    End,
    Star,
    Other,
}

/// The state of a search for macros, token by token.
struct Finder<'t> {
    words: Words<'t>,
    found: Vec<Range<usize>>,
    /// Whether a declaration may begin here.
    head: bool,
    /// The token before the current one.
    last: Last<'t>,
    /// The names of the types that were defined so far.
    types: HashSet<&'t str>,
    /// The start of the last word `extern`.
    external: Option<usize>,
}

impl<'t> Finder<'t> {
    /// Takes a token. Returns where the next one may begin.
    fn take(&mut self, token: Token) -> usize {
        let Token { kind, range } = token;
        let word = &self.words.text[range.clone()];
        match kind {
            TokenKind::Directive => return range.end,
            TokenKind::Word => return self.take_word(word, range),
            TokenKind::Literal => self.head = self.head && self.last == Last::Word("extern"),
            TokenKind::Mark => {
                self.head = matches!(word, ";" | "{" | "}" | ">" | ":");
                self.last = match word {
                    ";" | "}" => Last::End,
                    "*" | "&" => Last::Star,
                    _ => Last::Other,
                };
                return range.end;
            }
        }
        self.last = Last::Other;
        range.end
    }

    /// Takes a word, with the macros that begin with it. Returns where the next token may begin.
    fn take_word(&mut self, word: &'t str, range: Range<usize>) -> usize {
        if is_capital(word) {
            let macros = match self.last {
                // `if CONSTEXPR (…)`.
                Last::Word("if") => vec![range.clone()],
                _ if self.head => self.before_declaration(range.clone()),
                _ => self.in_head(range.clone()),
            };
            if let Some(last) = macros.last() {
                let end = last.end;
                self.found.extend(macros);
                return end;
            }
        }
        if word == "extern" {
            self.external = Some(range.start);
        }
        let mut end = range.end;
        if matches!(word, "class" | "struct" | "union") {
            end = self.take_type(end);
        } else if word == "template"
            && let Some(instance) = self.instance(range)
        {
            let end = instance.end;
            self.found.push(instance);
            self.last = Last::End;
            return end;
        }
        self.head = self.head && SPECIFIERS.binary_search(&word).is_ok();
        self.last = Last::Word(word);
        end
    }

    /// The macros from a word on, if a declaration follows them.
    fn before_declaration(&self, first: Range<usize>) -> Vec<Range<usize>> {
        let mut macros = Vec::new();
        let mut word = first;
        while macros.len() < MAX_MACROS {
            let Some(end) = self.words.after_arguments(word.end) else { return Vec::new() };
            macros.push(word.start..end);
            let Some(next) = self.words.next(end) else {
                return if self.last == Last::End { macros } else { Vec::new() };
            };
            let follows = &self.words.text[next.range.clone()];
            let is_alone = self.words.text[end..next.range.start].contains('\n');
            match next.kind {
                TokenKind::Word if is_capital(follows) => word = next.range,
                TokenKind::Word if self.begins_declaration(&next) => return macros,
                // The end of a namespace that a macro began.
                TokenKind::Directive if self.last == Last::End => return macros,
                TokenKind::Mark if follows == "}" && self.last == Last::End && is_alone => return macros,
                TokenKind::Mark if follows == "~" => return macros,
                _ => return Vec::new(),
            }
        }
        Vec::new()
    }

    /// Whether a word begins a declaration, so that a word in capitals before it is a macro: `void open(`, `std::string name`.
    fn begins_declaration(&self, word: &Token) -> bool {
        let text = &self.words.text[word.range.clone()];
        if NEVER_AFTER_TYPES.binary_search(&text).is_ok() {
            return true;
        }
        let next = self.words.next(word.range.end);
        let next = next.map_or("", |next| &self.words.text[next.range]);
        // A constructor has no type before it, nor has a conversion.
        if next == "(" && self.types.contains(text) {
            return true;
        }
        if text == "operator" {
            return next.starts_with(|c: char| c.is_alphabetic()) && !matches!(next, "new" | "delete" | "co_await");
        }
        if NO_TYPES.binary_search(&text).is_ok() {
            return false;
        }
        let Some(end) = self.words.after_type(word.range.end) else { return false };
        self.words.next(end).is_some_and(|name| {
            let text = &self.words.text[name.range.clone()];
            name.kind == TokenKind::Word && !text.starts_with("__") && !is_capital(text)
        })
    }

    /// A macro between the type and the name of a function: `int STDCALL open(`.
    fn in_head(&self, word: Range<usize>) -> Vec<Range<usize>> {
        let follows_type = match self.last {
            Last::Word(before) => {
                NO_TYPES.binary_search(&before).is_err() && SPECIFIERS.binary_search(&before).is_err()
            }
            Last::Star => true,
            Last::End | Last::Other => false,
        };
        let name = self.words.next(word.end).filter(|name| follows_type && name.kind == TokenKind::Word);
        let is_function = name.is_some_and(|name| self.words.text.as_bytes().get(name.range.end) == Some(&b'('));
        if is_function { vec![word] } else { Vec::new() }
    }

    /// Takes the head of a type with a body, after its keyword. Returns where the next token may begin.
    fn take_type(&mut self, keyword_end: usize) -> usize {
        let (words, text) = (self.words, self.words.text);
        let word_at = |at| words.next(at).filter(|word| word.kind == TokenKind::Word);
        let Some(first) = word_at(keyword_end) else { return keyword_end };
        let hidden = is_capital(&text[first.range.clone()])
            .then(|| Some(first.range.start..words.after_arguments(first.range.end)?))
            .flatten()
            .filter(|hidden| word_at(hidden.end).is_some_and(|name| text[name.range] != *"final"));
        let name = match &hidden {
            Some(hidden) => word_at(hidden.end),
            None => Some(first),
        };
        let Some(name) = name.filter(|name| self.has_body(name)) else { return keyword_end };
        self.types.insert(&text[name.range.clone()]);
        self.found.extend(hidden);
        name.range.end
    }

    /// Whether the body of a type follows its name, or the types that it extends.
    fn has_body(&self, name: &Token) -> bool {
        let (words, text) = (self.words, self.words.text);
        let after = words.after_type(name.range.end).and_then(|end| words.next(end));
        let is_final = after.as_ref().is_some_and(|after| &text[after.range.clone()] == "final");
        let after = if is_final { after.and_then(|last| words.next(last.range.end)) } else { after };
        after.is_some_and(|after| match &text[after.range.clone()] {
            "{" => true,
            // A number of bits is not a base.
            ":" => words.next(after.range.end).is_some_and(|base| base.kind == TokenKind::Word),
            _ => false,
        })
    }

    /// The instance of a template, which defines nothing, up to its end: `template int open<int>(int);`.
    fn instance(&self, word: Range<usize>) -> Option<Range<usize>> {
        /// The longest instance.
        const MAX_BYTES: usize = 300;
        let is_type = |token: &Token| matches!(&self.words.text[token.range.clone()], "<" | "class" | "struct");
        let mut token = self.words.next(word.end).filter(|next| self.head && !is_type(next))?;
        let start = self.external.filter(|_| self.last == Last::Word("extern")).unwrap_or(word.start);
        while token.range.end < word.end + MAX_BYTES {
            match &self.words.text[token.range.clone()] {
                ";" => return Some(start..token.range.start),
                "{" | "}" => return None,
                _ => token = self.words.next(token.range.end)?,
            }
        }
        None
    }
}

/// Whether a word is in capitals, as macros are: `FMT_API`. `T` is a parameter of a template.
pub(crate) fn is_capital(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = find(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
        let blanked = blank_macros(text).unwrap_or_else(|| text.to_owned());
        assert_eq!(blanked.len(), text.len(), "{text}");
        assert_eq!(blanked.matches('\n').count(), text.matches('\n').count(), "{text}");
    }

    #[test]
    fn words_are_sorted() {
        assert!([NEVER_AFTER_TYPES, SPECIFIERS, NO_TYPES].iter().all(|words| words.is_sorted()));
    }

    #[test]
    fn a_word_in_capitals_before_a_declaration_is_a_macro() {
        check("FMT_API void open();", &["FMT_API"]);
        check("A_B C_D(1, (2)) static E_F int open();", &["A_B", "C_D(1, (2))", "E_F"]);
        check("template <typename T>\nFMT_INLINE std::vector<T> open(T a) {}", &["FMT_INLINE"]);
        check("extern \"C\" API char* open();", &["API"]);
        check(
            "BEGIN\nnamespace n {\nEXPORT\ntemplate <class T> void f();\n}\nEND\n#endif",
            &["BEGIN", "EXPORT", "END"],
        );
        check("class A {\n  Q_OBJECT\n public:\n  INLINE explicit A();\n};", &["Q_OBJECT", "INLINE"]);
        check("BEGIN_EXPORT\n\n// The size.\nenum { size = 5 };", &["BEGIN_EXPORT"]);
        check("#define API static int\nAPI int f();", &["API"]);
        check(
            "struct A {\n  INLINE A(int x) : x(x) {}\n  INLINE ~A() {}\n  INLINE operator bool();\n};",
            &["INLINE"; 3],
        );
        check("void f() { if CONSTEXPR (x) { y(); } }", &["CONSTEXPR"]);
    }

    #[test]
    fn a_word_in_capitals_may_be_a_type() {
        for text in [
            "BOOL open(int x);",
            "static BOOL\nopen(int x) {}",
            "FILE *open();",
            "DWORD const limit = 3;",
            "template <typename T> T open(T x);",
            "enum { ONE };",
            "enum { ONE,\n#ifdef X\n TWO\n#endif\n};",
            "int x = LIMIT;",
            "f(A_B int);",
            "EXPECT_EQ(1, 2) << \"text\";",
            "TEST(Store, Opens) { int x; }",
            "CHECK(x) return y;",
            "struct FILE open(int x);",
            "struct NODE node;",
            "struct S { enum KIND kind : 4; };",
            "const char *text = \"FMT_API void open();\";",
            "auto text = R\"x(; FMT_API void open();)x\";",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn a_macro_may_be_in_the_head_of_a_function_or_type() {
        check("int STDCALL open(int x);", &["STDCALL"]);
        check("HANDLE WINAPI open(int x);", &["WINAPI"]);
        check("class EXPORT Store : public Base {};", &["EXPORT"]);
        check("struct ALIGNED(8) Store final {};", &["ALIGNED(8)"]);
        check("template <> struct API Store<int> {};", &["API"]);
    }

    #[test]
    fn an_instance_of_a_template_defines_nothing() {
        check("extern template API auto open<char>(int) -> int;", &["extern template API auto open<char>(int) -> int"]);
        check("template class Store<int>;", &[]);
    }

    #[test]
    fn what_does_not_end_is_no_macro() {
        for text in ["A_B(", "A_B(\"", "/*", "A_B R\"(", "class A_B", "A_B std::", "A_B a<", "'", "#\\", "1'"] {
            check(text, &[]);
        }
    }
}
