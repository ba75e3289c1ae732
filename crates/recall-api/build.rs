//! Generates the types and the service from `proto/recall/v1`, without protoc.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    // Asked at run time: a target folder that two clones share may hold this program as the other one built it.
    let here = env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo sets CARGO_MANIFEST_DIR for build scripts")?;
    let include = Path::new(&here).join("../../proto");
    println!("cargo::rerun-if-changed={}", include.display());
    let mut compiler = protox::Compiler::new([&include])?;
    compiler.include_imports(true).include_source_info(true).open_file("recall/v1/service.proto")?;

    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR for build scripts")?);
    // Without the comments, so that the programs stay small.
    let mut descriptors = protox::Compiler::new([&include])?;
    descriptors.include_imports(true).open_file("recall/v1/service.proto")?;
    fs::write(out.join("recall.v1.bin"), descriptors.encode_file_descriptor_set())?;
    tonic_prost_build::configure()
        // Ordered maps, so that equal answers have equal bytes.
        .btree_map(".")
        .compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}
