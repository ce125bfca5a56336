"""As much linear algebra as ratings of some hundred bots need: the same input gives the same bits on every machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final, TypeAlias

Matrix: TypeAlias = Sequence[Sequence[float]]

_SINGULAR: Final = 1e-9
"""If less than this part of a column is not told by the columns before it, it is left out."""


@dataclass(frozen=True, slots=True)
class Inverse:
    """The inverse of a symmetric matrix without negative directions."""

    rows: tuple[tuple[float, ...], ...]
    """Rows and columns that were left out hold zeros."""
    left_out: tuple[int, ...]
    """Columns that follow from those before them."""

    def times(self, vector: Sequence[float]) -> list[float]:
        """The inverse times a vector."""
        return [dot(row, vector) for row in self.rows]

    def around(self, middle: Matrix) -> list[list[float]]:
        """The inverse times a symmetric matrix times the inverse."""
        half = [[dot(row, column) for column in middle] for row in self.rows]
        return [[dot(row, column) for column in self.rows] for row in half]


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    """The sum of products."""
    return float(sum(map(mul, left, right)))


def inverse(matrix: Matrix) -> Inverse:
    """By Cholesky's decomposition, which leaves out columns that say nothing new."""
    size = len(matrix)
    lower: list[list[float]] = []
    kept: list[int] = []
    for column in range(size):
        row: list[float] = []
        for index, other in enumerate(kept):
            row.append((matrix[column][other] - dot(row, lower[index])) / lower[index][index])
        left = matrix[column][column] - dot(row, row)
        if left > _SINGULAR * max(matrix[column][column], 1.0):
            lower.append([*row, left**0.5])
            kept.append(column)
    of_lower = _inverse_of_lower(lower)
    columns = [[row[index] if index < len(row) else 0.0 for row in of_lower] for index in range(len(kept))]
    rows = [[0.0] * size for _ in range(size)]
    for index, column in enumerate(kept):
        for other_index, other in enumerate(kept[: index + 1]):
            rows[column][other] = rows[other][column] = dot(columns[index], columns[other_index])
    return Inverse(tuple(map(tuple, rows)), tuple(column for column in range(size) if column not in {*kept}))


def _inverse_of_lower(lower: list[list[float]]) -> list[list[float]]:
    """The inverse of a lower triangle, as a lower triangle."""
    columns: list[list[float]] = []
    for start in range(len(lower)):
        column = [1 / lower[start][start]]
        for row in range(start + 1, len(lower)):
            column.append(-dot(lower[row][start:row], column) / lower[row][row])
        columns.append(column)
    return [[columns[column][row - column] for column in range(row + 1)] for row in range(len(lower))]
