"""The heights of very many rows: where a row begins, and which row a line belongs to, in logarithmic time."""

from __future__ import annotations

from collections.abc import Sequence


class RowHeights:
    """A binary indexed tree over heights in lines."""

    def __init__(self, heights: Sequence[int] = ()) -> None:
        self._heights: list[int] = []
        self._tree: list[int] = [0]
        self.reset(heights)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    @property
    def total(self) -> int:
        return self.before(len(self._heights))

    def reset(self, heights: Sequence[int]) -> None:
        """Takes over all heights anew, in linear time."""
        self._heights = list(heights)
        tree = [0, *self._heights]
        for index in range(1, len(tree)):
            parent = index + (index & -index)
            if parent < len(tree):
                tree[parent] += tree[index]
        self._tree = tree

    def append(self, height: int) -> None:
        self._heights.append(height)
        index = len(self._heights)
        low = index - (index & -index)
        self._tree.append(self.before(index - 1) - self.before(low) + height)

    def cut(self, count: int) -> None:
        """Forgets all but the first ``count`` heights."""
        del self._heights[count:]
        del self._tree[count + 1 :]

    def set(self, index: int, height: int) -> int:
        """Changes one height; returns by how much it grew."""
        grown = height - self._heights[index]
        if grown:
            self._heights[index] = height
            at = index + 1
            while at < len(self._tree):
                self._tree[at] += grown
                at += at & -at
        return grown

    def before(self, index: int) -> int:
        """The lines of all rows ahead of ``index``: the line where that row begins."""
        total = 0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def at(self, line: int) -> tuple[int, int]:
        """The row that holds ``line``, and the line's offset in it; the row count when it lies beyond the end."""
        index = 0
        step = 1 << len(self._heights).bit_length()
        while step:
            following = index + step
            if following < len(self._tree) and self._tree[following] <= line:
                index = following
                line -= self._tree[following]
            step >>= 1
        return index, line
