"""A set against a library: what does not fit stops it, and documents that must be absent are taken away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import SetError
from engine.evaluate.fit import fitted, without_absent
from engine.evaluate.run import Plan, Variant
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence
from engine.library import Library
from engine.settings import Chunking, Embedding, Retrieval, Settings
from engine.store.places import locate
from tests.evaluate.test_run import run

HASH = Settings(
    embedding=Embedding(provider="hash"), chunking=Chunking(target_characters=400, overlap_characters=0)
)
PAGE = "# Guide\n\n" + "The queue keeps letters. " * 14 + "\n\n" + "Workers wait for a lease. " * 14 + "\n"


async def synced(root: Path, settings: Settings = HASH) -> Library:
    library = await Library.open(root, settings=settings)
    async for _ in library.sync(cancel=CancelToken()):
        pass
    return library


def of(*pieces: Evidence, **fields: object) -> EvaluationSet:
    cases = tuple(Case(f"q{n}", "queue?", claims=(Claim("1", (piece,)),)) for n, piece in enumerate(pieces))
    return EvaluationSet(1, "set", cases, **fields)  # type: ignore[arg-type]


async def test_every_piece_gets_its_place_and_its_words(tmp_path: Path):
    (tmp_path / "a.md").write_text("# A\n\nThe queue.\n")
    async with await synced(tmp_path) as library:
        found = fitted(library, of(Evidence("a.md", "queue"), Evidence("a.md", start=9, end=14)))
    assert [piece for case in found.cases.cases for piece in case.evidence] == [
        Evidence("a.md", "queue", 9, 14)
    ] * 2


async def test_what_does_not_fit_stops_the_run_or_is_left_out_and_counted(tmp_path: Path):
    (tmp_path / "a.md").write_text("# A\n\nThe queue.\n")
    wrong = of(Evidence("a.md", "queue"), Evidence("a.md", "lease"), Evidence("b.md", "queue"))
    async with await synced(tmp_path) as library:
        with pytest.raises(SetError, match="--skip-invalid"):
            fitted(library, wrong)
        found = fitted(library, wrong, skip_invalid=True)
    assert found.invalid == ("q1", "q2")
    assert [case.id for case in found.cases.cases] == ["q0"]


async def test_evidence_that_boundaries_cut_and_the_context_joins_is_in_the_context(tmp_path: Path):
    (tmp_path / "a.md").write_text(PAGE)
    across = PAGE[PAGE.index("letters. \n") : PAGE.index("wait for") + 4]
    async with await synced(tmp_path) as library:
        cases = fitted(library, of(Evidence("a.md", across))).cases
        (found,) = await run(library, Plan(cases, (Variant("all", Retrieval(adjacent_chunk_count=2)),)))
    assert found.outcomes[0].rank is None
    assert found.outcomes[0].grades == {"q0#1": 1}
    assert found.outcomes[0].layer == "context"


# --- documents that must be absent ---------------------------------------------------------------------------


def corpus(folder: Path, *ids: str) -> Path:
    rows = [{"_id": name, "title": "", "text": f"The {name} waits in the queue."} for name in ids]
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


async def test_a_copy_of_the_corpus_lacks_what_must_be_absent_and_the_library_keeps_it(tmp_path: Path):
    cases = of(Evidence("corpus.jsonl#a"), absent=("corpus.jsonl#b",))
    async with await synced(corpus(tmp_path / "lib", "a", "b", "c")) as library:
        with pytest.raises(SetError, match="expects to be absent"):
            fitted(library, cases)
        folder = without_absent(library, cases)
        assert folder is not None
        assert (await library.status()).documents == 3
        async with await synced(folder) as rest:
            assert (await rest.status()).documents == 2
            assert fitted(rest, cases).cases.cases[0].evidence[0].file == "corpus.jsonl#a"
            assert without_absent(rest, cases) is None
            same = {chunk.chunk_id for chunk in (await rest.recall("queue")).chunks}
        assert same < {chunk.chunk_id for chunk in (await library.recall("queue")).chunks}
        assert without_absent(library, cases) == folder


async def test_what_was_embedded_is_not_embedded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cases = of(Evidence("corpus.jsonl#a"), absent=("corpus.jsonl#b",))
    async with await synced(corpus(tmp_path / "lib", "a", "b")) as library:
        folder = without_absent(library, cases)
    assert folder is not None
    assert locate(folder).cache.exists()
    monkeypatch.setattr(
        "engine.embedding.builtin.HashEmbedder.embed", lambda *_, **__: pytest.fail("embedded again")
    )
    async with await synced(folder) as rest:
        assert (await rest.status()).vectors_ready == 1
