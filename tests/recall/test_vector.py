"""The vector channel equals float64 brute force over what the principal may see, in bounded memory."""

from __future__ import annotations

import os
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.errors import Cancelled, EmbedderError
from engine.recall import vector
from engine.recall.vector import VectorHits, rank_of, scan, similarities
from engine.store import vector_pages, vectors
from engine.store.vectors import SlotRow, append, compact, remove

MIB = 1 << 20


class Index:
    """A database with one page file, and the vectors as they are stored, for the brute force beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.executescript(vectors.SCHEMA)
        self.rows: dict[int, np.ndarray] = {}
        self.labels: dict[int, int] = {}

    def add(
        self, cids: Sequence[int], matrix: np.ndarray, label_sets: Sequence[int] | None = None
    ) -> tuple[int, ...]:
        matrix = np.asarray(matrix, dtype=np.float32)
        labels = label_sets or [1] * len(cids)
        given_rows = [SlotRow(int(cid), label, "") for cid, label in zip(cids, labels, strict=True)]
        refused = append(self.connection, self.folder, "f", given_rows, matrix)
        for row, unit in zip(given_rows, vectors.normalised(matrix), strict=True):
            if row.cid not in refused:
                self.rows[row.cid] = unit
                self.labels[row.cid] = row.label_set
        return refused

    def remove(self, cids: Sequence[int]) -> None:
        remove(self.connection, cids)
        for cid in cids:
            self.rows.pop(cid, None)

    def scan(self, query: np.ndarray, label_sets: Sequence[int] = (1,), **options: object) -> VectorHits:
        given_options = {"depth": 10, "tie_order": sorted, "cancel": CancelToken()} | options
        return scan(self.connection, self.folder, "f", query, label_sets, **given_options)  # type: ignore[arg-type]

    def brute_force(
        self, query: np.ndarray, label_sets: Sequence[int] = (1,), tie: Callable[[int], int] = int
    ) -> list[tuple[int, float]]:
        """All that is visible, best first: (cid, cosine in float64)."""
        cids = [cid for cid in self.rows if self.labels[cid] in label_sets]
        if not cids:
            return []
        matrix = np.array([self.rows[cid] for cid in cids], dtype=np.float64)
        wide = query.astype(np.float64)
        wide = wide / np.sqrt((wide * wide).sum())
        scores = (matrix * wide).sum(axis=1) / np.sqrt((matrix * matrix).sum(axis=1))
        pairs = zip(cids, np.clip(scores, -1, 1).tolist(), strict=True)
        return sorted(pairs, key=lambda pair: (-pair[1], tie(pair[0])))


def pairs(hits: VectorHits) -> list[tuple[int, float]]:
    return list(zip(hits.cids.tolist(), hits.scores.tolist(), strict=True))


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three vectors of four dimensions a page."""
    monkeypatch.setattr(vector_pages, "PAGE_BYTES", 3 * 4 * 4)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    made = Index(tmp_path)
    yield made
    made.connection.close()


def gaussian(count: int, dimensions: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)


# --- exact -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hundred_thousand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Index, np.ndarray]]:
    """100,000 vectors of 32 dimensions: 3,000 near-ties at the cut, 500 exact copies, zeros, NaN, and deletions.

    The near-ties differ from each other by less than float32 can tell in a sum of 32 terms.
    """
    random = np.random.default_rng(1)
    query = random.standard_normal(32).astype(np.float32)
    matrix = random.standard_normal((100_000, 32)).astype(np.float32)
    near = 10 * query + random.standard_normal(32)
    matrix[5_000:8_000] = near + random.standard_normal((3_000, 32)) * 1e-6
    matrix[50_000:50_500] = near
    matrix[99_000:99_050] = 12 * query + random.standard_normal((50, 32))
    matrix[::1_000] = 0
    matrix[1::1_000] = np.nan
    made = Index(tmp_path_factory.mktemp("generation"))
    refused = made.add(range(1, 100_001), matrix)
    assert len(refused) == 200
    made.remove([*range(50_010, 50_100), *range(6_000, 6_500)])
    yield made, query
    made.connection.close()


