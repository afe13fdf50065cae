"""What every test may use: the place of the evaluation data, where it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder that holds ``data/`` and ``cases/``; a test that needs it skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the evaluation data is not beside the checkout")
    return SHARED
