"""Whatever is pressed, and however the window is dragged: nothing crashes and nothing lands in the log."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.tui.terminal import Terminal

KEYS = [
    *"jkgGhlJKnNrRfyYszuwWtvpdcBH/;:?! 012237-+=<>[]q",
    *[
        "\r",
        "\t",
        "\x1b[Z",
        "\x7f",
        "\x04",
        "\x15",
        "\x1b",
        "\x1b[A",
        "\x1b[B",
        "\x1b[C",
        "\x1b[D",
        "\x1b[5~",
        "\x1b[6~",
    ],
    *[
        "\x1b[H",
        "\x1b[F",
        "\x10",
        "\x1bj",
        "\x1bOP",
        "；",
        "？",
        "　",
        "任务",
        "重试 three",
        "vector 1.4\r",
        "\x1b[3~",
    ],
    "\x1b[200~pasted\nq\n\x1b[2J\x1b[201~",
]
SIZES = [
    (120, 40),
    (140, 45),
    (80, 24),
    (40, 15),
    (200, 60),
    (39, 14),
    (20, 5),
    (119, 17),
    (79, 50),
    (1, 1),
    (300, 90),
]


def hammer(keys: int, resizes: int, seed: int, state: Path) -> None:
    """Press random keys and drag the window in between; the program must still be there, and leave when
    asked."""
    choice = random.Random(seed)
    command = [sys.executable, "-m", "tests.tui.serve", choice.choice(["plain", "hostile"])]
    with Terminal(command, columns=120, rows=40, environment={"XDG_STATE_HOME": str(state)}) as terminal:
        terminal.wait_for("RESULTS")
        every = max(1, keys // max(1, resizes))
        for number in range(keys):
            terminal.press(choice.choice(KEYS), quiet=0.004)
            if number % every == 0:
                terminal.resize(*choice.choice(SIZES))
        terminal.resize(120, 40)
        for _ in range(6):
            terminal.press("\x1b", quiet=0.3)
        terminal.wait_for("samples" if "plain" in command else "52;c;Q")
        terminal.press("\x11")
        assert terminal.wait() == 0, terminal.text
    logs = list(state.rglob("errors.log"))
    assert not logs, logs[0].read_text()


def test_random_keys_and_sizes(tmp_path):
    hammer(250, 16, seed=7, state=tmp_path)


@pytest.mark.stress
@pytest.mark.parametrize("seed", range(4))
def test_five_thousand_random_keys_and_two_hundred_sizes(seed, tmp_path):
    hammer(5_000, 200, seed, tmp_path)
