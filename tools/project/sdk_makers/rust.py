"""Rust: `src/kinds.rs`, as rustfmt would write it."""

from collections.abc import Sequence
from typing import Final

from sdk_makers.model import MADE_BY, Field, Kind, Meaning, Protocol, camel, pascal, without_lists

WIDTH: Final = 120
HEADER: Final = f"""//! A bot's methods, and questions and answers by kind, as the protocol has them.
//!
//! Made by {MADE_BY} from the .proto files. Do not edit it.

use crate::bot::Answered;
use crate::deal_check::FalseDeal;
use crate::errors::Unreadable;
use crate::turn::{{MatchInfo, MatchResult, Turn}};
use crate::values::{{Shares, chain, counts, seat, square}};
use crate::wire::{{self, Event, %(enums)saction::Kind, question::Kind as Question}};
"""
_BOT: Final = """/// Plays one seat of one match. A method that you do not write takes the referee's default.
///
/// A method that returns an error or panics does not end the match: this is reported, and the bot answers the default at once.
pub trait Bot {
    /// Answers any question. As it is, it calls the method for the question's kind.
    fn answer(&mut self, turn: &Turn) -> Answered {
        match turn.question() {
%(arms)s
        }
    }

%(methods)s

    /// Called before the first tile, with what is known of the match.
    fn on_start(&mut self, _info: &MatchInfo) {}

    /// Called with what happened, as far as the seat may know. This is always before the next question.
    fn on_events(&mut self, _events: &[Event]) {}

    /// Called if the deal was not the one promised. This is reported and traced in any case. `on_end` follows.
    fn on_false_deal(&mut self, _problem: &FalseDeal) {}

    /// Called with how the match ended.
    fn on_end(&mut self, _result: &MatchResult) {}
}
"""
_TYPES: Final = {Meaning.FLAG: "bool", Meaning.SHARES: "Shares", Meaning.COUNT: "u32", Meaning.NUMBER: "u32"}
_CHECKS: Final = {Meaning.CHAIN: "chain", Meaning.SQUARE: "square", Meaning.SEAT: "seat", Meaning.SHARES: "counts"}


def files(protocol: Protocol) -> dict[str, str]:
    """The files by their paths in clients/rust."""
    enums = sorted({field.enum for kind in protocol.actions for field in kind.fields if field.enum})
    arms = [f"            Question::{kind.name}(_) => self.{kind.field}(turn)," for kind in protocol.questions]
    methods = [
        f"    /// {kind.brief}\n    fn {kind.field}(&mut self, turn: &Turn) -> Answered {{\n        Ok(turn.default())\n    }}"
        for kind in protocol.questions
    ]
    parts = [
        HEADER % {"enums": "".join(f"{enum}, " for enum in enums)},
        _BOT % {"arms": "\n".join(arms), "methods": "\n\n".join(methods)},
        _question_name(protocol.questions),
        _check_question(protocol.questions),
        _action(protocol.actions),
        _action_reading(protocol.actions),
    ]
    return {"src/kinds.rs": "\n".join(parts)}


def _question_name(kinds: Sequence[Kind]) -> str:
    lines = ["/// The name of a kind of question, such as `ChooseTile`."]
    lines += ["pub(crate) fn question_name(question: &Question) -> &'static str {", "    match question {"]
    lines += [f'        Question::{kind.name}(_) => "{kind.name}",' for kind in kinds]
    return "\n".join([*lines, "    }", "}", ""])


def _check_question(kinds: Sequence[Kind]) -> str:
    lines = ["/// Checks the numbers of a question by which lists are indexed: chains, squares and seats."]
    lines += ["pub(crate) fn check_question(question: &Question) -> Result<(), Unreadable> {", "    match question {"]
    nothing = []
    for kind in kinds:
        checks = [check for field in kind.fields if (check := _checked(kind, field))]
        if not checks:
            nothing.append(f"Question::{kind.name}(_)")
            continue
        lines += [f"        Question::{kind.name}(it) => {{", *[f"            {check}" for check in checks], "        }"]
    lines += _alternatives(nothing, "{}")
    return "\n".join([*lines, "    }", "    Ok(())", "}", ""])


def _alternatives(patterns: Sequence[str], body: str) -> list[str]:
    if not patterns:
        return []
    line = f"        {' | '.join(patterns)} => {body}"
    if len(line) <= WIDTH:
        return [line]
    first, *others = patterns
    return [f"        {first}", *[f"        | {pattern}" for pattern in others[:-1]], f"        | {others[-1]} => {body}"]


def _checked(kind: Kind, field: Field) -> str:
    where = f"{kind.field}.{field.name}"
    if field.meaning is Meaning.CHAINS:
        return f'it.{field.name}.iter().try_for_each(|number| chain(*number, "{where}").map(drop))?;'
    check = _CHECKS.get(field.meaning)
    reference = "&" if field.meaning is Meaning.SHARES else ""
    return f'{check}({reference}it.{field.name}, "{where}")?;' if check else ""


def _action(kinds: Sequence[Kind]) -> str:
    lines = ["/// An answer to a question. Each question says which are legal."]
    lines += ["#[derive(Clone, Debug, PartialEq, Eq, Hash)]", "#[non_exhaustive]", "pub enum Action {"]
    for kind in kinds:
        lines.append(f"    /// {kind.doc}")
        if len(kind.fields) > 1:
            lines.append(f"    {kind.name} {{")
            for field in kind.fields:
                lines += [f"        /// {without_lists(field.doc)}", f"        {field.name}: {_type(field)},"]
            lines.append("    },")
        else:
            lines.append(f"    {kind.name}{''.join(f'({_type(field)})' for field in kind.fields)},")
    lines.append("    /// Something that only a newer version of this library knows. Only its index can answer with it.")
    return "\n".join([*lines, "    Newer,", "}", ""])


