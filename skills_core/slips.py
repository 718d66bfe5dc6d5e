"""How many slips of the finger lie between two words."""

from __future__ import annotations


def slips_between(one: str, other: str, limit: int) -> int:
    """Letters added, left out, changed, or exchanged with their neighbour; above ``limit`` some larger number."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    previous = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, against in enumerate(other, 1):
            cost = previous[column - 1] + (letter != against)
            cost = min(cost, previous[column] + 1, current[column - 1] + 1)
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, previous = previous, current
    return previous[-1]
