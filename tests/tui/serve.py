"""The workbench on a fake library in a real terminal: ``python -m tests.tui.serve [plain|hostile|slow]``."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from tui.environment import colours, prepare

HOSTILE = "a\x1b]52;c;QUJD\x07b\x1b[2Jc\x9bd\u202eRLO\x00\x08\u2066x[/][/bold][b [link=a:1]q[/link][@click=app.quit]m[/]"


def main(kind: str) -> int:
    prepare(os.environ)
    from engine.errors import LibraryError
    from engine.model import Degradation, Progress
    from tests.tui.fake import STATE, TEXTS, FakeLibrary, workbench
    from tui.opening import Terminal

    library = FakeLibrary()
    if kind == "hostile":
        texts = tuple(
            (f"{HOSTILE}{path}", f"{HOSTILE}{heading}", f"{HOSTILE}\n{text}") for path, heading, text in TEXTS
        )
        told = Degradation("vector", "vector_failed", HOSTILE, HOSTILE)
        library = FakeLibrary(
            texts=texts, degraded=(told,), name=HOSTILE, state=replace(STATE, corpus_version=HOSTILE)
        )
    if kind == "slow":
        steps = tuple(Progress("read", done, 5_000, 52.0, 99.0) for done in range(5_000))
        library = FakeLibrary(steps=steps)
        library.hold_tasks()
    if kind == "failing":
        library = FakeLibrary(failure=LibraryError(HOSTILE, HOSTILE))
    question = HOSTILE + "重试" if kind == "hostile" else "任务自动重试耗尽后怎么办？"
    app = workbench(library, question=question, terminal=Terminal(colours(os.environ)))
    return app.run(mouse=False) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "plain"))
