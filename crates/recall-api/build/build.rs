//! Generates the types and the service from `proto/recall/v1`, without protoc, and of the answers their JSON and its schemas.

mod json;
mod schema;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use protox::prost_reflect::{DescriptorPool, MessageDescriptor};

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

    // Ordered maps, so that equal answers have equal bytes.
    let mut builder = tonic_prost_build::configure().btree_map(".");
    let pool = compiler.descriptor_pool();
    let answers = answers(&pool);
    for message in &answers {
        builder = json::derive(builder, message);
    }
    fs::write(out.join("enumerations.rs"), json::name_values(&pool)?)?;
    fs::write(out.join("schemas.json"), schema::write(&answers))?;
    builder.compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

/// Returns the messages that the daemon answers with, and those within them, by name.
fn answers(pool: &DescriptorPool) -> Vec<MessageDescriptor> {
    let mut unread: Vec<_> =
        pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()).map(|rpc| rpc.output()).collect();
    let mut answers = BTreeMap::new();
    while let Some(message) = unread.pop() {
        let fields = message.fields().map(|field| field.kind());
        let within: Vec<_> = fields.filter_map(|kind| kind.as_message().cloned()).collect();
        let is_new = answers.insert(message.full_name().to_owned(), message).is_none();
        if is_new {
            unread.extend(within);
        }
    }
    answers.into_values().filter(|message| message.package_name() == "recall.v1" && !message.is_map_entry()).collect()
}
