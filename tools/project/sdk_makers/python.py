"""Python: the handlers of a bot, and the turns that they get, as ruff would write them."""

from typing import Final

from sdk_makers.model import MADE_BY, Kind, Protocol

HEADER: Final = f'''"""A bot's handlers, one for each kind of decision, and the turn that each of them gets.

Made by {MADE_BY} from the .proto files. Do not edit it.
"""

from typing import TypeAlias

'''


def files(protocol: Protocol) -> dict[str, str]:
    """The files by their paths in clients/python."""
    parts = [
        *_imports(protocol),
        "",
        *[f"{_turn(kind)}: TypeAlias = Turn[{kind.name}, {' | '.join(kind.answers)}]" for kind in protocol.questions],
        "",
        _class(protocol, "Handlers", "", "What a bot answers"),
        _class(protocol, "AsyncHandlers", "async ", "What an async bot answers"),
    ]
    return {"mergemaker_client/handlers.py": HEADER + "\n".join(parts)}


def _turn(kind: Kind) -> str:
    """`ChooseTile` as `TileTurn`."""
    return kind.name.removeprefix("Choose") + "Turn"


def _imports(protocol: Protocol) -> list[str]:
    return [
        "from mergemaker_engine.actions import (",
        *[f"    {name}," for name in sorted({name for kind in protocol.questions for name in kind.answers})],
        ")",
        "from mergemaker_engine.decisions import (",
        *[f"    {name}," for name in sorted(kind.name for kind in protocol.questions)],
        ")",
        "",
        "from mergemaker_client.answer import Answer",
        "from mergemaker_client.turn import Turn",
    ]


def _class(protocol: Protocol, name: str, word: str, what: str) -> str:
    lines = [
        "",
        f"class {name}:",
        f'    """{what}, by the kind of decision. A method that you do not write takes the default."""',
    ]
    for kind in protocol.questions:
        lines += [
            "",
            f"    {word}def {kind.field}(self, turn: {_turn(kind)}) -> Answer:",
            f'        """{kind.brief}"""',
            "        return turn.default",
        ]
    return "\n".join([*lines, ""])