@pytest.mark.parametrize("depth", [1, 49, 50, 200, 1_000, 3_000])
def test_ids_order_and_scores_are_those_of_float64_brute_force(
    hundred_thousand: tuple[Index, np.ndarray], depth: int
) -> None:
    index, query = hundred_thousand
    hits = index.scan(query, depth=depth, tie_order=lambda cids: sorted(cids, reverse=True))
    assert pairs(hits) == index.brute_force(query, tie=lambda cid: -cid)[:depth]
    assert hits.scanned == hits.of == hits.matched == len(index.rows)


def test_the_rank_of_any_chunk_is_that_of_brute_force(hundred_thousand: tuple[Index, np.ndarray]) -> None:
    index, query = hundred_thousand
    whole = index.brute_force(query)
    for place in (0, 60, 400, 3_100, 90_000, len(whole) - 1):
        cid, score = whole[place]
        found = rank_of(
            index.connection, index.folder, "f", query, [1], cid, tie_order=sorted, cancel=CancelToken()
        )
        assert found is not None
        assert (found.rank, found.score, found.of) == (place + 1, score, len(whole))


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_any_small_index_gives_what_brute_force_gives(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    coordinate = st.sampled_from([-1.0, 0.0, 1e-4, 0.5, 1.0])
    matrix = data.draw(st.lists(st.lists(coordinate, min_size=4, max_size=4), min_size=1, max_size=20))
    labels = data.draw(st.lists(st.integers(1, 3), min_size=len(matrix), max_size=len(matrix)))
    query = np.array(data.draw(st.lists(coordinate, min_size=4, max_size=4).filter(any)), dtype=np.float32)
    gone = data.draw(st.lists(st.integers(1, 20), max_size=5))
    seen = data.draw(st.lists(st.integers(1, 3), max_size=3, unique=True))
    minimum = data.draw(st.sampled_from([0.0, 0.5, 1 / 3]))
    depth = data.draw(st.integers(1, 25))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_pages, "PAGE_BYTES", 3 * 4 * 4)
        index = Index(tmp_path_factory.mktemp("generation"))
        index.add(range(1, len(matrix) + 1), np.array(matrix), labels)
        index.remove(gone)
        hits = index.scan(query, seen, depth=depth, minimum_similarity=minimum)
        whole = index.brute_force(query, seen)
        kept = [pair for pair in whole if not minimum or pair[1] >= minimum]
        assert pairs(hits) == kept[:depth]
        assert (hits.matched, hits.of) == (len(kept), len(whole))
        for place, (cid, score) in enumerate(whole[:3]):
            found = rank_of(
                index.connection, index.folder, "f", query, seen, cid, tie_order=sorted, cancel=CancelToken()
            )
            assert found is not None
            assert (found.rank, found.score) == (place + 1, score)
        index.connection.close()


def test_copies_score_exactly_the_same_and_stand_in_the_order_of_ties(index: Index) -> None:
    index.add(range(1, 8_001), np.tile(gaussian(1, 100), (8_000, 1)))
    hits = index.scan(gaussian(1, 100, seed=3)[0], depth=5, tie_order=lambda cids: sorted(cids, reverse=True))
    assert hits.cids.tolist() == [8_000, 7_999, 7_998, 7_997, 7_996]
    assert len(set(hits.scores.tolist())) == 1


def test_a_vector_found_by_itself_scores_one_and_its_opposite_minus_one(index: Index) -> None:
    index.add([1, 2], np.array([[1, 2, 3, 4], [-1, -2, -3, -4]]))
    hits = index.scan(np.array([2, 4, 6, 8], dtype=np.float32))
    assert hits.cids.tolist() == [1, 2]
    assert hits.scores == pytest.approx([1, -1], abs=1e-7)
    assert np.abs(hits.scores).max() <= 1


def test_similarities_are_the_scores_of_the_scan_bit_for_bit(index: Index, small_pages: None) -> None:
    index.add(range(1, 30), gaussian(29))
    query = gaussian(1, seed=9)[0]
    for _ in range(2):  # unchecked pages are read whole, known ones row by row
        hits = index.scan(query, depth=29)
        cids = [*hits.cids.tolist(), 99]
        found = similarities(index.connection, index.folder, "f", query, cids)
        assert found[:-1].tobytes() == hits.scores.tobytes()
        assert np.isnan(found[-1])


