//! Tests of the embedding store through its public interface.

mod damage;
mod store;
