//! The syntaxes of languages: what comments and strings look like, and which words are keywords. The table of languages says which
//! language has which; similar languages share one.

/// How a language writes comments, strings and keywords.
pub(crate) struct Syntax {
    /// The marks that begin a comment to the end of the line.
    pub(crate) line_comments: &'static [&'static str],
    /// The marks around a comment.
    pub(crate) block_comments: &'static [(&'static str, &'static str)],
    /// The strings, those with longer marks first.
    pub(crate) quotes: &'static [Quote],
    /// Whether `'x'` is a character, and a lone `'` something else.
    pub(crate) has_characters: bool,
    /// The keywords and the named constants.
    pub(crate) keywords: &'static [&'static str],
    /// Whether letter case does not matter for keywords.
    pub(crate) ignores_case: bool,
}

/// A kind of string.
pub(crate) struct Quote {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    /// Whether `\` takes away the meaning of the next character.
    pub(crate) escapes: bool,
    /// Whether it may span lines.
    pub(crate) spans_lines: bool,
}

const fn line(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close, escapes: true, spans_lines: false }
}

const fn lines(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close, escapes: true, spans_lines: true }
}

const fn raw(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close, escapes: false, spans_lines: true }
}

const PLAIN: Syntax = Syntax {
    line_comments: &[],
    block_comments: &[],
    quotes: &[line("\"", "\""), line("'", "'")],
    has_characters: false,
    keywords: &[],
    ignores_case: false,
};

/// Comments and characters as in C.
const C_LIKE: Syntax = Syntax {
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    quotes: &[line("\"", "\"")],
    has_characters: true,
    ..PLAIN
};

/// Comments as in shells.
const HASH: Syntax = Syntax { line_comments: &["#"], ..PLAIN };

const MARKUP: Syntax = Syntax { block_comments: &[("<!--", "-->")], quotes: &[line("\"", "\"")], ..PLAIN };

pub(crate) static RUST: Syntax = Syntax {
    quotes: &[raw("r##\"", "\"##"), raw("r#\"", "\"#"), raw("br\"", "\""), raw("r\"", "\""), lines("b\"", "\""), lines("\"", "\"")],
    keywords: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn", "for", "if",
        "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "Self", "static", "struct",
        "super", "trait", "true", "type", "union", "unsafe", "use", "where", "while",
    ],
    ..C_LIKE
};

pub(crate) static C: Syntax = Syntax {
    keywords: &[
        "auto", "bool", "break", "case", "catch", "char", "class", "const", "constexpr", "continue", "default", "define", "delete",
        "do", "double", "elif", "else", "endif", "enum", "explicit", "extern", "false", "float", "for", "friend", "goto", "if",
        "ifdef", "ifndef", "include", "inline", "int", "long", "namespace", "new", "noexcept", "nullptr", "NULL", "operator",
        "override", "private", "protected", "public", "register", "return", "short", "signed", "sizeof", "static", "struct",
        "switch", "template", "this", "throw", "true", "try", "typedef", "typename", "union", "unsigned", "using", "virtual", "void",
        "volatile", "while",
    ],
    ..C_LIKE
};

pub(crate) static JAVA: Syntax = Syntax {
    quotes: &[lines("\"\"\"", "\"\"\""), line("\"", "\"")],
    keywords: &[
        "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue", "def", "default",
        "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "if", "implements", "import",
        "instanceof", "int", "interface", "long", "native", "new", "null", "package", "permits", "private", "protected", "public",
        "record", "return", "sealed", "short", "static", "super", "switch", "synchronized", "this", "throw", "throws", "transient",
        "true", "try", "var", "void", "volatile", "while", "yield",
    ],
    ..C_LIKE
};

pub(crate) static CSHARP: Syntax = Syntax {
    quotes: &[lines("\"\"\"", "\"\"\""), raw("@\"", "\""), line("\"", "\"")],
    keywords: &[
        "abstract", "as", "async", "await", "base", "bool", "break", "byte", "case", "catch", "char", "class", "const", "continue",
        "decimal", "default", "delegate", "do", "double", "else", "enum", "event", "explicit", "extern", "false", "finally", "float",
        "for", "foreach", "get", "if", "implicit", "in", "init", "int", "interface", "internal", "is", "lock", "long", "namespace",
        "new", "null", "object", "operator", "out", "override", "params", "private", "protected", "public", "readonly", "record",
        "ref", "return", "sealed", "set", "short", "sizeof", "static", "string", "struct", "switch", "this", "throw", "true", "try",
        "typeof", "uint", "ulong", "using", "var", "virtual", "void", "when", "where", "while", "yield",
    ],
    ..C_LIKE
};

pub(crate) static GO: Syntax = Syntax {
    quotes: &[raw("`", "`"), line("\"", "\"")],
    keywords: &[
        "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "false", "for", "func", "go",
        "goto", "if", "import", "interface", "iota", "map", "nil", "package", "range", "return", "select", "struct", "switch",
        "true", "type", "var",
    ],
    ..C_LIKE
};