def _type(field: Field) -> str:
    if field.enum:
        return f"Option<{field.enum}>" if field.none else field.enum
    return _TYPES.get(field.meaning, "usize")


def _action_reading(kinds: Sequence[Kind]) -> str:
    lines = ["impl Action {", "    pub(crate) fn read(message: &wire::Action) -> Result<Self, Unreadable> {"]
    lines += ["        Ok(match &message.kind {", "            None => Self::Newer,"]
    for kind in kinds:
        lines += _read(kind)
    lines += ["        })", "    }", ""]
    lines += ["    /// Its message; none for what only a newer version knows."]
    lines += ["    pub(crate) fn message(&self) -> Option<wire::Action> {"]
    lines += ["        // A bot's author can write any number here. The referee refuses one beyond 32 bits."]
    lines += ["        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);"]
    lines += ["        let kind = match self {"]
    for kind in kinds:
        lines += _write(kind)
    lines += ["            Self::Newer => return None,", "        };"]
    return "\n".join([*lines, "        Some(wire::Action { kind: Some(kind) })", "    }", "}", ""])


def _read(kind: Kind) -> list[str]:
    head = f"            Some(Kind::{kind.name}({'it' if kind.fields else '_'})) => "
    if not kind.fields:
        return [f"{head}Self::{kind.name},"]
    values = [(field.name, _value(kind, field)) for field in kind.fields]
    if kind.has(Meaning.ENUM):
        return _read_enum(head, kind)
    if len(values) == 1:
        return _arm(head, [f"Self::{kind.name}({values[0][1]})"])
    return _arm(head, _literal(f"Self::{kind.name}", values))


def _read_enum(head: str, kind: Kind) -> list[str]:
    (field,) = kind.fields  # with more of them, what an unknown value makes of the action would have to be thought of
    unspecified = f"                Ok({field.enum}::Unspecified) | Err(_) => Self::Newer,"
    known = [unspecified, f"                Ok({camel(field.name)}) => Self::{kind.name}({camel(field.name)}),"]
    if field.none:
        nothing = f"                Ok({field.enum}::{pascal(field.none.lower())}) => Self::{kind.name}(None),"
        known = [
            nothing,
            unspecified,
            f"                Ok({camel(field.name)}) => Self::{kind.name}(Some({camel(field.name)})),",
        ]
    return [f"{head}match {field.enum}::try_from(it.{field.name}) {{", *known, "            },"]


def _value(kind: Kind, field: Field) -> str:
    check = _CHECKS.get(field.meaning)
    if check is None:
        return f"it.{field.name}"
    reference = "&" if field.meaning is Meaning.SHARES else ""
    return f'{check}({reference}it.{field.name}, "{kind.field}.{field.name}")?'


def _write(kind: Kind) -> list[str]:
    names = ", ".join(field.name for field in kind.fields)
    if not kind.fields:
        return [f"            Self::{kind.name} => Kind::{kind.name}(wire::{kind.name} {{}}),"]
    pattern = f"({names})" if len(kind.fields) == 1 else f" {{ {names} }}"
    content = _literal(f"wire::{kind.name}", [(field.name, _written(field)) for field in kind.fields])
    call = f"Kind::{kind.name}("
    body = [f"{call}{content[0]})", f"{call}{content[1]}", *content[2:-1], f"{content[-1]})"]
    return _arm(f"            Self::{kind.name}{pattern} => ", body)


def _written(field: Field) -> str:
    if field.meaning is Meaning.ENUM:
        return (
            f"{field.name}.unwrap_or({field.enum}::{pascal(field.none.lower())}).into()"
            if field.none
            else f"(*{field.name}).into()"
        )
    if field.meaning is Meaning.SHARES:
        return f"{field.name}.to_vec()"
    is_index = field.meaning in (Meaning.CHAIN, Meaning.SQUARE, Meaning.SEAT)
    return f"number(*{field.name})" if is_index else f"*{field.name}"


def _literal(name: str, values: Sequence[tuple[str, str]]) -> list[str]:
    """A literal on one line, then the lines of the same on several."""
    members = [f"{field}: {value}" for field, value in values]
    return [f"{name} {{ {', '.join(members)} }}", f"{name} {{", *[f"    {member}," for member in members], "}"]


def _arm(head: str, body: Sequence[str]) -> list[str]:
    """An arm of a match: on one line, else in a block, else on several lines; the body as `_literal` gives it."""
    line, *lines = body
    if len(f"{head}{line},") <= WIDTH:
        return [f"{head}{line},"]
    indent = " " * 12
    if len(f"{indent}    {line}") <= WIDTH or not lines:
        return [f"{head}{{", f"{indent}    {line}", f"{indent}}}"]
    if len(f"{head}{lines[0]}") <= WIDTH:
        return [f"{head}{lines[0]}", *[f"{indent}{each}" for each in lines[1:-1]], f"{indent}{lines[-1]},"]
    return [f"{head}{{", *[f"{indent}    {each}" for each in lines], f"{indent}}}"]
