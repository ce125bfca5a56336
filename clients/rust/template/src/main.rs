//! my-bot. `./run` starts it, `./test` tests it.

use mergemaker::{Answer, Answered, Bot, Options, Turn, run};

/// The referee's default answers what it has no method for.
struct MyBot;

impl Bot for MyBot {
    fn choose_founded(&mut self, turn: &Turn) -> Answered {
        Ok(Answer::index(turn.answers.count() - 1)) // the dearest chain there is
    }
}

fn main() -> std::process::ExitCode {
    run(|| MyBot, Options::default())
}

#[cfg(test)]
mod questions;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_founds_the_dearest_chain() {
        for turn in questions::turns("choose_founded") {
            let answer = MyBot.choose_founded(&turn).expect("it has an answer");
            assert_eq!(answer, Answer::index(turn.answers.count() - 1));
        }
    }
}
