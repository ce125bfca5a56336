//! The bot `greedy`, for measuring and for conformance.

use std::process::ExitCode;

fn main() -> ExitCode {
    mergemaker::bots::example_main(|| mergemaker::bots::Greedy)
}
