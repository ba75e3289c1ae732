//! Members of types and constants: names that a chunk defines without being cut for them.

use crate::laws::law::parse;

/// Checks which fields, properties, constants and members of enumerations a text defines, in order.
#[track_caller]
fn check(file: &str, text: &str, expected: &[&str]) {
    let symbols = parse(file, text, 400).symbols;
    let members = symbols.iter().filter(|symbol| matches!(symbol.kind.as_str(), "constant" | "variable" | "method"));
    let shown: Vec<String> = members.map(|symbol| format!("{} {}", symbol.kind.as_str(), symbol.qualified)).collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn java_fields_constants_and_members_of_enumerations() {
    let text = "class Store {\n\
        \x20 private static final int LIMIT = 3, LEAST = 1;\n\
        \x20 private String name;\n\
        \x20 static { int local = 1; Reader r = (int other) -> 1; }\n\
        \x20 void open() { int local = 1; }\n\
        \x20 enum State { OPEN(1) { void run() {} }, CLOSED; private int code; }\n\
        \x20 interface Codes { int DEFAULT = 1; }\n\
        \x20 record Point(int x, int y) {}\n\
        }\n";
    let expected = [
        "constant Store::LIMIT",
        "constant Store::LEAST",
        "variable Store::name",
        "method Store::open",
        "constant Store::State::OPEN",
        "constant Store::State::CLOSED",
        "variable Store::State::code",
        "constant Store::Codes::DEFAULT",
        "variable Store::Point::x",
        "variable Store::Point::y",
    ];
    check("Store.java", text, &expected);
}

#[test]
fn csharp_fields_constants_and_members_of_enumerations() {
    let text = "class Store {\n\
        \x20 private const int Limit = 3;\n\
        \x20 static readonly int Least = 1;\n\
        \x20 private readonly string name, other;\n\
        \x20 event Action Opened;\n\
        \x20 void Open(int given) { int local = 1; }\n\
        \x20 enum State { Open = 1, Closed }\n\
        \x20 record Point(int X);\n\
        }\n";
    let expected = [
        "constant Store::Limit",
        "constant Store::Least",
        "variable Store::name",
        "variable Store::other",
        "variable Store::Opened",
        "method Store::Open",
        "constant Store::State::Open",
        "constant Store::State::Closed",
        "variable Store::Point::X",
    ];
    check("Store.cs", text, &expected);
}

#[test]
fn kotlin_members_of_enumerations_and_properties_of_constructors() {
    let text = "enum class State(val code: Int) {\n  OPEN(1),\n  CLOSED {\n    override fun run() {}\n  };\n}\n\
        data class Point(val x: Int, private var y: Int, z: Int)\n\
        fun open(given: Int) { val local = 1 }\n";
    let expected = [
        "variable State::code",
        "constant State::OPEN",
        "constant State::CLOSED",
        "variable Point::x",
        "variable Point::y",
    ];
    check("Store.kt", text, &expected);
}

#[test]
fn scala_cases_and_members_of_classes() {
    let text = "enum Color { case Red, Green; case Blue(x: Int) extends Color }\n\
        class Store(val name: String, given: Int) { val limit = 3; val (a, b) = (1, 2) }\n\
        case class Point(x: Int)\n\
        trait Codes { val code: Int; var last: Int }\n\
        object Open { def open(given: Int) = { val local = 1; local } }\n";
    let expected = [
        "constant Color::Red",
        "constant Color::Green",
        "constant Color::Blue",
        "variable Store::name",
        "variable Store::limit",
        "variable Point::x",
        "variable Codes::code",
        "variable Codes::last",
        "method Open::open",
    ];
    check("Store.scala", text, &expected);
}

#[test]
fn php_properties_cases_and_promoted_parameters() {
    let text = "<?php\nclass Store {\n  const LIMIT = 3;\n  private $name = 'a', $other;\n  public static ?int $count;\n\
        \x20 public function __construct(private Log $log, $given) { $local = 1; }\n}\n\
        enum State: string { case Open = 'o'; case Closed = 'c'; }\n";
    let expected = [
        "constant Store::LIMIT",
        "variable Store::name",
        "variable Store::other",
        "variable Store::count",
        "method Store::__construct",
        "variable Store::log",
        "constant State::Open",
        "constant State::Closed",
    ];
    check("Store.php", text, &expected);
}

#[test]
fn ruby_accessors_and_settings() {
    let text = "class Store\n  attr_accessor :name, :other\n  attr_reader(:count)\n  set :limit, 3\n  set(:least) { 1 }\n\
        \x20 Point = Struct.new(:x, :y)\n\
        \x20 on :open do\n    set :local, 1\n  end\n\
        \x20 def open(given)\n    attr_reader :local\n    given.set :local, 1\n  end\nend\n";
    let expected = [
        "variable Store::name",
        "variable Store::other",
        "variable Store::count",
        "variable Store::limit",
        "variable Store::least",
        "constant Store::Point",
        "variable Store::Point::x",
        "variable Store::Point::y",
        "method Store::open",
    ];
    check("store.rb", text, &expected);
}

#[test]
fn typescript_members_of_interfaces_types_classes_and_enumerations() {
    let text = "interface Store { name: string; readonly read?: (x: number) => void; open(): void; inner: { deep: 1 } }\n\
        type Options = { limit: number } & Other;\n\
        enum State { Open, Closed = 2, 'other' = 3 }\n\
        class Point {\n  x = 1;\n  static readonly ORIGIN = 0;\n  #hidden = 2;\n  private y: number;\n  move = () => 1;\n\
        \x20 constructor(private log: Log, given: number) { const local: { deep: 1 } = given; }\n}\n\
        app.get((request: Request<{ id: string }>) => 1);\n";
    let expected = [
        "variable Store::name",
        "variable Store::read",
        "method Store::open",
        "variable Store::inner",
        "variable Store::inner::deep",
        "variable Options::limit",
        "constant State::Open",
        "constant State::Closed",
        "constant State::other",
        "variable Point::x",
        "constant Point::ORIGIN",
        "variable Point::hidden",
        "variable Point::y",
        "method Point::move",
        "method Point::constructor",
        "variable Point::log",
    ];
    check("store.ts", text, &expected);
}

#[test]
fn javascript_fields_of_classes() {
    let text = "class Store { limit = 3; #name; static LEAST = 1; open = () => { const local = 1; } }\n";
    let expected = ["variable Store::limit", "variable Store::name", "variable Store::LEAST", "method Store::open"];
    check("store.js", text, &expected);
}

#[test]
fn c_fields_and_members_of_enumerations() {
    let text = "struct store { int limit, *names; char name[3]; int (*read)(int); unsigned open : 1;\n\
        \x20 struct { int deep; } inner; union { int either; }; };\n\
        typedef struct { int x; } point;\n\
        typedef enum { OPEN, CLOSED = 2 } state;\n\
        enum { LIMIT };\n\
        int first, second;\n\
        void open(int given) { int local; enum { LOCAL }; }\n";
    let expected = [
        "variable store::limit",
        "variable store::names",
        "variable store::name",
        "variable store::read",
        "variable store::open",
        "variable store::inner",
        "variable store::inner::deep",
        "variable store::either",
        "variable point::x",
        "constant state::OPEN",
        "constant state::CLOSED",
        "constant LIMIT",
        "variable first",
        "variable second",
    ];
    check("store.c", text, &expected);
}

#[test]
fn cpp_fields_constants_and_members_of_enumerations() {
    let text = "namespace n {\nclass store : base {\n  static constexpr int limit = 3;\n  std::string name_, *other_ = 0;\n\
        \x20 void open();\n  enum class state { open, closed };\n  using item = int;\n};\n}\n\
        void n::store::open() { int local; struct inner { int local; }; }\n";
    let expected = [
        "constant n::store::limit",
        "variable n::store::name_",
        "variable n::store::other_",
        "method n::store::open",
        "constant n::store::state::open",
        "constant n::store::state::closed",
        "method n::store::open",
    ];
    check("store.cpp", text, &expected);
}

#[test]
fn rust_fields_and_variants() {
    let text = "struct Store { pub limit: u32, name: String }\n\
        enum State { Open, Closed(u32), Other { code: u32 } }\n\
        const LIMIT: u32 = 3;\n\
        impl Store { fn open(&self) { let local = 1; struct Inner { local: u32 } } }\n";
    let expected = [
        "variable Store::limit",
        "variable Store::name",
        "constant State::Open",
        "constant State::Closed",
        "constant State::Other",
        "variable State::Other::code",
        "constant LIMIT",
        "method Store::open",
    ];
    check("store.rs", text, &expected);
}

#[test]
fn python_attributes_and_members_of_enumerations() {
    let text =
        "LIMIT = 3\nclass State(Enum):\n    OPEN = 1\n    name: str\n\n    def open(self, given):\n        local = 1\n";
    check("store.py", text, &["constant LIMIT", "constant State::OPEN", "variable State::name", "method State::open"]);
}

#[test]
fn go_fields_methods_of_interfaces_and_constants() {
    let text = "package a\nconst (\n\tLimit = iota\n\tLeast\n\tOne, Two = 1, 2\n)\nvar first, second int\n\
        type Store struct {\n\tname, other string\n\t*Embedded\n\tinner struct{ deep int }\n}\n\
        type Reader interface {\n\tRead(given int) error\n}\n\
        func open() { const local = 1; type inner struct{ local int } }\n";
    let expected = [
        "constant Limit",
        "constant Least",
        "constant One",
        "constant Two",
        "variable first",
        "variable second",
        "variable Store::name",
        "variable Store::other",
        "variable Store::inner",
        "variable Store::inner::deep",
        "method Reader::Read",
    ];
    check("store.go", text, &expected);
}

#[test]
fn swift_cases_and_properties() {
    let text = "enum State: Int {\n  case open = 1, closed\n  case other(code: Int)\n  indirect case last\n}\n\
        protocol Reader {\n  var name: String { get }\n}\n\
        struct Point {\n  var x, y: Int\n  func move() { let local = 1 }\n}\n";
    let expected = [
        "constant State::open",
        "constant State::closed",
        "constant State::other",
        "constant State::last",
        "variable Reader::name",
        "variable Point::x",
        "variable Point::y",
        "method Point::move",
    ];
    check("Store.swift", text, &expected);
}

#[test]
fn zig_fields_and_members_of_enumerations() {
    let text = "const Store = struct { limit: u32, name: u8 = 1 };\nconst State = enum { open, closed };\n\
        const Failure = error{ Missing, Late };\nfn open(given: u32) void { const local = given; }\n";
    let expected = [
        "variable Store::limit",
        "variable Store::name",
        "constant State::open",
        "constant State::closed",
        "constant Failure::Missing",
        "constant Failure::Late",
    ];
    check("store.zig", text, &expected);
}

#[test]
fn haskell_constructors_and_fields() {
    let text = "module Store where\ndata State = Open Int | Closed { code, other :: Int, name :: String }\n\
        newtype Name = Name { unName :: String }\nopen x = local where local = x\n";
    let expected = [
        "constant State::Open",
        "constant State::Closed",
        "variable State::Closed::code",
        "variable State::Closed::other",
        "variable State::Closed::name",
        "constant Name::Name",
        "variable Name::Name::unName",
    ];
    check("Store.hs", text, &expected);
}

#[test]
fn lua_values_of_modules() {
    let text = "local M = {}\nM.limit = 3\nfunction M.open(given)\n  M.state = given\nend\nreturn M\n";
    check("store.lua", text, &["variable M", "variable M::limit", "method M::open"]);
}

#[test]
fn elixir_fields_of_structures() {
    let text = "defmodule Store do\n  defstruct [:name, limit: 3]\n\n  def open(given), do: given\nend\n";
    check("store.ex", text, &["variable Store::name", "variable Store::limit"]);
}

#[test]
fn cpp_declarations_behind_macros() {
    let text = "LIB_BEGIN_NAMESPACE\nnamespace detail {\n\
        LIB_EXPORT\ntemplate <typename T> LIB_CONSTEXPR auto first(T x) -> T { return x; }\n\
        struct LIB_API store : base {\n  int limit;\n  LIB_CONSTEXPR void second() { int local; }\n};\n\
        template <typename T>\nLIB_INLINE std::vector<T> third(T x) { return x; }\n\
        }\nLIB_END_NAMESPACE\n#endif\n";
    let symbols = parse("store.hpp", text, 400).symbols;
    let shown: Vec<String> =
        symbols.iter().map(|symbol| format!("{} {}", symbol.kind.as_str(), symbol.qualified)).collect();
    let expected = [
        "module detail",
        "function detail::first",
        "struct detail::store",
        "variable detail::store::limit",
        "method detail::store::second",
        "function detail::third",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_header_in_cpp_is_read_as_cpp() {
    let text = "#pragma once\nnamespace n {\nclass store {\n public:\n  auto open() -> int { return 1; }\n};\n}\n";
    check("store.h", text, &["method n::store::open"]);
}

/// Checks what a text defines, in order.
#[track_caller]
fn check_all(file: &str, text: &str, expected: &[&str]) {
    let symbols = parse(file, text, 400).symbols;
    let shown: Vec<String> =
        symbols.iter().map(|symbol| format!("{} {}", symbol.kind.as_str(), symbol.qualified)).collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn rust_items_in_macros() {
    let text = "bitflags! {\n    /// How a file is opened.\n    #[derive(Debug)]\n    pub struct Flags: u32 {\n        const READ = 1;\n        \
        /// Locked.\n        const LOCK = Self::READ.bits() | 2;\n    }\n}\n\
        lazy_static! {\n    static ref TYPES: HashMap<u8, *const Name> = HashMap::new();\n    pub static ref WORD: Regex = new();\n}\n\
        thread_local!(static BUFFER: Cell<u8> = const { Cell::new(1) });\n\
        cfg_if! { if #[cfg(unix)] { fn first() { const LOCAL: u8 = 1; } } else { fn first() {} } }\n\
        fn open() { assert!(true); quote! { struct Hidden; const HIDDEN: u8 = 1; } }\n";
    let expected = [
        "struct Flags",
        "constant Flags::READ",
        "constant Flags::LOCK",
        "variable TYPES",
        "variable WORD",
        "variable BUFFER",
        "function first",
        "function first",
        "function open",
    ];
    check_all("store.rs", text, &expected);
}

#[test]
fn c_names_in_lists_of_macros() {
    let list = "OP(LOAD, UNARY, 1)\nOP(DUP,   NONE, 1)\n\n/* jumps */\nOP(JUMP, NONE, 2)\n";
    check_all("list.h", list, &["constant LOAD", "constant DUP", "constant JUMP"]);
    let text = "#define ERRORS(X) \\\n  X(ERR_NONE, \"none\") \\\n  X(ERR_TIME, \"time\") \\\n  X(ERR_END, \"end\")\n\
        int run(int x) {\n  CHECK(FIRST)\n  CHECK(SECOND)\n  CHECK(THIRD)\n  LOG(LEVEL, 1);\n  return MAX(FIRST, 1);\n}\n";
    let expected = [
        "macro ERRORS",
        "constant ERRORS::ERR_NONE",
        "constant ERRORS::ERR_TIME",
        "constant ERRORS::ERR_END",
        "function run",
    ];
    check_all("errors.h", text, &expected);
}
