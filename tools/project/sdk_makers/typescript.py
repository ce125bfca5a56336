"""TypeScript: the handlers of a bot and what makes actions, as prettier would write them."""

from collections.abc import Sequence
from typing import Final

from sdk_makers.model import MADE_BY, Field, Kind, Meaning, Protocol, camel, lowered

WIDTH: Final = 120
BY_HAND: Final = ("OfferTrade",)
"""Made by functions of `src/actions.ts`, which take more than a field each."""
HANDLERS: Final = f"""/** A bot's handlers. Made by {MADE_BY} from the .proto files. Do not edit it. */

import type {{ Handler }} from "../bot.js";

/** One handler for each kind of question. */
export interface Handlers {{
%s
}}
"""
ACTIONS: Final = f"""/** Actions, by kind. Made by {MADE_BY} from the .proto files. Do not edit it. */

import {{ create }} from "@bufbuild/protobuf";

import {{ ActionSchema, type Action%s }} from "../wire/actions_pb.js";

%s
"""
_TYPES: Final = {Meaning.FLAG: "boolean", Meaning.CHAINS: "readonly number[]", Meaning.SHARES: "readonly number[]"}
_LATER: Final = ("declare",)
"""May be left out: it is false then."""


def files(protocol: Protocol) -> dict[str, str]:
    """The files by their paths in clients/typescript."""
    handlers = []
    for kind in protocol.questions:
        name = camel(kind.field)
        handlers += [f"  /** {kind.brief} */", f'  {name}?: Handler<"{name}">;']
    kinds = [kind for kind in protocol.actions if kind.name not in BY_HAND]
    enums = sorted({field.enum for kind in kinds for field in kind.fields if field.enum})
    imported = "".join(f", type {enum}" for enum in enums)
    return {
        "src/kinds/handlers.ts": HANDLERS % "\n".join(handlers),
        "src/kinds/actions.ts": ACTIONS % (imported, "\n\n".join(map(_made, kinds))),
    }


def _made(kind: Kind) -> str:
    name = camel(kind.field)
    names = {field.name: camel(field.name) if camel(field.name) != name else "isDone" for field in kind.fields}
    parameters = [_parameter(field, names[field.name]) for field in kind.fields]
    head = [f"export function {name}({', '.join(parameters)}): Action {{"]
    if len(head[0]) > WIDTH:
        head = [f"export function {name}(", *[f"  {each}," for each in parameters], "): Action {"]
    return "\n".join([*_doc(kind), *head, *_body(name, [_content(field, names[field.name]) for field in kind.fields]), "}"])


def _body(name: str, content: Sequence[str]) -> list[str]:
    """The literal on as few lines as prettier would put it."""
    value = f"value: {{ {', '.join(content)} }}" if content else "value: {}"
    line = f'  return create(ActionSchema, {{ kind: {{ case: "{name}", {value} }} }});'
    if len(line) <= WIDTH:
        return [line]
    kind = f'    kind: {{ case: "{name}", {value} }},'
    if len(kind) <= WIDTH:
        return ["  return create(ActionSchema, {", kind, "  });"]
    values = [f"      {value},"]
    if len(values[0]) > WIDTH:
        values = ["      value: {", *[f"        {each}," for each in content], "      },"]
    return ["  return create(ActionSchema, {", "    kind: {", f'      case: "{name}",', *values, "    },", "  });"]


def _doc(kind: Kind) -> list[str]:
    if not kind.fields:
        return [f"/** {kind.doc} */"]
    lines = [f"{camel(field.name)} {lowered(field.doc).rstrip('.')}" for field in kind.fields]
    return ["/**", f" * {kind.doc}", " *", *[f" * @param {line}" for line in lines], " */"]


def _parameter(field: Field, name: str) -> str:
    if field.name in _LATER:
        return f"{name} = false"
    return f"{name}: {field.enum or _TYPES.get(field.meaning, 'number')}"


def _content(field: Field, name: str) -> str:
    value = f"[...{name}]" if field.meaning in (Meaning.CHAINS, Meaning.SHARES) else name
    return name if value == camel(field.name) else f"{camel(field.name)}: {value}"
