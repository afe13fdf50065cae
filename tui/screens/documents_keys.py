"""What keys of the Documents screen do to the chunk under the cursor: editing it, and copying from it."""

from __future__ import annotations

from typing import cast

from engine.model import Chunk
from tui.screens.documents_editing import Editing
from tui.screens.documents_frame import DocumentsFrame
from tui.screens.search_copy import Copied, citation
from tui.widgets import figures
from tui.widgets.boundary_bands import NONE


class ChunkKeys(DocumentsFrame):
    """The frame with the keys of one chunk."""

    def __init__(self) -> None:
        super().__init__()
        self.editing = Editing(self, self.asking)

    @property
    def chunk(self) -> Chunk | None:
        """The chunk that serves under the cursor."""
        if self.served is None or self.text.shown is None:
            return None
        place = self.served.reading.bands.near(self.text.cursor)
        return cast("Chunk", self.served.chunks[place]) if place != NONE else None

    # --- editing ---

    def action_chunk_edit(self) -> None:
        if (chunk := self._editable) is not None:
            self.editing.text(chunk)

    def action_chunk_editor(self) -> None:
        if (chunk := self._editable) is not None:
            self.editing.outside(chunk)

    def action_chunk_split(self) -> None:
        if (chunk := self._editable) is not None and self.served is not None:
            self.editing.split(self.served, chunk)

    def action_chunk_merge_next(self) -> None:
        self._merge(1)

    def action_chunk_merge_previous(self) -> None:
        self._merge(-1)

    def _merge(self, step: int) -> None:
        if self._editable is not None and self.served is not None:
            self.editing.merge(self.served, self.text.chunk, step)

    def action_chunk_switch(self) -> None:
        if (chunk := self._editable) is not None:
            self.editing.switch(chunk)

    def action_chunk_delete(self) -> None:
        if (chunk := self._editable) is not None:
            self.editing.bin(chunk)

    @property
    def _editable(self) -> Chunk | None:
        """The chunk under the cursor, where it can be edited; why not is said."""
        chunk = self.chunk
        return chunk if self.editing.may(chunk, previewed=self.previewed) else None

    # --- copying ---

    def action_copy_text(self) -> None:
        if self.chunk is not None:
            self._copy(Copied(self.chunk.text, f"{figures.plural(len(self.chunk.text), 'character')}"))

    def action_copy_id(self) -> None:
        if (chunk := self.chunk) is not None:
            self._copy(Copied(chunk.chunk_id, f"the id {chunk.chunk_id}"))

    def action_copy_citation(self) -> None:
        if self.chunk is not None:
            self._copy(citation(self.chunk))

    def _copy(self, what: Copied) -> None:
        self.app.copy_to_clipboard(what.text)
        self.remark(f"copied {what.name}")
