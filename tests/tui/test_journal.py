"""The journal keeps counts, and text only where it was asked to; the history follows it."""

import json
import stat

from hypothesis import given
from hypothesis import strategies as st

from engine.settings import Settings
from engine.trace import settle
from tests.tui.fake import TEXTS, recall_of
from tui.journal import FILE_LIMIT, FILES_KEPT, History, Journal
from tui.opening import first_question

SECRET = "重试 hunter2"


def trace(query: str = SECRET):
    return settle(recall_of(query), Settings().retrieval)


def lines(folder):
    return [
        json.loads(line) for path in sorted(folder.rglob("*.jsonl")) for line in path.read_text().splitlines()
    ]


def test_by_default_no_text_is_written(tmp_path):
    Journal(tmp_path / "library", texts=False, folder=tmp_path).record(trace())
    written = "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
    assert "hunter2" not in written
    assert not any(text[2][:4] in written or text[0] in written for text in TEXTS)
    record = lines(tmp_path)[0]
    assert record["characters"] == len(SECRET)
    assert record["channels"]["cjk"]["listed"] > 0
    assert record["settings"]["top_k"] == 6


def test_where_asked_for_the_question_and_the_chunks_are_kept_and_come_back(tmp_path):
    library = tmp_path / "library"
    Journal(library, texts=True, folder=tmp_path, now=lambda: 1).record(trace())
    assert lines(tmp_path)[0]["query"] == SECRET
    assert lines(tmp_path)[0]["chunks"][0].startswith("chunk")
    assert Journal(library, texts=True, folder=tmp_path).queries() == [SECRET]
    assert Journal(library, texts=False, folder=tmp_path).queries() == []
    assert Journal(tmp_path / "other", texts=True, folder=tmp_path).queries() == []


def test_only_the_user_can_read_it(tmp_path):
    Journal(tmp_path / "library", texts=True, folder=tmp_path).record(trace())
    path = next(tmp_path.rglob("*.jsonl"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_is_bounded_in_bytes_and_files(tmp_path):
    library = tmp_path / "library"
    journal = Journal(library, texts=False, folder=tmp_path, now=lambda: 1)
    journal.record(trace())
    path = next(tmp_path.rglob("*.jsonl"))
    path.write_text("x" * FILE_LIMIT)
    journal.record(trace())
    assert path.stat().st_size == FILE_LIMIT
    for at in range(FILES_KEPT + 5):
        Journal(library, texts=False, folder=tmp_path, now=lambda at=at: 2 + at).record(trace())
    assert len(list(tmp_path.rglob("*.jsonl"))) == FILES_KEPT


def test_what_cannot_be_written_stops_nothing(tmp_path):
    (tmp_path / "journal").write_text("a file where the folder should be")
    Journal(tmp_path / "library", texts=True, folder=tmp_path).record(trace())


def test_a_damaged_journal_gives_what_is_whole(tmp_path):
    library = tmp_path / "library"
    journal = Journal(library, texts=True, folder=tmp_path, now=lambda: 1)
    journal.record(trace())
    with open(next(tmp_path.rglob("*.jsonl")), "a") as file:
        file.write('[]\n{"query": 7}\n{"query": "' + "x" * 5_000 + '"}\n{"que\n' + "[" * 100_000)
    assert journal.queries() == [SECRET]


def test_history_goes_back_and_forth_and_keeps_the_draft():
    history = History(["a", "b"])
    assert [history.previous("draft"), history.previous("b"), history.previous("a")] == ["b", "a", "a"]
    assert [history.next("a"), history.next("b"), history.next("draft")] == ["b", "draft", "draft"]
    history.add("a")
    assert [history.previous(""), history.previous("")] == ["a", "b"]
    assert History().previous("x") == "x"


@given(st.lists(st.sampled_from(["add", "previous", "next"]), max_size=30))
def test_history_never_loses_its_place(steps):
    history, text = History(["a", "b", "c"]), ""
    for number, step in enumerate(steps):
        if step == "add":
            history.add(f"q{number}")
        else:
            text = getattr(history, step)(text)
        assert isinstance(text, str)


def test_the_first_question_is_that_of_the_folders_own_set(tmp_path):
    assert first_question(tmp_path) == ""
    file = tmp_path / "evaluation.toml"
    file.write_text('name = "x"\n[[cases]]\nid = "q1"\nquery = " 任务自动重试耗尽后怎么办？ "\n')
    assert first_question(tmp_path) == "任务自动重试耗尽后怎么办？"
    for broken in (
        "cases = 1",
        "cases = []",
        "cases = [1]",
        "[[cases]]\nquery = 1",
        "not toml",
        "a = [" * 2_000,
    ):
        file.write_text(broken)
        assert first_question(tmp_path) == ""
    file.write_text('[[cases]]\nquery = "' + "x" * 9_000 + '"\n')
    assert len(first_question(tmp_path)) == 4_000
    file.write_bytes(b"\xff\xfe" * 400_000)
    assert first_question(tmp_path) == ""
