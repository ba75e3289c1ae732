//! Mines queries for the shipped rankers, and trains them.

fn main() -> std::process::ExitCode {
    recall_bench::training::main()
}
