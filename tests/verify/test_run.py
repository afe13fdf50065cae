"""Whatever differs in an index, or between it and the folder, is found and named; what does not differ is not."""

from __future__ import annotations

import threading

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled, LibraryError
from engine.store.places import locate
from engine.verify import Finding, Subject, verify
from tests.pipeline.killing import SETTINGS
from tests.verify.damage import Damaged


def test_a_sound_index_is_clean_and_counted(damaged: Damaged) -> None:
    found = damaged.verified()
    assert found.findings == ()
    assert found.clean
    assert (found.documents, found.vectors, found.files) == (7, found.chunks, 7)
    assert found.chunks > 7


def test_verifying_writes_nothing(damaged: Damaged) -> None:
    def state() -> dict[str, bytes]:
        files = (path for path in damaged.places.base.rglob("*") if path.is_file())
        return {path.name: path.read_bytes() for path in files if not path.name.endswith(("-shm", "-wal"))}

    before = state()
    damaged.verified()
    assert state() == before


DAMAGE = {
    "chunk_text": ("UPDATE chunk SET text = replace(text, '任务', '任意')", "document_differs", "document"),
    "chunk_span": ("UPDATE chunk SET start = start + 1 WHERE ordinal = 2", "document_differs", "document"),
    "chunk_heading": ("UPDATE chunk SET heading_path = '[\"X\"]'", "document_differs", "document"),
    "chunk_heading_no_json": ("UPDATE chunk SET heading_path = '['", "document_differs", "document"),
    "chunk_lost": ("DELETE FROM chunk WHERE ordinal = 2", "document_differs", "document"),
    "chunk_id": ("UPDATE chunk SET chunk_id = 'x' || chunk_id", "document_differs", "document"),
    "embed_hash": ("UPDATE chunk SET embed_hash = 'x' WHERE ordinal = 1", "document_differs", "document"),
    "title": ("UPDATE document SET title = 'X' WHERE path = '1.md'", "document_differs", "document"),
    "corpus_term": ("UPDATE document SET corpus_term = '1'", "document_differs", "document"),
    "no_number": ("UPDATE document SET corpus_term = 'zz'", "counts_differ", "counts"),
    "path": ("UPDATE document SET path = '9.md' WHERE path = '1.md'", "document_differs", "rebuild"),
    "counts": ("UPDATE label_set SET documents = documents + 1", "counts_differ", "counts"),
    "corpus_sum": ("UPDATE label_set SET corpus_sum = '1'", "counts_differ", "counts"),
    "corpus_sum_no_number": ("UPDATE label_set SET corpus_sum = 'zz'", "counts_differ", "counts"),
    "vector_sum": ("UPDATE label_set SET vector_sum = '1'", "counts_differ", "counts"),
    "waiting": ("UPDATE chunk SET vector = 'waiting' WHERE ordinal = 1", "vectors_differ", "vectors"),
    "posting_block": ("UPDATE posting_block SET data = zeroblob(length(data))", "postings_damaged", "postings"),
    "posting_chunk": ("DELETE FROM posting_chunk", "postings_damaged", "postings"),
    "posting_label": ("UPDATE posting_segment SET label_set = 7", "postings_damaged", "postings"),
    "posting_total": ("DELETE FROM posting_total", "postings_damaged", "postings"),
    "vector_lost": ("DELETE FROM vector WHERE cid = 1", "vectors_differ", "vectors"),
    "vector_input": ("UPDATE vector SET embed_hash = 'x' WHERE cid = 1", "vectors_differ", "vectors"),
    "vector_labels": ("UPDATE vector SET label_set = 7 WHERE cid = 1", "vectors_differ", "vectors"),
    "vector_mark": ("UPDATE vector_file SET slots = slots - 1", "vectors_unreadable", "vectors"),
    "vector_live": ("UPDATE vector_file SET live = live - 1", "vectors_differ", "vectors"),
    "page_checksum": ("UPDATE vector_page SET checksum = 1", "page_damaged", "pages"),
    "table_lost": ("DROP TABLE vector_page", "generation_damaged", "rebuild"),
    "trigger": (
        "CREATE TRIGGER t AFTER INSERT ON chunk BEGIN DELETE FROM chunk; END", "generation_damaged", "rebuild",
    ),
    "file_row": ("DELETE FROM file WHERE path = '1.md'", "file_unknown", "rebuild"),
    "orphaned_chunk": ("DELETE FROM document WHERE path = '1.md'", "generation_damaged", "rebuild"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_in_a_generation_is_found_and_can_be_mended(damaged: Damaged, name: str) -> None:
    statement, code, mend = DAMAGE[name]
    damaged.sql(statement)
    found = [finding for finding in damaged.found() if finding.code == code]
    assert found, damaged.found()
    assert {(one.severity, one.derived, one.mend) for one in found} == {("error", True, mend)}


def test_two_vectors_that_were_swapped_are_found_by_the_cache(damaged: Damaged) -> None:
    """Each is a unit vector, and the page's checksum is made to fit: only their texts tell them apart."""
    from zlib import crc32

    page = bytearray(damaged.page_file.read_bytes())
    size = 1024 * 4
    page[:size], page[size : 2 * size] = page[size : 2 * size], page[:size]
    damaged.page_file.write_bytes(page)
    damaged.sql(f"UPDATE vector_page SET checksum = {crc32(page)}")
    (found,) = damaged.found()
    assert found.what == "2 vectors are not those that the cache has of the same text"


def test_postings_of_another_text_are_found_though_every_checksum_holds(damaged: Damaged) -> None:
    """As if two chunks of one segment had exchanged their numbers."""
    other = Damaged(damaged.root)
    other.sql(
        "CREATE TEMP TABLE swap AS SELECT cid, row_number() OVER (ORDER BY cid) AS n FROM chunk WHERE did = 1",
        "UPDATE chunk SET cid = -cid WHERE did = 1",
        "UPDATE chunk SET cid = (SELECT cid FROM swap WHERE n = (SELECT count(*) + 1 FROM swap)"
        " - (SELECT n FROM swap s WHERE s.cid = -chunk.cid)) WHERE did = 1",
    )
    assert "postings_differ" in damaged.codes()


def test_what_changed_in_the_folder_is_a_warning_by_name(damaged: Damaged) -> None:
    (damaged.root / "0.md").write_text("changed\n")
    (damaged.root / "1.md").unlink()
    (damaged.root / "new.md").write_text("new\n")
    assert [(one.code, one.where, one.severity) for one in damaged.found()] == [
        ("source_changed", "0.md", "warning"),
        ("source_gone", "1.md", "warning"),
        ("source_new", "new.md", "warning"),
    ]
    damaged.sync()
    assert damaged.found() == []


def test_a_file_that_is_another_under_the_same_stamp_is_found(damaged: Damaged) -> None:
    damaged.sync()  # a copy has stamps of its own
    damaged.sql("UPDATE file SET sha256 = 'x' WHERE path = '0.md'")
    (found,) = damaged.found()
    assert found.what == "it is not what was indexed, though its size and time are"


def test_labels_that_the_settings_give_and_the_index_does_not_have_are_a_warning(damaged: Damaged) -> None:
    from dataclasses import replace

    scoped = replace(SETTINGS, scopes=(("0.md", ("hr",)),))
    *_, last = verify(Subject(damaged.root, damaged.places, scoped), cancel=CancelToken())
    assert [(one.code, one.where) for one in last.findings] == [("labels_changed", "0.md")]  # type: ignore[union-attr]


# --- what is the user's ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE content SET text = x'00' WHERE rowid IS NOT NULL OR 1", "archive_damaged"),
        ("DELETE FROM content", "archive_lost"),
        ("UPDATE meta SET value = '[' WHERE key = 'include'", "clean"),
        ("INSERT OR REPLACE INTO meta VALUES ('include', '[')", "include_damaged"),
        ("DROP TABLE archive", "library_damaged"),
    ],
)
def test_damage_to_what_is_the_users_is_never_called_derived(
    damaged: Damaged, statement: str, code: str
) -> None:
    damaged.sql(statement.replace(" WHERE rowid IS NOT NULL OR 1", ""), file="library")
    found = [finding for finding in damaged.found() if finding.code == code]
    assert [one.derived for one in found] == [False] * len(found)
    assert bool(found) == (code != "clean")


