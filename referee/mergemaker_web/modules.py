"""The viewer's modules as one script, for a page that may load nothing.

There is no build step: the modules work as they are where a server sends them. Here each becomes a function that returns what
it exports, one after the other. For that they keep to a few forms, which are checked: a module imports names from its own
folder by their own names, no two modules export the same name, and only the entry may `await` at its top level.
"""

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

_IMPORT: Final = re.compile(r'^import \{(?:\s*\w+,)*(?:\s*\w+)?\s*\} from "\./([a-z0-9_]+\.js)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_LEFT_OVER: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_COMMENT_LINE: Final = re.compile(r"^ *(?://|/\*\*|\*).*\n", re.MULTILINE)
_INDENT: Final = re.compile(r"^ +", re.MULTILINE)


def static_text(name: str) -> str:
    """A file of the viewer: a module, the style sheet, or a page's frame."""
    return files("mergemaker_web").joinpath("static", name).read_text("utf-8")


def one_script(entry: str) -> str:
    """A module with all that it imports, as one script without comments and indentation."""
    texts = dict(_in_order(entry, ()))
    owners: dict[str, str] = {}
    parts = []
    for module, text in texts.items():
        exported = _EXPORT.findall(text)
        for name in exported:
            if owners.setdefault(name, module) != module:
                raise ValueError(f"{owners[name]} and {module} both export {name}: rename one of them")
        bare = _EXPORT.sub("", text)
        parts.append(bare if module == entry else _as_function(bare, exported))
    return "".join(_INDENT.sub("", _COMMENT_LINE.sub("", part)) for part in parts)


def _as_function(text: str, exported: list[str]) -> str:
    names = ", ".join(exported)
    return f"const {{ {names} }} = (() => {{\n{text}return {{ {names} }};\n}})();\n"


def _in_order(name: str, importers: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The modules that a module needs, without their imports, then the module itself; some of them several times."""
    if name in importers:
        raise ValueError(f"modules import each other in a circle: {' > '.join((*importers, name))}")
    text = static_text(name)
    for needed in _IMPORT.findall(text):
        yield from _in_order(needed, (*importers, name))
    bare = _IMPORT.sub("", text)
    strange = _LEFT_OVER.search(_EXPORT.sub("", bare))
    if strange:
        raise ValueError(f'{name} has {strange[0]!r}: write import {{ … }} from "./name.js", or export before a definition')
    yield name, bare
