//! The tests of the domain by its interface.

mod rql;
