"""The field in which a text is edited draws every row whole, whatever the text's line ends are, and keeps it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult

from tui.veil import veilable
from tui.widgets.document_area import Area

TEXTS = (
    "# 标题\r\n\r\n| 参数 | 默认值 |\r\n第三行，" + "长" * 60 + "\r\n",
    "lone\rreturn\rin a line\n",
    "\x1b[2J\u202eabc\u202c\r\n\t👨‍👩‍👧 🇨🇳 é\u0301\n",
    "",
)


class Edited(App[None]):
    def compose(self) -> ComposeResult:
        yield Area(id="edit")


async def rows_of(text: str, size: tuple[int, int] = (40, 20)) -> tuple[str, list[str]]:
    app = Edited()
    async with app.run_test(size=size) as pilot:
        area = app.query_one(Area)
        area.put(text)
        await pilot.pause()
        return area.content, ["".join(segment.text for segment in area.render_line(y)) for y in range(10)]


@pytest.mark.parametrize("text", TEXTS)
async def test_rows_are_whole_and_the_text_is_kept(text: str) -> None:
    content, rows = await rows_of(text)
    assert content == text
    assert len({cell_len(row) for row in rows}) == 1
    assert all(row.isprintable() for row in rows)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet="ab 长\r\n\t\x00\x1b\u2028", max_size=60))
async def test_any_text_is_drawn_row_by_row(text: str) -> None:
    assert veilable(text)
    content, rows = await rows_of(text)
    assert content == text
    assert all(row.isprintable() for row in rows)
