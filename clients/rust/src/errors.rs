//! What can stop a bot's connection, each with a stable `reason` and a text that says what to do.

use std::fmt;

/// What stops a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A setting is missing, or is not what it should be.
    BadSetting {
        /// For programs; it does not change between versions.
        reason: &'static str,
        /// For people.
        text: String,
    },
    /// The referee could not be reached for too long.
    Unreachable(String),
    /// The referee refused, and would refuse again.
    Refused {
        /// The referee's, for programs.
        reason: String,
        /// For people.
        text: String,
    },
    /// Another process plays with this bot's token now. This process never comes back by itself.
    TakenOver,
}

impl Error {
    pub(crate) fn setting(reason: &'static str, text: impl Into<String>) -> Self {
        Self::BadSetting { reason, text: text.into() }
    }

    pub(crate) fn refused(reason: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into(), text: text.into() }
    }

    /// What happened, for programs: small letters and hyphens.
    pub fn reason(&self) -> &str {
        match self {
            Self::BadSetting { reason, .. } => reason,
            Self::Unreachable(_) => "unreachable",
            Self::Refused { reason, .. } => reason,
            Self::TakenOver => "taken-over",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::BadSetting { text, .. } | Self::Unreachable(text) | Self::Refused { text, .. } => text,
            Self::TakenOver => {
                "another process plays with this bot's token now, so this one stops and does not come back; \
                 start one process for each token"
            }
        })
    }
}

impl std::error::Error for Error {}

/// A message is not what it should be: the question it asks is answered by its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) String);

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
