//! The bot `random`: any legal answer, each as likely as the others (`clients/python/RANDOM.md`).

use crate::bot::{Answer, Answered, Bot};
use crate::turn::Turn;

/// Picks any answer, each as likely as the others; declares the end as soon as it may.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl Bot for Random {
    fn answer(&mut self, turn: &Turn) -> Answered {
        let mut chance = turn.chance();
        if turn.may_declare()
            && let Some(actions) = turn.answers.listed()
        {
            let places: Vec<u64> = (0..).zip(actions).filter(|(_, it)| it.declares_end()).map(|(at, _)| at).collect();
            if !places.is_empty() {
                return Ok(Answer::index(places[chance.below(places.len() as u64) as usize]));
            }
        }
        Ok(Answer::index(chance.below(turn.answers.count())))
    }
}
