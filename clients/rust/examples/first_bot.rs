//! A first bot: names the dearest chain, and takes the default of everything else.

use std::process::ExitCode;

use mergemaker::{Answer, Answered, Bot, Options, Turn};

struct MyBot;

impl Bot for MyBot {
    fn choose_founded(&mut self, turn: &Turn) -> Answered {
        Ok(Answer::index(turn.answers.count() - 1))
    }
}

fn main() -> ExitCode {
    mergemaker::run(|| MyBot, Options::default())
}
