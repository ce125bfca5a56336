//! Write bots for Mergemaker, a referee for the board game Acquire.
//!
//! A bot implements [`Bot`], which has a method for each kind of question; [`run`] connects and plays.
//!
//! ```no_run
//! use mergemaker::{Answer, Answered, Bot, Options, Turn, run};
//!
//! struct MyBot;
//!
//! impl Bot for MyBot {
//!     fn choose_founded(&mut self, turn: &Turn) -> Answered {
//!         Ok(Answer::index(turn.answers.count() - 1)) // the dearest chain there is
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     run(|| MyBot, Options::default())
//! }
//! ```

mod answers;
mod bot;
pub mod bots;
mod connection;
mod conversation;
pub mod deal;
pub mod deal_check;
mod drawing;
mod environment;
mod errors;
mod evidence;
mod json;
mod kinds;
mod outputs;
mod playing;
mod receipt;
mod reconnecting;
mod run;
pub mod testing;
mod trace;
mod turn;
mod values;
mod view;

/// The messages of `mergemaker.v1` as prost makes them, and its services' clients.
#[rustfmt::skip]
#[path = "generated/mergemaker.v1.rs"]
#[allow(missing_docs, clippy::all, rustdoc::all)]
pub mod wire;

/// How the fields of all messages are called in JSON.
#[rustfmt::skip]
#[path = "generated/fields.rs"]
mod fields;

pub use answers::Answers;
pub use bot::{Answer, Answered, Bot, BotError, NOTE_BYTES_MAX, bot_from};
pub use drawing::{BadDrawing, Drawing, LABEL_CHARACTERS_MAX, MARKS_MAX, Tone};
pub use environment::{Environment, Target};
pub use errors::Error;
pub use receipt::{BadProof, Receipt, SignedEnd, key_id};
pub use run::{EventMode, Options, play, run};
pub use turn::{Clock, DealFinding, MatchInfo, MatchResult, Turn};
pub use values::{Action, CHAINS, SQUARES, Shares, square_name};
pub use view::{Cell, Player, View};
/// What is asked, by kind.
pub use wire::question::Kind as Question;
pub use wire::{EffectKind, Event, Power, PowerPhase, PurchaseTerms, Rules, TileEffect};

#[cfg(test)]
mod vectors_tests;

/// The README's example is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