# --- who sees what ---------------------------------------------------------------------------------------------


def test_what_public_gets_has_the_same_bytes_whatever_restricted_vectors_lie_between(
    tmp_path: Path, small_pages: None
) -> None:
    matrix, query = gaussian(40), gaussian(1, seed=5)[0]
    matrix[7] = matrix[3]
    for name in ("alone", "mixed"):
        (tmp_path / name).mkdir()
    alone, mixed = Index(tmp_path / "alone"), Index(tmp_path / "mixed")
    alone.add(range(1, 41), matrix)
    for place in range(40):
        mixed.add([place + 1], matrix[place : place + 1])
        mixed.add([1_000 + 2 * place, 1_001 + 2 * place], np.array([query, -query]), [2, 2])
    first, second = alone.scan(query), mixed.scan(query)
    assert first.cids.tobytes() == second.cids.tobytes()
    assert first.scores.tobytes() == second.scores.tobytes()
    assert (first.scanned, first.left_out, first.matched) == (second.scanned, second.left_out, second.matched)
    assert mixed.scan(query, [1, 2]).scores[0] == pytest.approx(1)
    for made in (alone, mixed):
        made.connection.close()


def test_compaction_changes_no_byte_of_an_answer(index: Index, small_pages: None) -> None:
    index.add(range(1, 31), gaussian(30))
    index.remove(range(2, 20))
    query = gaussian(1, seed=5)[0]
    before = index.scan(query)
    compact(index.connection, index.folder, "f", cancel=CancelToken())
    after = index.scan(query)
    assert (before.cids.tobytes(), before.scores.tobytes()) == (after.cids.tobytes(), after.scores.tobytes())


