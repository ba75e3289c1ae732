//! Mines the queries of the shipped rankers, and trains them.

fn main() -> std::process::ExitCode {
    recall_training::main()
}
