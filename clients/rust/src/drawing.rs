//! Notes that draw: squares, arrows, labels and numbers, which the viewer shows on the board after the match.

use std::fmt::{self, Write};

use crate::bot::NOTE_BYTES_MAX;
use crate::values::{SQUARES, square_name};

/// How many marks a note may have.
pub const MARKS_MAX: usize = 60;
/// How long a label may be, in characters of Unicode.
pub const LABEL_CHARACTERS_MAX: usize = 12;

/// What a mark means, shown by its color and form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// A mark without a meaning of its own.
    #[default]
    Plain,
    /// What helps.
    Good,
    /// What harms.
    Bad,
}

/// Why a drawing is no note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadDrawing {
    /// For programs: small letters and hyphens; it does not change between versions.
    pub reason: &'static str,
    /// For people.
    pub text: String,
}

impl fmt::Display for BadDrawing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for BadDrawing {}

/// Builds a note that draws. Squares are numbers, as in actions. The first thing that is wrong is the error of [`Drawing::note`].
///
/// Every language's library makes the same note of the same marks, byte for byte.
#[derive(Clone, Debug)]
pub struct Drawing {
    head: String,
    marks: Vec<String>,
    wrong: Option<BadDrawing>,
}

impl Drawing {
    /// Begins a note with a text, which may be empty.
    pub fn new(text: &str) -> Self {
        let head = if text.is_empty() { String::new() } else { format!("\"text\":{},", quoted(text)) };
        Self { head, marks: Vec::new(), wrong: None }
    }

    /// A frame around a square.
    #[must_use]
    pub fn square(self, square: usize, tone: Tone) -> Self {
        self.add(&[square], || at(square), tone)
    }

    /// An arrow from one square to another.
    #[must_use]
    pub fn arrow(mut self, from: usize, to: usize, tone: Tone) -> Self {
        if from == to && from < SQUARES {
            let name = square_name(from);
            self.refuse("arrow-to-itself", format!("an arrow leads to another square, not from {name} to {name}"));
        }
        self.add(&[from, to], || format!("\"from\":\"{}\",\"to\":\"{}\"", square_name(from), square_name(to)), tone)
    }

    /// A short text on a square.
    #[must_use]
    pub fn label(mut self, square: usize, text: &str, tone: Tone) -> Self {
        let count = text.chars().count();
        if !(1..=LABEL_CHARACTERS_MAX).contains(&count) {
            self.refuse("bad-label", format!("a label has 1 to {LABEL_CHARACTERS_MAX} characters, not {count}"));
        }
        self.add(&[square], || format!("{},\"text\":{}", at(square), quoted(text)), tone)
    }

    /// A whole number on a square.
    #[must_use]
    pub fn number(mut self, square: usize, number: i64, tone: Tone) -> Self {
        let count = number.to_string().len();
        if count > LABEL_CHARACTERS_MAX {
            self.refuse("bad-label", format!("a number has at most {LABEL_CHARACTERS_MAX} characters, not {count}"));
        }
        self.add(&[square], || format!("{},\"text\":{number}", at(square)), tone)
    }

    /// The note, for [`Answer::note`](crate::Answer::note).
    ///
    /// # Errors
    ///
    /// The first thing that was wrong, or that the note is longer than [`NOTE_BYTES_MAX`].
    pub fn note(&self) -> Result<String, BadDrawing> {
        if let Some(wrong) = &self.wrong {
            return Err(wrong.clone());
        }
        let note = format!("{{{}\"marks\":[{}]}}", self.head, self.marks.join(","));
        if note.len() > NOTE_BYTES_MAX {
            let made = format!("{} marks with this text make {}", self.marks.len(), note.len());
            let text = format!("a note is at most {NOTE_BYTES_MAX} bytes of UTF-8, and {made}: leave some out");
            return Err(BadDrawing { reason: "note-too-long", text });
        }
        Ok(note)
    }

    fn add(mut self, squares: &[usize], mark: impl Fn() -> String, tone: Tone) -> Self {
        if let Some(square) = squares.iter().find(|square| **square >= SQUARES) {
            let text = format!("a square is a number from 0 to {}, as in actions, not {square}", SQUARES - 1);
            self.refuse("no-such-square", text);
        } else if self.marks.len() == MARKS_MAX {
            self.refuse("too-many-marks", format!("a note has at most {MARKS_MAX} marks: leave some out"));
        } else {
            let end = match tone {
                Tone::Plain => "",
                Tone::Good => ",\"tone\":\"good\"",
                Tone::Bad => ",\"tone\":\"bad\"",
            };
            self.marks.push(format!("{{{}{end}}}", mark()));
        }
        self
    }

    /// Keeps the first thing that is wrong.
    fn refuse(&mut self, reason: &'static str, text: String) {
        self.wrong.get_or_insert(BadDrawing { reason, text });
    }
}

fn at(square: usize) -> String {
    format!("\"at\":\"{}\"", square_name(square))
}

/// A text as JSON, in the one way that all libraries write it: only what must be is escaped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            ..' ' => write!(out, "\\u{:04x}", u32::from(char)).expect("a text takes all that is written to it"),
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}
