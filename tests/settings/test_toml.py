"""A settings file is hostile input: what is wrong is told with file, key and line, and nothing hangs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.settings import FIELDS, Field
from engine.settings.toml import SIZE_LIMIT, line_of, read_table, read_text, table_of, values


def load(text: str) -> dict[str, object]:
    return values(read_table(text, "s.toml"), text, "s.toml")


def test_values_come_by_full_key():
    text = 'journal = "queries"\n[retrieval]\ntop_k = 8\nvector_weight = 1\n[scopes]\n"hr/**" = ["hr"]\n'
    assert load(text) == {
        "journal": "queries",
        "retrieval.top_k": 8,
        "retrieval.vector_weight": 1.0,
        "scopes": (("hr/**", ("hr",)),),
    }


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[retrieval]\n# top_k\ntop_k = 99\n", 3, "retrieval.top_k is 99: it must be 1 to 20"),
        ("[retrieval]\ntopk = 9\n", 2, "there is no setting retrieval.topk: did you mean top_k?"),
        ("[retreival]\ntop_k = 9\n", 1, "there is no setting retreival: did you mean retrieval?"),
        ("retrieval.top_k = 0", 1, "retrieval.top_k is 0"),
        ("\n\nretrieval = { top_k = 0 }", 3, "retrieval.top_k is 0"),
        ("retrieval = 3", 1, "retrieval is 3: it must be a table, [retrieval]"),
        ("[retrieval.top_k]\nx = 1", 1, "retrieval.top_k is a table"),
        ("[[retrieval]]\ntop_k = 1", 1, "retrieval is"),
        ("\nscopes.a = [\n 'b',\n '*',\n]", 2, "scopes.a holds the label *"),
        (
            "[chunking]\nmode = 'fxed'",
            2,
            "chunking.mode is fxed: it must be fixed, structure or parent-child",
        ),
        ('"retrieval.top_k" = 3', 1, "there is no setting"),
    ],
)
def test_an_error_names_file_key_and_line(text: str, line: int, said: str):
    with pytest.raises(SettingsError) as caught:
        load(text)
    message = str(caught.value)
    assert message.startswith("s.toml: ")
    assert f"line {line}: {said}" in message


def test_a_file_of_a_later_version_says_so_before_anything_else():
    with pytest.raises(
        SettingsError, match=r"line 1: version is 2, this rankscope reads 1: update rankscope"
    ):
        load("version = 2\n[brand_new]\nx = 1\n")


def test_text_that_is_not_toml_is_told_with_its_line():
    with pytest.raises(SettingsError, match=r"s\.toml: not TOML, .*line 2"):
        load("a = 1\nb = = 2\n")


def test_nesting_without_end_is_no_crash():
    with pytest.raises(SettingsError, match=r"s\.toml"):
        load("a = " + "[" * 50_000)


def test_many_problems_are_told_in_part_and_counted():
    with pytest.raises(SettingsError, match="and 95 more"):
        load("[retrieval]\n" + "".join(f"unknown{number} = 1\n" for number in range(100)))


def test_hostile_names_and_values_stay_printable():
    with pytest.raises(SettingsError) as caught:
        load('"\\u001b]52;c;QUJD\\u0007" = 1\n[retrieval]\nfusion = "\\u001b[2J\\u202e"\n')
    assert str(caught.value).isprintable()


def test_the_line_is_asked_of_the_parser_so_strings_and_comments_do_not_mislead():
    text = (
        'journal = "counts" # top_k\n[embedding]\nquery_prefix = """\ntop_k = 3\n"""\n[retrieval]\ntop_k = 3'
    )
    assert line_of(text, ("retrieval", "top_k")) == 7
    assert line_of(text, ("embedding", "query_prefix")) == 3
    assert line_of(text, ("chunking", "mode")) == 0


@pytest.mark.parametrize("field", [f for f in FIELDS if f.key != "version"], ids=lambda field: field.key)
def test_what_is_written_is_what_is_read(field: Field):
    import tomli_w

    sample = {"mapping": (("a.b/**", ("x", "y")),), "text": "läuft\n", "url": "http://h/", "variable": "KEY"}
    value: object = sample.get(field.kind, field.default)
    if field.name == "keymap":
        value = (("results.next", "j, down"),)
    assert load(tomli_w.dumps(table_of({field.key: value}))) == {field.key: value}


@given(st.text(alphabet="[]{}=.,\"'#\n abtop_k019\x00\x1b\u202e检索", max_size=120))
def test_any_text_is_values_or_one_printable_sentence(text: str):
    try:
        load(text)
    except SettingsError as error:
        message = str(error)
    else:
        message = ""
    assert message.isprintable()


def test_a_missing_file_is_for_the_caller_to_judge(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "none.toml")


def test_a_file_that_is_too_large_or_not_utf8_or_no_file_is_refused(tmp_path: Path):
    path = tmp_path / "s.toml"
    path.write_bytes(b"#" * (SIZE_LIMIT + 1))
    with pytest.raises(SettingsError, match="larger than"):
        read_text(path)
    path.write_bytes(b"a = 1\n\xff\xfe\n")
    with pytest.raises(SettingsError, match="line 2: not UTF-8"):
        read_text(path)
    with pytest.raises(SettingsError, match="cannot be read"):
        read_text(tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path):
    path = tmp_path / "s.toml"
    path.write_bytes(b"\xef\xbb\xbfversion = 1\n")
    assert load(read_text(path)) == {"version": 1}


def test_inside_an_opened_folder_no_link_is_followed_and_no_pipe_is_waited_for(tmp_path: Path):
    (tmp_path / "real.toml").write_text("version = 1\n")
    link, pipe = tmp_path / "link.toml", tmp_path / "pipe.toml"
    link.symlink_to(tmp_path / "real.toml")
    os.mkfifo(pipe)
    assert read_text(link) == "version = 1\n"
    for path in (link, pipe):
        with pytest.raises(SettingsError):
            read_text(path, follow=False)
