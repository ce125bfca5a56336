//! What a bot answers, and bots that are one function.

use std::error::Error;

pub use crate::kinds::Bot;
use crate::turn::Turn;
use crate::values::Action;

/// How long a note may be, in bytes of UTF-8.
pub const NOTE_BYTES_MAX: usize = 1_024;

/// Anything that went wrong in a bot. It is reported, and the default is answered.
pub type BotError = Box<dyn Error + Send + Sync>;
/// What a bot's methods return.
pub type Answered = Result<Answer, BotError>;

/// An answer: an action, or the index of one in `turn.answers`; either may have a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub(crate) choice: Choice,
    pub(crate) note: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Action(Action),
    Index(u64),
}

impl Answer {
    /// The legal answer at this index.
    pub fn index(index: u64) -> Self {
        Self { choice: Choice::Index(index), note: String::new() }
    }

    /// An action. The referee decides whether it is legal.
    pub fn action(action: Action) -> Self {
        Self { choice: Choice::Action(action), note: String::new() }
    }

    /// The same with a note, which is recorded and shown to nobody before the match is over.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Refuses what cannot be sent.
    pub(crate) fn check(&self, turn: &Turn) -> Result<(), BotError> {
        if self.note.len() > NOTE_BYTES_MAX {
            return Err(format!("a note is at most {NOTE_BYTES_MAX} bytes of UTF-8, not {}", self.note.len()).into());
        }
        match &self.choice {
            Choice::Index(index) if *index >= turn.answers.count() => {
                Err(format!("there is no answer {index}; there are answers 0 to {}", turn.answers.count() - 1).into())
            }
            Choice::Action(Action::Newer) => {
                Err("what only a newer version knows can be answered by its index alone".into())
            }
            _ => Ok(()),
        }
    }
}

impl From<Action> for Answer {
    fn from(action: Action) -> Self {
        Self::action(action)
    }
}

impl From<u64> for Answer {
    fn from(index: u64) -> Self {
        Self::index(index)
    }
}

/// A factory of bots that answer every question with one function.
pub fn bot_from<F>(function: F) -> impl Fn() -> FunctionBot<F> + Send + Sync + 'static
where
    F: FnMut(&Turn) -> Answered + Clone + Send + Sync + 'static,
{
    move || FunctionBot(function.clone())
}

/// A bot that is one function.
#[derive(Clone, Debug)]
pub struct FunctionBot<F>(F);

impl<F: FnMut(&Turn) -> Answered> Bot for FunctionBot<F> {
    fn answer(&mut self, turn: &Turn) -> Answered {
        (self.0)(turn)
    }
}
