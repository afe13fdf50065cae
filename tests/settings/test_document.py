"""The documentation of the settings is the schema's own: complete, valid, and in its order."""

from __future__ import annotations

import re

from engine.settings import FIELDS
from engine.settings.document import example, markdown
from engine.settings.toml import read_table, values

VISIBLE = [field for field in FIELDS if not field.hidden]


def read(text: str) -> dict[str, object]:
    return values(read_table(text, "example"), text, "example")


def test_the_table_has_every_visible_field_once_and_no_other():
    assert re.findall(r"^\| `(\w+)` \|", markdown(), re.MULTILINE) == [field.name for field in VISIBLE]


def test_every_row_of_the_table_has_four_cells():
    rows = [line for line in markdown().splitlines() if line.startswith("|")]
    assert {line.count(" |") for line in rows} == {4}


def test_a_fresh_file_sets_nothing_and_names_everything():
    text = example({})
    assert read(text) == {}
    for field in VISIBLE:
        assert re.search(rf"^# (\[.*)?{field.name}\b", text, re.MULTILINE), field.key


def test_with_every_comment_taken_off_the_file_is_valid_and_holds_the_defaults():
    uncommented = re.sub(r"^# (?=[\w\"]+(\.\w+)? = |[\"\w/*]+ = |\[)", "", example({}), flags=re.MULTILINE)
    found = read(uncommented)
    assert {key: value for key, value in found.items() if key not in ("scopes", "interface.keymap")} == {
        field.key: field.default for field in VISIBLE if field.kind != "mapping"
    }
    assert {"scopes", "interface.keymap"} <= set(found)


def test_what_is_set_stays_set_when_the_file_is_written_anew():
    found = {
        "retrieval.top_k": 9,
        "embedding.query_prefix": 'q: "x"\n',
        "scopes": (("人事/**", ("hr",)),),
        "interface.keymap": (("results.next", "j,down"),),
    }
    assert read(example(found)) == found
    assert example(read(example(found))) == example(found)
