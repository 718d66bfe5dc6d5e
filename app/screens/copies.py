"""Copying an answer, or one of the code blocks of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.controllers.text_layout import counted

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen

BLOCKS_LISTED = 200


class CopyCommands:
    """``/copy``: the newest answer, or a code block; of several blocks the person chooses one."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen

    async def copy(self, what: str) -> None:
        row = self._screen.transcript.last_reply()
        if row is None:
            self._screen.say("There is no answer to copy yet.")
        elif what == "code":
            self._copy_code()
        elif what:
            self._screen.say("Write /copy for the last answer, or /copy code for a code block.")
        else:
            self._screen.copy(row.text(), "the last answer")

    def _copy_code(self) -> None:
        from app.controllers.markdown_lines import code_blocks
        from app.screens.picker import PickerScreen, PickItem

        replies = [row for row in reversed(self._screen.transcript.rows) if row.kind == "assistant"]
        blocks = [block for row in replies for block in reversed(code_blocks(row.text()))][:BLOCKS_LISTED]
        if not blocks:
            self._screen.say("No answer has a code block yet.")
            return
        if len(blocks) == 1:
            self._screen.copy(blocks[0], "the code block")
            return
        items = [
            PickItem(str(index), _first_line(block), counted(len(block.splitlines()), "line"))
            for index, block in enumerate(blocks)
        ]

        async def show(index: str) -> str:
            return blocks[int(index)]

        def chosen(index: str | None) -> None:
            if index is not None:
                self._screen.copy(blocks[int(index)], "the code block")

        picker = PickerScreen("Copy a code block, newest first", items, mark=self._screen.marks.selected, detail=show)
        self._screen.skilldeck.push_screen(picker, chosen)


def _first_line(block: str) -> str:
    return next((line.strip() for line in block.splitlines() if line.strip()), "(empty)")
