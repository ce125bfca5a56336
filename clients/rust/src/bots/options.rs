//! The options of the example bots, each as one word `--name=value`.

use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use crate::bot::{Answered, Bot};
use crate::playing::complain;
use crate::run::{EventMode, Options, WRONG_USE, run};
use crate::turn::Turn;

const USAGE: &str = "\
usage: run random|greedy [--matches-at-once=N] [--events=held|immediate] [--think=MS]

Plays as MERGEMAKER_SERVER and MERGEMAKER_TOKEN say, until there are no more matches for it.

  --matches-at-once=N   as many matches at once on the stream; usually 1
  --events=immediate    events as they happen; usually `held`, with the next question
  --think=MS            waits this many milliseconds before each answer, as a bot that thinks does
";
const THINK_MS_MAX: u64 = 3_600_000;

/// Waits before each answer.
struct Thinking<B> {
    bot: B,
    think: Duration,
}

impl<B: Bot> Bot for Thinking<B> {
    fn answer(&mut self, turn: &Turn) -> Answered {
        sleep(self.think);
        self.bot.answer(turn)
    }
}

/// The `main` of an example bot: reads the options, and plays.
pub fn example_main<B: Bot + 'static>(factory: impl Fn() -> B + Send + Sync + 'static) -> ExitCode {
    match parse(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())) {
        Ok(Some((options, think))) => run(move || Thinking { bot: factory(), think }, options),
        Ok(None) => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            complain(&format!("{problem}\n{USAGE}"));
            ExitCode::from(WRONG_USE)
        }
    }
}

/// None where help is asked for.
fn parse(words: impl Iterator<Item = String>) -> Result<Option<(Options, Duration)>, String> {
    let mut options = Options { version: env!("CARGO_PKG_VERSION").into(), ..Options::default() };
    let mut think = Duration::ZERO;
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((&word, ""));
        match (name, value) {
            ("--help" | "-h", "") => return Ok(None),
            ("--matches-at-once", _) => options.matches_at_once = number(&word, value, 1, u32::MAX.into())? as usize,
            ("--events", "held") => options.events = EventMode::Held,
            ("--events", "immediate") => options.events = EventMode::Immediate,
            ("--think", _) => think = Duration::from_millis(number(&word, value, 0, THINK_MS_MAX)?),
            _ => return Err(format!("there is no option {word:?}")),
        }
    }
    Ok(Some((options, think)))
}

fn number(word: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    let read = value.parse().ok().filter(|read| (least..=most).contains(read));
    read.ok_or_else(|| format!("{word:?} wants a whole number from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Option<(Options, Duration)>, String> {
        parse(words.iter().map(|word| (*word).to_owned()))
    }

    #[test]
    fn options_are_read() {
        let (options, think) = read(&["--matches-at-once=3", "--events=immediate", "--think=1500"])
            .expect("they are right")
            .expect("they ask for no help");
        assert_eq!((options.matches_at_once, options.events), (3, EventMode::Immediate));
        assert_eq!(think, Duration::from_millis(1_500));
        assert_eq!(read(&["--help"]), Ok(None));
    }

    #[test]
    fn what_is_no_option_is_refused_with_its_word() {
        for word in
            ["--matches-at-once=0", "--matches-at-once", "--events=late", "--think=-1", "--think=x", "fast", "--x=1"]
        {
            assert!(read(&[word]).expect_err(word).contains(word));
        }
    }
}
