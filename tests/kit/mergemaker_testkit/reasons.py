"""Every error that a source makes, so that a test can check that each of them is shown."""

import ast
from collections.abc import Collection


def reasons_in(source: str, kinds: Collection[str]) -> set[tuple[str, str]]:
    """The errors of some kinds that a source makes: kind and reason, where the reason is written out."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {
        (call.func.id, call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in kinds
        if isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    }
