//! Did a program write this file, by its name?

/// Whether the name is one that programs give to what they write.
pub(super) fn is_generated_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| lower.ends_with(ending)) || lower.contains(".generated.")
}

const ENDINGS: &[&str] = &[
    ".pb.go",
    "_pb2.py",
    "_pb2_grpc.py",
    ".g.dart",
    ".freezed.dart",
    ".designer.cs",
    ".generated.ts",
    ".gen.go",
    ".g.cs",
];
