//! For a bot's own tests: questions as it meets them, made from the messages of a recorded match.

use std::sync::Arc;

use prost::Message;

use crate::errors::{Error, Unreadable};
use crate::turn::{MatchInfo, Turn};
use crate::wire::{MatchOffered, MatchStarted, PlayResponse};

/// The question that `response` holds, in the match that was so offered and started; each is the bytes of its message.
///
/// # Errors
///
/// What is no such message, or contradicts itself, is refused with the reason `unreadable`; a response without a question
/// is so, too.
pub fn turn_of(offered: &[u8], started: &[u8], response: &[u8]) -> Result<Turn, Error> {
    let read = || {
        let info = MatchInfo::read("test", &message::<MatchOffered>(offered)?, &message::<MatchStarted>(started)?)?;
        let response: PlayResponse = message(response)?;
        let decision = response.decision.ok_or_else(|| Unreadable("the response asks nothing".into()))?;
        Turn::read(&Arc::new(info), &decision, response.events, 0)
    };
    read().map_err(|Unreadable(text): Unreadable| Error::setting("unreadable", text))
}

fn message<M: Message + Default>(bytes: &[u8]) -> Result<M, Unreadable> {
    M::decode(bytes).map_err(|problem| Unreadable(problem.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Rules;

    #[test]
    fn what_asks_nothing_or_is_no_message_is_refused() {
        let rules = Rules { chain_names: vec!["A".into(); 7], ..Rules::default() };
        let offered = MatchOffered { seats: 2, rules: Some(rules.clone()), ..MatchOffered::default() }.encode_to_vec();
        let rules = Rules { newer_knobs: vec!["weather".into()], ..rules };
        let newer = MatchOffered { seats: 2, rules: Some(rules), ..MatchOffered::default() }.encode_to_vec();
        let started = MatchStarted { nonce: vec![0; 32], ..MatchStarted::default() }.encode_to_vec();
        for (messages, said) in [
            ([offered.as_slice(), &started, &[]], "the response asks nothing"),
            ([&newer, &started, &[]], "the knob \"weather\", which this library does not know"),
            ([&offered, &[], &[]], "a nonce has 32 bytes, not 0"),
            ([&[0xff], &started, &[]], "varint"),
        ] {
            let problem = turn_of(messages[0], messages[1], messages[2]).expect_err("it is refused");
            assert_eq!(problem.reason(), "unreadable");
            assert!(problem.to_string().contains(said), "{problem}");
        }
    }
}
