"""What every test may use: the place of the evaluation data, where it is there."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=None, help="Seed of the long fault runs; printed by each.")


@pytest.fixture
def seed(request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]) -> int:
    """The seed of a long fault run: that of ``--seed``, else another each time. Printed either way."""
    given = request.config.getoption("--seed")
    chosen = time.time_ns() if given is None else int(given)
    with capfd.disabled():
        print(f"\n{request.node.name}: --seed {chosen}", flush=True)
    return chosen


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder that holds ``data/`` and ``cases/``; a test that needs it skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the evaluation data is not beside the checkout")
    return SHARED
