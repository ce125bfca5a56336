//! What the referee measured of a fault, and the operator's name for it, as a line for the bot's author.

use crate::wire::{AtFault, DefaultTaken, Evidence, FaultCause, MomentKind, Problem};

const US_PER_MS: f64 = 1_000.0;

/// Whose fault it was, why, and what happened when; a value that is newer than this library is shown as its number.
pub(crate) fn evidence_text(evidence: &Evidence) -> String {
    let whose = match AtFault::try_from(evidence.at_fault) {
        Ok(AtFault::Bot) => "the bot's fault".into(),
        Ok(AtFault::Network) => "the way's fault".into(),
        Ok(AtFault::Referee) => "the referee's fault, and nothing is charged".into(),
        Ok(AtFault::Nobody) => "nobody's fault".into(),
        Ok(AtFault::Unspecified) | Err(_) => format!("fault of {}", evidence.at_fault),
    };
    let mut text = format!("{whose}: {}", evidence.text);
    if !evidence.moments.is_empty() {
        let moment = |kind: i32, at_us: i64| {
            let name = MomentKind::try_from(kind).map(|kind| word(kind.as_str_name(), "MOMENT_KIND_"));
            format!("{} {:.1}", name.unwrap_or_else(|_| kind.to_string()), at_us as f64 / US_PER_MS)
        };
        let moments: Vec<_> = evidence.moments.iter().map(|it| moment(it.kind, it.at_us)).collect();
        text += &format!(" (in ms: {})", moments.join(", "));
    }
    let lags = [evidence.transport_lag_us, evidence.referee_lag_us];
    if lags != [0, 0] {
        let [transport, itself] = lags.map(|lag| lag as f64 / US_PER_MS);
        text += &format!(
            "; the referee was held up meanwhile, its transport for {transport:.1} ms, itself for {itself:.1} ms"
        );
    }
    text + &asked_by(&evidence.trace)
}

/// What was wrong with a request: its stable reason, the text, and the rule if there is one.
pub(crate) fn problem_text(problem: &Problem) -> String {
    let rule = if problem.rule.is_empty() { String::new() } else { format!(" [{}]", problem.rule) };
    format!("({}): {}{rule}", problem.reason, problem.text)
}

/// The name by which to ask the operator; nothing if there is none.
pub(crate) fn asked_by(trace: &str) -> String {
    if trace.is_empty() { String::new() } else { format!("; ask the operator about {trace}") }
}

/// A default that was taken in the bot's name.
pub(crate) fn default_text(taken: &DefaultTaken) -> String {
    let cause = FaultCause::try_from(taken.cause).map(|cause| word(cause.as_str_name(), "FAULT_CAUSE_"));
    let cause = cause.unwrap_or_else(|_| taken.cause.to_string());
    let (decision, text, left) = (taken.decision, &taken.text, taken.defaults_left);
    let evidence =
        taken.evidence.as_ref().map_or_else(String::new, |evidence| format!("; {}", evidence_text(evidence)));
    format!(
        "a default was taken for decision {decision} ({cause}): {text}; {left} more, and the seat is no longer \
         asked{evidence}"
    )
}

/// An enum's value in words.
fn word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Moment;

    #[test]
    fn a_default_says_whose_fault_it_was_and_when_what_happened() {
        let moments = vec![Moment { kind: MomentKind::Handed.into(), at_us: 1_250 }, Moment { kind: 99, at_us: -500 }];
        let evidence = Evidence {
            at_fault: AtFault::Bot.into(),
            text: "no answer came".into(),
            moments,
            referee_lag_us: 2_000,
            trace: "m-1/7".into(),
            ..Evidence::default()
        };
        let cause = FaultCause::NeverJoined.into();
        let taken =
            DefaultTaken { decision: 7, cause, text: "late".into(), defaults_left: 4, evidence: Some(evidence) };
        assert_eq!(
            default_text(&taken),
            "a default was taken for decision 7 (never joined): late; 4 more, and the seat is no longer asked; the bot's \
             fault: no answer came (in ms: handed 1.2, 99 -0.5); the referee was held up meanwhile, its transport for \
             0.0 ms, itself for 2.0 ms; ask the operator about m-1/7"
        );
    }

    #[test]
    fn what_is_not_set_or_newer_stops_nothing() {
        assert_eq!(evidence_text(&Evidence { at_fault: 9, ..Evidence::default() }), "fault of 9: ");
        let taken = default_text(&DefaultTaken { cause: 77, ..DefaultTaken::default() });
        assert!(taken.contains("(77)"), "{taken}");
        let problem =
            Problem { reason: "dead-tile".into(), text: "no".into(), rule: "PLC-7".into(), ..Problem::default() };
        assert_eq!(problem_text(&problem), "(dead-tile): no [PLC-7]");
    }
}
