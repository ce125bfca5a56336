"""Python: the handlers of a bot, as ruff would write them."""

from typing import Final

from sdk_makers.model import MADE_BY, Protocol

HEADER: Final = f'''"""A bot's handlers, one for each kind of decision.

Made by {MADE_BY} from the .proto files. Do not edit it.
"""

from mergemaker_client.answer import Answer
from mergemaker_client.turn import Turn
'''


def files(protocol: Protocol) -> dict[str, str]:
    """The files by their paths in clients/python."""
    classes = [
        _class(protocol, "Handlers", "", "What a bot answers"),
        _class(protocol, "AsyncHandlers", "async ", "What an async bot answers"),
    ]
    return {"mergemaker_client/handlers.py": "\n".join([HEADER, *classes])}


def _class(protocol: Protocol, name: str, word: str, what: str) -> str:
    lines = [
        "",
        f"class {name}:",
        f'    """{what}, by the kind of decision. A method that you do not write takes the default."""',
    ]
    for kind in protocol.questions:
        lines += [
            "",
            f"    {word}def {kind.field}(self, turn: Turn) -> Answer:",
            f'        """{kind.brief}"""',
            "        return turn.default",
        ]
    return "\n".join([*lines, ""])
