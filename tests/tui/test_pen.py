"""What is sent shortened draws the very same screen."""

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.pen import PLAIN, Pen, Shortener, change, styled

PIECES = st.sampled_from(
    [
        "\x1b[0m", "\x1b[1m", "\x1b[4m", "\x1b[7m", "\x1b[1;38;2;1;2;3;48;2;4;5;6m", "\x1b[38;5;9m", "\x1b[31m",
        "\x1b[97;104m", "\x1b[22m", "\x1b[24;27m", "\x1b[39;49m", "\x1b[2;3H", "\x1b[1;1H", "\x1b[K", "\x1b[2J",
        "\r\n", "重试 a", "  ", "x", " b ", "\x1b[9m", "\x1b[3;23m", "\x1b[m",
    ]
)  # fmt: skip


def drawn(text: str) -> list[list[tuple]]:
    """Every cell as it is seen: what cannot be seen on a blank does not count."""
    screen = pyte.Screen(12, 5)
    pyte.Stream(screen).feed(text)
    cells = []
    for y in range(5):
        for x in range(12):
            cell = screen.buffer[y][x]
            if cell.data == " " and not (cell.underscore or cell.reverse or cell.strikethrough):
                cells.append((" ", cell.bg))
            else:
                cells.append(tuple(cell))
    return cells


@given(st.lists(st.lists(PIECES, max_size=12), max_size=4))
@settings(max_examples=300)
def test_the_screen_is_the_same(writes):
    texts = ["".join(pieces) for pieces in writes]
    pen = Shortener()
    assert drawn("".join(pen.shorten(text) for text in texts)) == drawn("".join(texts))


def test_a_reset_between_pieces_of_one_style_is_not_sent():
    style = "\x1b[38;2;198;202;209;48;2;21;23;27m"
    text = f"{style}a\x1b[0m{style}b\x1b[0m\x1b[1;38;2;198;202;209;48;2;21;23;27mc\x1b[0m"
    assert Shortener().shorten(text) == f"{style}ab\x1b[1mc"


def test_blanks_do_not_change_the_colour_of_the_letters():
    text = "\x1b[31ma\x1b[0m\x1b[32m  \x1b[0m\x1b[31mb\x1b[0m"
    assert Shortener().shorten(text) == "\x1b[31ma  b"


def test_the_shorter_way_is_taken():
    assert change(Pen(flags=frozenset({"bold"})), PLAIN) == "\x1b[m"
    assert change(Pen("31", "", frozenset({"bold"})), Pen("31")) == "\x1b[22m"
    assert styled(PLAIN, "1;31;0") == PLAIN