def test_a_library_file_that_is_no_database_is_told_and_the_cache_still_checked(damaged: Damaged) -> None:
    damaged.places.library.write_bytes(b"no database at all" * 500)
    damaged.places.cache.write_bytes(b"no database at all" * 500)
    assert {(one.code, one.derived) for one in damaged.found()} == {
        ("library_damaged", False),
        ("cache_damaged", True),
    }


@pytest.mark.parametrize("name", ["serving", "impossible"])
def test_a_pointer_to_nothing_is_found(damaged: Damaged, name: str) -> None:
    import shutil

    if name == "serving":
        shutil.rmtree(damaged.generation)
    else:
        damaged.sql("UPDATE meta SET value = '../../etc' WHERE key = 'serving'", file="library")
    assert "rebuild" in {one.mend for one in damaged.found() if one.severity == "error"}


def test_a_table_or_a_file_that_is_not_ours_is_a_note_and_the_index_stays_clean(damaged: Damaged) -> None:
    damaged.sql("CREATE TABLE staging(x)", file="library")
    (damaged.places.base / "copy.tmp").write_text("x")
    (damaged.places.generations / "g0123456789ab").mkdir()
    (damaged.generation / "vectors-99.f32").write_bytes(b"")
    found = damaged.verified()
    assert found.clean
    assert [(one.code, one.where) for one in found.findings] == [
        ("strange_table", "library.sqlite"),
        ("leftover", "copy.tmp"),
        ("leftover", "generations/g0123456789ab"),
        ("leftover", f"{damaged.generation.name}/vectors-99.f32"),
    ]