pub(crate) static JAVASCRIPT: Syntax = Syntax {
    block_comments: &[("/*", "*/"), ("<!--", "-->")],
    quotes: &[lines("`", "`"), line("\"", "\""), line("'", "'")],
    has_characters: false,
    keywords: &[
        "abstract", "any", "as", "async", "await", "boolean", "break", "case", "catch", "class", "const", "continue", "debugger",
        "declare", "default", "delete", "do", "else", "enum", "export", "extends", "false", "finally", "for", "from", "function",
        "get", "if", "implements", "import", "in", "instanceof", "interface", "is", "keyof", "let", "namespace", "new", "null",
        "number", "of", "private", "protected", "public", "readonly", "return", "satisfies", "set", "static", "string", "super",
        "switch", "this", "throw", "true", "try", "type", "typeof", "undefined", "unknown", "var", "void", "while", "with", "yield",
    ],
    ..C_LIKE
};

pub(crate) static KOTLIN: Syntax = Syntax {
    quotes: &[lines("\"\"\"", "\"\"\""), line("\"", "\"")],
    keywords: &[
        "abstract", "actor", "as", "async", "await", "break", "by", "case", "catch", "class", "companion", "const", "continue",
        "data", "def", "default", "defer", "deinit", "do", "else", "enum", "extends", "extension", "false", "fileprivate", "final",
        "finally", "for", "func", "fun", "given", "guard", "if", "implicit", "import", "in", "init", "inline", "inout", "interface",
        "internal", "is", "lateinit", "lazy", "let", "match", "mixin", "mutating", "nil", "null", "object", "open", "override",
        "package", "private", "protected", "protocol", "public", "required", "return", "sealed", "self", "Self", "static", "struct",
        "super", "suspend", "switch", "this", "throw", "throws", "trait", "true", "try", "type", "typealias", "using", "val", "var",
        "void", "weak", "when", "where", "while", "with", "yield",
    ],
    ..C_LIKE
};

pub(crate) static ZIG: Syntax = Syntax {
    line_comments: &["//"],
    block_comments: &[],
    keywords: &[
        "align", "and", "anytype", "asm", "break", "catch", "comptime", "const", "continue", "defer", "else", "enum", "errdefer",
        "error", "export", "extern", "false", "fn", "for", "if", "inline", "null", "opaque", "or", "orelse", "packed", "pub",
        "return", "struct", "switch", "test", "true", "try", "undefined", "union", "unreachable", "usingnamespace", "var",
        "volatile", "while",
    ],
    ..C_LIKE
};

pub(crate) static PHP: Syntax = Syntax {
    line_comments: &["//", "#"],
    quotes: &[lines("\"", "\""), lines("'", "'")],
    has_characters: false,
    keywords: &[
        "abstract", "array", "as", "break", "case", "catch", "class", "clone", "const", "continue", "declare", "default", "do",
        "echo", "else", "elseif", "enum", "extends", "false", "final", "finally", "fn", "for", "foreach", "function", "global", "if",
        "implements", "instanceof", "interface", "match", "namespace", "new", "null", "private", "protected", "public", "readonly",
        "require", "require_once", "return", "self", "static", "switch", "throw", "trait", "true", "try", "use", "var", "while", "yield",
    ],
    ..C_LIKE
};

pub(crate) static CSS: Syntax = Syntax { line_comments: &["//"], block_comments: &[("/*", "*/")], ..PLAIN };

pub(crate) static JSON: Syntax = Syntax { line_comments: &["//"], quotes: &[line("\"", "\"")], keywords: &["false", "null", "true"], ..PLAIN };

pub(crate) static PROTO: Syntax = Syntax {
    line_comments: &["//", "#"],
    block_comments: &[("/*", "*/")],
    keywords: &[
        "bool", "bytes", "contract", "double", "enum", "event", "extend", "false", "fragment", "function", "go", "import", "input",
        "int32", "int64", "interface", "map", "message", "model", "modifier", "module", "mutation", "oneof", "optional", "option",
        "package", "private", "public", "query", "repeated", "replace", "require", "reserved", "returns", "return", "rpc", "scalar",
        "schema", "service", "stream", "string", "struct", "subscription", "syntax", "true", "type", "uint32", "uint64", "union",
    ],
    ..PLAIN
};

pub(crate) static PYTHON: Syntax = Syntax {
    quotes: &[
        lines("\"\"\"", "\"\"\""), lines("'''", "'''"), lines("f\"\"\"", "\"\"\""), lines("r\"\"\"", "\"\"\""), line("f\"", "\""),
        line("f'", "'"), line("r\"", "\""), line("r'", "'"), line("b\"", "\""), line("b'", "'"), line("\"", "\""), line("'", "'"),
    ],
    keywords: &[
        "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif", "else", "except",
        "False", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "None", "nonlocal", "not", "or",
        "pass", "raise", "return", "self", "True", "try", "while", "with", "yield",
    ],
    ..HASH
};

