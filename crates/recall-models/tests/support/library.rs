//! Shared libraries that are not a usable runtime.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The source of a library with only the runtime's entry point, which reports an old version.
pub(crate) const OLD_RUNTIME: &str = r#"
    #[repr(C)]
    pub struct Base { api: extern "C" fn(u32) -> *const u8, version: extern "C" fn() -> *const u8 }
    extern "C" fn api(_: u32) -> *const u8 { std::ptr::null() }
    extern "C" fn version() -> *const u8 { c"1.17.3".as_ptr().cast() }
    static BASE: Base = Base { api, version };
    #[unsafe(no_mangle)]
    pub extern "C" fn OrtGetApiBase() -> *const Base { &BASE }
"#;

/// Compiles a shared library with the compiler of these tests.
pub(crate) fn built(folder: &Path, name: &str, source: &str) -> PathBuf {
    let (code, library) = (folder.join(name).with_extension("rs"), folder.join(name).with_extension("lib"));
    fs::write(&code, source).expect("writable");
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler.args(["--edition", "2024", "--crate-type", "cdylib", "-o"]).args([&library, &code]);
    let output = compiler.output().expect("rustc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}