def test_one_thread_and_two_give_the_same_bytes(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    index.add(range(1, 401), gaussian(400, 8))
    monkeypatch.setattr(vector_pages, "PAGE_BYTES", 3 << 20)
    query = gaussian(1, 8, seed=5)[0]
    found = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(vector, "_threads", lambda file, threads=threads: threads)
        hits = index.scan(query, depth=50)
        found.append((hits.cids.tobytes(), hits.scores.tobytes()))
    assert len(set(found)) == 1


def test_a_chunk_that_is_not_visible_has_no_rank(index: Index) -> None:
    index.add([1, 2], gaussian(2), [1, 2])
    ask = lambda cid, sets: rank_of(  # noqa: E731
        index.connection, index.folder, "f", gaussian(1)[0], sets, cid, tie_order=sorted, cancel=CancelToken()
    )
    assert ask(2, [1]) is None
    assert ask(99, [1]) is None
    assert ask(2, [1, 2]).of == 2


# --- what cannot take part -------------------------------------------------------------------------------------


def test_an_index_without_vectors_answers_with_none(index: Index) -> None:
    hits = index.scan(gaussian(1)[0])
    assert (len(hits.cids), hits.scanned, hits.left_out, hits.of) == (0, 0, 0, 0)
    assert similarities(index.connection, index.folder, "f", gaussian(1)[0], [1]).tolist() == pytest.approx(
        [np.nan], nan_ok=True
    )


def test_visible_vectors_of_a_damaged_page_are_left_out_and_counted(index: Index, small_pages: None) -> None:
    index.add(range(1, 10), gaussian(9), [1, 1, 1, 1, 2, 1, 1, 1, 1])
    with (index.folder / "vectors-1.f32").open("r+b") as file:
        file.seek(3 * 4 * 4)
        file.write(b"\1\2\3")
    hits = index.scan(gaussian(1, seed=3)[0])
    assert sorted(hits.cids.tolist()) == [1, 2, 3, 7, 8, 9]
    assert (hits.scanned, hits.left_out, hits.of) == (6, 2, 6)
    assert "vectors-1.f32" in hits.damage
    assert np.isnan(similarities(index.connection, index.folder, "f", gaussian(1)[0], [4, 6])).all()


def test_damage_among_what_is_not_visible_is_not_told(index: Index, small_pages: None) -> None:
    index.add(range(1, 7), gaussian(6), [1, 1, 1, 2, 2, 2])
    with (index.folder / "vectors-1.f32").open("r+b") as file:
        file.seek(3 * 4 * 4)
        file.write(b"\1\2\3")
    hits = index.scan(gaussian(1, seed=3)[0])
    assert (hits.scanned, hits.left_out, hits.damage) == (3, 0, "")


def test_a_lost_file_leaves_every_vector_out(index: Index) -> None:
    index.add(range(1, 6), gaussian(5))
    (index.folder / "vectors-1.f32").unlink()
    hits = index.scan(gaussian(1)[0])
    assert (hits.scanned, hits.left_out, len(hits.cids)) == (0, 5, 0)
    assert hits.damage


def test_a_file_cut_short_under_the_scan_leaves_out_what_is_gone(index: Index, small_pages: None) -> None:
    index.add(range(1, 10), gaussian(9))
    assert index.scan(gaussian(1)[0]).scanned == 9
    os.truncate(index.folder / "vectors-1.f32", 3 * 4 * 4 + 5)
    hits = index.scan(gaussian(1)[0])
    assert (hits.scanned, hits.left_out) == (3, 6)


def test_em_08_vectors_of_another_embedder_are_counted_and_never_compared(index: Index) -> None:
    index.add(range(1, 6), gaussian(5))
    hits = scan(
        index.connection,
        index.folder,
        "g",
        gaussian(1)[0],
        [1],
        depth=5,
        tie_order=sorted,
        cancel=CancelToken(),
    )
    assert (len(hits.cids), hits.scanned, hits.left_out) == (0, 0, 5)


@pytest.mark.parametrize("bad", [[0, 0, 0, 0], [np.nan, 1, 0, 0], [np.inf, 0, 0, 0], [1, 2, 3]])
def test_a_query_vector_that_is_none_is_an_error(index: Index, bad: list[float]) -> None:
    index.add([1], gaussian(1))
    with pytest.raises(EmbedderError, match="4 dimensions"):
        index.scan(np.array(bad, dtype=np.float32))


# --- bounds ----------------------------------------------------------------------------------------------------


class CancelAt(CancelToken):
    """Cancels itself at its n-th check."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def check(self) -> None:
        if self.checks + 1 >= self.at:
            self.cancel()
        super().check()


@pytest.mark.parametrize(("threads", "at_most"), [(1, 3), (2, 3)])
def test_a_cancelled_scan_reads_no_page_more(
    index: Index, small_pages: None, monkeypatch: pytest.MonkeyPatch, threads: int, at_most: int
) -> None:
    index.add(range(1, 301), gaussian(300))
    reads: list[int] = []
    original = os.preadv
    monkeypatch.setattr(os, "preadv", lambda *given_call: (reads.append(1), original(*given_call))[1])
    monkeypatch.setattr(vector, "_threads", lambda file: threads)
    cancel = CancelAt(4)
    with pytest.raises(Cancelled):
        index.scan(gaussian(1)[0], cancel=cancel)
    assert len(reads) <= at_most
    assert cancel.checks == 4


@pytest.mark.parametrize("kind", ["spread", "copies"])
def test_em_15_the_scan_holds_at_most_16_mib_however_many_vectors_there_are(
    index: Index, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, dimensions = 40_000, 384  # 59 MiB of vectors, of which copies all must be scored again
    block = gaussian(4_000, dimensions)
    for start in range(0, count, len(block)):
        index.add(
            range(start + 1, start + 1 + len(block)),
            block if kind == "spread" else block[:1].repeat(4_000, 0),
        )
    query = gaussian(1, dimensions, seed=8)[0]
    monkeypatch.setattr(vector, "_threads", lambda file: 2)
    index.rows.clear()
    tracemalloc.start()
    try:
        hits = index.scan(query, depth=200)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert hits.scanned == count
    assert peak <= 16 * MIB


def test_only_rows_near_the_cut_are_scored_again(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    index.add(range(1, 20_001), gaussian(20_000, 32))
    rescored: list[int] = []
    original = vector._Query.exact

    def counting(self: vector._Query, rows: np.ndarray, places: np.ndarray) -> np.ndarray:
        rescored.append(len(places))
        return original(self, rows, places)

    monkeypatch.setattr(vector._Query, "exact", counting)
    index.scan(gaussian(1, 32, seed=4)[0], depth=10)
    assert sum(rescored) < 100
