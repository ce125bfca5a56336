"""Every error that a source file raises, so that a test can check that each of them is shown."""

import ast
from collections.abc import Collection


def reasons_in(source: str, kinds: Collection[str]) -> set[tuple[str, str]]:
    """The errors of some kinds that a source file raises: kind and reason, if the reason is a literal."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {
        (call.func.id, call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in kinds
        if isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    }
