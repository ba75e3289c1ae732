//! The suite on the store in memory, which the other kinds are compared with.

use recall_shared::{Memory, SharedStore};

use crate::suite;

#[test]
fn the_store_in_memory_conforms() {
    let store = Memory::default();
    assert_eq!(store.kind(), "memory");
    suite::check::everything(&store);
}
