//! Generates the types and the service from `proto/recall/v1`, without protoc, and of the answers their JSON and its schemas.

mod json;
mod schema;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use protox::prost_reflect::prost_types::method_options::IdempotencyLevel;
use protox::prost_reflect::{DescriptorPool, MessageDescriptor, MethodDescriptor};

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
    fs::write(out.join("rpcs.rs"), list_rpcs(&pool)?)?;
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

/// Returns the source of a macro that passes all RPCs to another one, so that the client has a method for each.
fn list_rpcs(pool: &DescriptorPool) -> Result<String, fmt::Error> {
    let mut source = String::from(
        "/// Passes every RPC of `recall.v1.Recall` to a macro: comment, kind, method, request and response. The kind is `repeatable`,\n\
         /// `keyed` (repeatable by its idempotency key), `once`, `streaming` (its answers) or `uploading` (its requests).\n\
         #[macro_export]\nmacro_rules! for_each_rpc {\n    ($each:ident) => {\n        $each! {\n",
    );
    for rpc in pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()) {
        for line in comment(&rpc).lines() {
            writeln!(source, "            #[doc = {line:?}]")?;
        }
        let (kind, method) = (kind(&rpc), snake_case(rpc.name()));
        writeln!(source, "            {kind} {method}: {} => {};", rpc.input().name(), rpc.output().name())?;
    }
    source.push_str("        }\n    };\n}\n");
    Ok(source)
}

fn kind(rpc: &MethodDescriptor) -> &'static str {
    let proto = rpc.method_descriptor_proto();
    let is_idempotent =
        proto.options.as_ref().is_some_and(|options| options.idempotency_level() == IdempotencyLevel::Idempotent);
    match () {
        () if rpc.is_client_streaming() => "uploading",
        () if rpc.is_server_streaming() => "streaming",
        () if is_idempotent => "repeatable",
        () if rpc.input().get_field_by_name("idempotency_key").is_some() => "keyed",
        () => "once",
    }
}

/// Returns the comment before an RPC.
fn comment(rpc: &MethodDescriptor) -> String {
    let file = rpc.parent_file();
    let locations = file.file_descriptor_proto().source_code_info.iter().flat_map(|info| &info.location);
    let own =
        locations.filter(|location| location.path == rpc.path()).find_map(|location| location.leading_comments.clone());
    own.unwrap_or_default()
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
