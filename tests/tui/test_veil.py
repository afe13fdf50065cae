"""A text goes into an editor and out of it unharmed, whatever it holds."""

from __future__ import annotations

import sys

from hypothesis import given, settings

from tests.tui.documents.texts import texts
from tui.text import SUSPECT, sanitise
from tui.veil import unveil, veil, veilable


@settings(max_examples=150)
@given(texts)
def test_what_is_veiled_comes_back_and_is_safe_meanwhile(text):
    if not veilable(text):
        return
    veiled = veil(text)
    assert len(veiled) == len(text)
    assert unveil(veiled) == text
    assert not SUSPECT.search(veiled)
    assert "\n".join(veiled.split("\n")) == "\n".join(veiled.splitlines()) + "\n" * veiled.endswith("\n")
    assert len(sanitise(unveil(veiled))) == len(text)


def test_every_character_that_is_not_drawn_as_it_is_has_its_own_veil():
    suspects = [chr(code) for code in range(sys.maxunicode + 1) if SUSPECT.match(chr(code))]
    veils = {veil(character) for character in suspects}
    assert len(veils) == len(suspects)
    assert all(unveil(veil(character)) == character for character in suspects)


def test_a_text_of_private_planes_is_not_veilable():
    assert not veilable("a\U000f0041")
    assert veilable("a\ue000")
