//! How long does a ranker take for the candidates of a query?

fn main() {}