# --- the cache ------------------------------------------------------------------------------------------------


def test_a_cached_vector_that_is_none_is_found(damaged: Damaged) -> None:
    damaged.sql("UPDATE embedding SET vector = zeroblob(length(vector)) WHERE id = 1", file="cache")
    assert "cache_damaged" in damaged.codes()


def test_a_library_without_its_cache_is_clean(damaged: Damaged) -> None:
    for path in damaged.places.base.glob("cache.sqlite*"):
        path.unlink()
    assert damaged.found() == []
    assert not damaged.places.cache.exists()


# --- how it runs ----------------------------------------------------------------------------------------------


def test_it_ends_soon_after_a_cancel(damaged: Damaged) -> None:
    cancel = CancelToken()
    steps = verify(Subject(damaged.root, damaged.places, SETTINGS), cancel=cancel)
    next(steps)
    cancel.cancel()
    with pytest.raises(Cancelled):
        list(steps)
    assert threading.active_count() == 1 or all(
        not each.name.startswith("rankscope-interrupt") for each in threading.enumerate()
    )


def test_a_folder_without_an_index_is_told(tmp_path: object, damaged: Damaged) -> None:
    root = damaged.root / "empty"
    root.mkdir()
    with pytest.raises(LibraryError, match="has no index yet"):
        list(verify(Subject(root, locate(root), SETTINGS), cancel=CancelToken()))


def test_a_thousand_findings_of_a_kind_are_counted_not_kept() -> None:
    from engine.verify.finding import Findings

    findings = Findings()
    findings.add(*(Finding("x", str(n), "wrong") for n in range(5_000)))
    assert len(findings.sorted()) == Findings.KEPT + 1
    assert findings.sorted()[-1].what == "5,000 findings of this kind, 1,000 of them listed"
