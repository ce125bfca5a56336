"""`Unchecked[T]`: an argument that should be a T, as type checkers see to it, and may be anything.

To them it is T itself. mypyc is told to know nothing of this module: compiled code would otherwise refuse an argument of another
type with a `TypeError` of its own, before a check here can say what is wrong with it, in the same words in both builds.
"""

from typing import Annotated, TypeAlias, TypeVar

T = TypeVar("T")
Unchecked: TypeAlias = Annotated[T, "unchecked"]
