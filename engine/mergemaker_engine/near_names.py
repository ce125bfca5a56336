"""Suggestions for an unknown name: in configuration files, on the command line, in a bot's options."""

import re
from collections.abc import Iterable
from typing import Final

_NEAREST_NAMES_MAX: Final = 3
_PART_CHARACTERS_MIN: Final = 4
"""From this length on, a part of a known name matches it, and so does a text that is close to one of its words."""
_LIKE_A_WORD: Final = 0.75
"""How close a word must be. Words are short, so more of them are alike by chance than whole names are."""
_BETWEEN_WORDS: Final = re.compile("[-_ ]")


def nearest_names(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: `; did you mean a or b?`, or nothing if none is like it."""
    import difflib  # noqa: PLC0415 - only after a mistake: it would slow every start of the command

    wanted = name.lower()
    by_small_letters = {other.lower(): other for other in known}
    close = difflib.get_close_matches(wanted, by_small_letters, n=_NEAREST_NAMES_MAX)
    if len(wanted) >= _PART_CHARACTERS_MIN:
        close += [other for other in by_small_letters if wanted in other and other not in close]
        if not close:
            by_word: dict[str, list[str]] = {}
            for other in by_small_letters:
                for word in _BETWEEN_WORDS.split(other):
                    by_word.setdefault(word, []).append(other)
            words = difflib.get_close_matches(wanted, by_word, n=_NEAREST_NAMES_MAX, cutoff=_LIKE_A_WORD)
            close = list(dict.fromkeys(other for word in words for other in by_word[word]))[:_NEAREST_NAMES_MAX]
    return f"; did you mean {' or '.join(by_small_letters[found] for found in close)}?" if close else ""
