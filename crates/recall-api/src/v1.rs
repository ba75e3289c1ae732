//! The generated messages, client and server of `recall.v1`.
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated: which lints fire changes with the generator"
)]

tonic::include_proto!("recall.v1");

/// The encoded descriptors of all files of `recall.v1` and of their imports.
pub const FILE_DESCRIPTOR_SET: &[u8] = tonic::include_file_descriptor_set!("recall.v1");

include!(concat!(env!("OUT_DIR"), "/enumerations.rs"));
