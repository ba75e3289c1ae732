//! The protocol: negotiation of its revision, and the RPCs of the service, from its descriptors.

use std::ops::RangeInclusive;

use prost::Message as _;
use prost_types::{FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto};

use crate::v1::FILE_DESCRIPTOR_SET;

/// The revisions of `recall.v1` that this build supports.
///
/// The upper end is raised when a client needs something that an older daemon lacks, the lower end when an old client
/// would receive wrong answers. New messages and fields alone change neither.
pub const PROTOCOLS: RangeInclusive<u32> = 1..=1;

include!(concat!(env!("OUT_DIR"), "/rpcs.rs"));

/// Returns the newest revision in both ranges; `None` if they do not overlap.
pub fn newest_common(one: &RangeInclusive<u32>, other: &RangeInclusive<u32>) -> Option<u32> {
    let newest = *one.end().min(other.end());
    (one.contains(&newest) && other.contains(&newest)).then_some(newest)
}

/// An RPC of `recall.v1.Recall`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rpc {
    /// The name without package and service: `Search`.
    pub name: String,
    /// The name of its request message: `SearchRequest`.
    pub request: String,
    /// The names of the request's fields, in order.
    pub fields: Vec<String>,
}

/// Returns all RPCs, in the order of the service's definition.
///
/// # Panics
/// Never: the descriptors are generated at build time.
pub fn rpcs() -> Vec<Rpc> {
    let set = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).expect("the descriptors are generated at build time");
    let files: Vec<_> = set.file.into_iter().filter(|file| file.package() == "recall.v1").collect();
    let methods = files.iter().flat_map(|file| &file.service).flat_map(|service| &service.method);
    methods.map(|method| describe(method, &files)).collect()
}

fn describe(method: &MethodDescriptorProto, files: &[FileDescriptorProto]) -> Rpc {
    let request = method.input_type().rsplit('.').next().unwrap_or_default().to_owned();
    let message = files.iter().flat_map(|file| &file.message_type).find(|message| message.name() == request);
    let fields = message.into_iter().flat_map(|message| &message.field);
    Rpc { name: method.name().to_owned(), fields: fields.map(|field| field.name().to_owned()).collect(), request }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_revision_is_chosen() {
        for (one, other, expected) in [
            (1..=1, 1..=1, Some(1)),
            (1..=3, 2..=5, Some(3)),
            (2..=5, 1..=3, Some(3)),
            (1..=1, 2..=3, None),
            (4..=5, 2..=3, None),
            (RangeInclusive::new(3, 1), 1..=5, None),
        ] {
            assert_eq!(newest_common(&one, &other), expected, "{one:?} and {other:?}");
        }
    }

    #[test]
    fn the_rpcs_are_those_of_the_definition() {
        let rpcs = rpcs();
        let search = rpcs.iter().find(|rpc| rpc.name == "Search").expect("the service has it");
        assert_eq!((rpcs[0].name.as_str(), search.request.as_str()), ("Handshake", "SearchRequest"));
        assert_eq!(search.fields[..3], ["context", "query", "scope"]);
    }
}
