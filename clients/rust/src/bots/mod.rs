//! The example bots, `random` and `greedy`, which answer the same in every language.

mod greedy;
mod options;
mod random;
mod worth;

pub use greedy::Greedy;
pub use options::example_main;
pub use random::Random;