pub(crate) static RUBY: Syntax = Syntax {
    block_comments: &[("=begin", "=end")],
    quotes: &[lines("\"\"\"", "\"\"\""), lines("\"", "\""), lines("'", "'")],
    keywords: &[
        "after", "alias", "and", "begin", "break", "case", "catch", "class", "cond", "def", "defimpl", "defmacro", "defmodule",
        "defp", "defprotocol", "defstruct", "do", "else", "elsif", "end", "ensure", "false", "fn", "for", "if", "import", "in",
        "module", "next", "nil", "not", "or", "private", "protected", "quote", "raise", "receive", "redo", "require", "rescue",
        "retry", "return", "self", "super", "then", "true", "try", "undef", "unless", "until", "unquote", "use", "when", "while",
        "with", "yield",
    ],
    ..HASH
};

pub(crate) static BASH: Syntax = Syntax {
    quotes: &[lines("\"", "\""), lines("'", "'")],
    keywords: &[
        "and", "begin", "break", "case", "continue", "do", "done", "elif", "else", "elseif", "end", "esac", "exit", "export",
        "false", "fi", "foreach", "for", "from", "function", "if", "inherit", "in", "let", "local", "my", "next", "not", "null",
        "or", "our", "proc", "readonly", "rec", "repeat", "return", "select", "set", "source", "struct", "sub", "switch", "then",
        "true", "unless", "until", "using", "use", "var", "while", "with",
        "ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "LABEL", "RUN", "USER", "VOLUME", "WORKDIR",
    ],
    ..HASH
};

pub(crate) static TOML: Syntax = Syntax {
    quotes: &[lines("\"\"\"", "\"\"\""), lines("'''", "'''"), line("\"", "\""), line("'", "'")],
    keywords: &["data", "false", "locals", "module", "output", "provider", "resource", "true", "variable"],
    ..HASH
};

pub(crate) static YAML: Syntax = Syntax { keywords: &["false", "no", "null", "true", "yes"], ..HASH };

pub(crate) static SQL: Syntax = Syntax {
    line_comments: &["--"],
    block_comments: &[("/*", "*/")],
    keywords: &[
        "add", "all", "alter", "and", "as", "asc", "begin", "between", "by", "case", "check", "column", "commit", "constraint",
        "create", "cross", "default", "delete", "desc", "distinct", "drop", "else", "end", "exists", "foreign", "from", "full",
        "function", "group", "having", "if", "in", "index", "inner", "insert", "into", "is", "join", "key", "left", "like", "limit",
        "not", "null", "offset", "on", "or", "order", "outer", "over", "partition", "primary", "references", "returning", "right",
        "rollback", "select", "set", "table", "then", "transaction", "trigger", "union", "unique", "update", "using", "values",
        "view", "when", "where", "with",
    ],
    ignores_case: true,
    ..PLAIN
};

pub(crate) static LUA: Syntax = Syntax {
    line_comments: &["--"],
    block_comments: &[("--[[", "]]")],
    quotes: &[raw("[[", "]]"), line("\"", "\""), line("'", "'")],
    keywords: &[
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not", "or",
        "repeat", "return", "then", "true", "until", "while",
    ],
    ..PLAIN
};

pub(crate) static HASKELL: Syntax = Syntax {
    line_comments: &["--"],
    block_comments: &[("{-", "-}")],
    quotes: &[line("\"", "\"")],
    has_characters: true,
    keywords: &[
        "case", "class", "data", "deriving", "do", "else", "family", "forall", "foreign", "hiding", "if", "import", "in", "infix",
        "infixl", "infixr", "instance", "let", "module", "newtype", "of", "qualified", "then", "type", "where",
    ],
    ..PLAIN
};

pub(crate) static OCAML: Syntax = Syntax {
    line_comments: &["//"],
    block_comments: &[("(*", "*)")],
    quotes: &[lines("\"", "\"")],
    has_characters: true,
    keywords: &[
        "and", "as", "assert", "async", "begin", "class", "constraint", "do", "done", "downto", "else", "end", "exception",
        "external", "false", "for", "fun", "function", "functor", "if", "include", "inherit", "in", "lazy", "let", "match", "member",
        "method", "module", "mutable", "namespace", "new", "object", "of", "open", "or", "private", "procedure", "rec", "sig",
        "struct", "then", "to", "true", "try", "type", "use", "val", "var", "virtual", "when", "while", "with",
    ],
    ..PLAIN
};

pub(crate) static CLOJURE: Syntax = Syntax {
    line_comments: &[";"],
    quotes: &[lines("\"", "\"")],
    keywords: &[
        "case", "cond", "def", "define", "defmacro", "defn", "defun", "defvar", "do", "fn", "if", "lambda", "let", "loop", "nil", "ns",
        "quote", "recur", "require", "setq", "true", "when",
    ],
    ..PLAIN
};

pub(crate) static ERLANG: Syntax = Syntax {
    line_comments: &["%"],
    keywords: &["after", "begin", "case", "catch", "end", "fun", "if", "of", "receive", "try", "when"],
    ..PLAIN
};

pub(crate) static HTML: Syntax = MARKUP;
