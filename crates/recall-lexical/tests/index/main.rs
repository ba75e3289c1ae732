//! The lexical index as its callers see it: what is found, what is kept out, and what damage does.

mod damage;
mod filters;
mod fixture;
mod laws;
mod lifecycle;
mod names;
mod neighbours;
mod oracle;
mod whole;
