"""Text from outside is made safe to draw, and keeps its length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from wcwidth import wcwidth

from tui.text import one_line, plain, query_line, sanitise, spaced

HOSTILE = "a\x1b]52;c;QUJD\x07b\x1b[2Jc\x9bd\u202eRLO\x00\x08"


def test_control_sequences_of_a_document_are_shown_and_not_sent():
    """UI-03."""
    assert sanitise(HOSTILE) == "a␛]52;c;QUJD␇b␛[2Jc\ufffdd\ufffdRLO␀␈"


@given(st.text(st.characters(), max_size=60))
def test_no_control_or_bidi_character_is_left_and_the_length_stays(text):
    for shown in (sanitise(text), one_line(text), spaced(text)):
        assert len(shown) == len(text)
        assert not any(ord(c) < 32 and c not in "\t\n" for c in shown)
        assert not any(0x7F <= ord(c) <= 0x9F or 0xD800 <= ord(c) <= 0xDFFF for c in shown)
        assert not set(shown) & set(
            "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\u2028\u2029"
        )
    assert "\n" not in one_line(text)
    assert "\t" not in one_line(text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_sanitising_twice_changes_nothing_more(text):
    assert sanitise(sanitise(text)) == sanitise(text)


@pytest.mark.parametrize("text", ["❤️ ok", "👩‍💻", "👍🏽", "🇨🇳", "foo\u200bbar", "ﾊﾝｶｸ", "葛\U000e0100"])
def test_after_it_every_terminal_agrees_on_the_width(text):
    """UI-05: sequences whose width differs between terminals are taken apart."""
    shown = sanitise(text)
    assert cell_len(shown) == sum(wcwidth(character) for character in shown)


def test_lines_end_where_the_design_says():
    assert sanitise("a\r\nb\rc\nd\x0be") == "a \nb\nc\nd␋e"


def test_a_row_shows_its_line_ends_and_tabs():
    assert one_line("a\tb\nc") == "a␉b␊c"
    assert spaced("a\tb\nc") == "a b c"


@pytest.mark.parametrize(
    "text", ["[/]", "[/bold]", "x[/", "[b", "[0] x", "[link=a:1]b[/link]", "[@click=app.quit]x[/]"]
)
def test_content_is_never_markup(text):
    """UI-01, UI-02."""
    content = plain(text)
    assert content.plain == text
    assert not content.spans


def test_clean_text_is_returned_as_it_is():
    text = "任务自动重试 plain\n"
    assert sanitise(text) is text


def test_a_pasted_text_becomes_a_query_of_one_line_and_says_what_was_cut():
    """UI-06."""
    assert query_line("q\nd\r\ny\n", 100) == ("q d y ", 0)
    assert query_line("a\x1b[201~q\x00b", 100) == ("a[201~qb", 0)
    assert query_line("x" * 50, 40) == ("x" * 40, 10)
