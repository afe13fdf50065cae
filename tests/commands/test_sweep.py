"""A sweep from the command line: a table that aligns, one JSON document, an SVG, and nothing that serves moves."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine.evaluate.sweep import Swept, axis_of
from engine.evaluate.sweep.chart import chart
from engine.evaluate.sweep.outcome import best_of, cell
from tests.commands.conftest import Run
from tests.evaluate.sweep.libraries import written
from tui.cells import width
from tui.commands.sweep_rows import rows

SETTINGS = (
    "--set",
    "embedding.provider=hash",
    "--set",
    "target_characters=400",
    "--set",
    "overlap_characters=0",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "docs")


def swept(*axes: str, name: str = "set") -> Swept:
    """Made-up figures: the larger the values, the better."""
    varied = tuple(axis_of(each) for each in axes)
    from engine.evaluate.sweep.axes import points_of

    points = points_of(varied)
    choosing = (True, False) * 4
    cells = [
        cell(point, [{"mrr@10": (at + 1) / len(points)}] * 8, "mrr@10", choosing, (at, float(at)))
        for at, point in enumerate(points)
    ]
    return Swept(
        name,
        "mrr@10",
        "grid",
        varied,
        tuple(cells),
        cells[0],
        best_of(cells),
        None,
        (4, 4),
        ((points[0], "why\x1b"),),
    )


def test_a_sweep_is_shown_drawn_and_the_same_again(invoke: Run, folder: Path, tmp_path: Path) -> None:
    given = (
        "sweep",
        folder,
        folder / "evaluation.toml",
        "--vary",
        "target_characters=400,800",
        "--vary",
        "vector_weight=0,1",
    )
    first = invoke(*given, "--svg", tmp_path / "map.svg", *SETTINGS)
    assert first.returncode == 0, first.stderr
    assert "4 settings by grid, evidence_recall@5 over 16 cases: 8 choose, 8 judge" in first.stdout
    assert "target_characters" in first.stdout
    assert ElementTree.fromstring((tmp_path / "map.svg").read_text()).tag.endswith("svg")
    before = json.loads(invoke("tasks", folder, "--json", *SETTINGS).stdout)["serving"]
    one, two = (invoke(*given, "--json", *SETTINGS).stdout for _ in range(2))
    assert one == two
    told = json.loads(one)
    assert len(told["cells"]) == 4
    assert told["present"]["settings"] == {"chunking.target_characters": 400, "retrieval.vector_weight": 1.0}
    assert json.loads(invoke("tasks", folder, "--json", *SETTINGS).stdout)["serving"] == before


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--vary", "vector_wieght=1,2"), "vector_weight"),
        (("--vary", "vector_weight=1,9"), "0 to 2"),
        (("--vary", "top_k=2,4", "--random", "2", "--descent"), "cannot both"),
        (("--vary", "target_characters=400,800", "--by", "mrr@10"), "do not compare"),
        (("--vary", "top_k=2,4", "--lang", "xx"), "no case of the set"),
        (("--vary", "top_k=2,4", "--svg", "/nowhere/x.svg"), "cannot be written"),
    ],
)
def test_wrong_use_is_one_sentence(invoke: Run, folder: Path, options: tuple[str, ...], told: str) -> None:
    answer = invoke("sweep", folder, folder / "evaluation.toml", *options, *SETTINGS)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert told in answer.stderr
    assert answer.stderr.count("\n") <= 2


@pytest.mark.parametrize(
    "axes",
    [
        ("top_k=2,4,6",),
        ("top_k=2,4,6", "fusion=rrf,minmax,linear"),
        ("top_k=2,4", "fusion=rrf,minmax", "rrf_k=10,60"),
    ],
)
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_rows_fit_and_mark_the_best_and_the_present(axes: tuple[str, ...], columns: int) -> None:
    told = list(rows(swept(*axes), columns))
    assert max(map(width, told)) <= columns
    assert all(row.isprintable() or not row for row in told)
    if columns == 120:
        assert "*" in "\n".join(told[1:-3])
        assert "·" in "\n".join(told[1:-3])
        assert "not tried" in told[-1]


@pytest.mark.parametrize(
    "axes",
    [
        ("top_k=2,4,6",),
        ("top_k=2,4,6", "fusion=rrf,minmax"),
        ("top_k=2,4", "fusion=rrf,minmax", "rrf_k=10,60"),
    ],
)
def test_a_chart_is_one_document_with_axes_and_loads_nothing(axes: tuple[str, ...]) -> None:
    made = chart(swept(*axes, name="<script>&"))
    assert made == chart(swept(*axes, name="<script>&"))
    root = ElementTree.fromstring(made)
    texts = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]
    assert "mrr@10 of <script>&" in texts
    assert any("top_k" in text for text in texts)
    assert "http" not in made.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "<script" not in made
