"""The Documents screen on a small real library, in Chinese and English, with an evaluation set beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from engine.library import Library
from engine.settings import Chunking, Embedding, Settings
from engine.settings.sources import Resolved
from tests.tui.fake import PLAIN_TERMINAL, screen_text
from tui.app import RankscopeApp
from tui.opening import Opening, Terminal
from tui.screens.documents import DocumentsScreen

RETRY = """# 重试

## 重试与隔离

同一任务最多自动重试三次，间隔依次为 1、5、25 分钟，每次另加最多 10 % 的随机偏移，避免一起失败的任务在同一秒再次冲击下游。第三次仍失败时，任务进入死信队列，状态记为 exhausted，不再自动执行。

死信队列保留原始参数与最后一次错误，默认 14 天；到期后只留下记录，不能再重放。值班人员可在控制台单独重放，重放不计入自动重试次数，但同样写入审计日志。重放一次最多 50 个任务，按失败时间从早到晚执行，期间新的失败任务不会自动加入，需要再选一次。

Replay is idempotent only if the handler is: the same payload is sent with the same job id, so a handler that stores the id can drop the second delivery. A replayed job that fails goes straight back to the dead-letter queue.

## 超时

单次执行超过 10 分钟即判为超时，计入自动重试次数。超时的任务不会释放它的锁，直到租约到期。

```toml
[retry]
max_retry_count = 3        # 最多三次
lease_seconds = 90
```
"""  # noqa: E501
QUEUE = "# 队列\n\n" + "".join(
    f"第 {n} 条：死信队列中的任务不会自动恢复，需要人工重放。\n\n" for n in range(40)
)
HOSTILE = (
    "# \x1b[2J [/] 标题\n\n\u202eabc\u202c 👨‍👩‍👧 🇨🇳 é\u0301 [@click=app.bell]x[/]\tend\r\n\x07\r\nlast\n"
)
SET = """
version = 1
name = "own"

[[cases]]
id = "q07"
query = "重试间隔"
evidence = [{ file = "retry.md", text = "间隔依次为 1、5、25 分钟" }]

[[cases]]
id = "q11"
query = "死信保留多久，能重放几个"
evidence = [{ file = "retry.md", start = 100, end = 300 }]
"""
SMALL = Settings(
    chunking=Chunking(target_characters=1_600, overlap_characters=160), embedding=Embedding(provider="hash")
)
QUESTION = "死信队列保留多久？"


def write_documents(folder: Path) -> None:
    (folder / "ops").mkdir(parents=True)
    (folder / "retry.md").write_text(RETRY, encoding="utf-8")
    (folder / "ops" / "queue.md").write_text(QUEUE, encoding="utf-8")
    (folder / "hostile.md").write_bytes(HOSTILE.encode("utf-8"))
    (folder / "evaluation.toml").write_text(SET, encoding="utf-8")


@asynccontextmanager
async def opened(
    tmp_path: Path,
    size: tuple[int, int] = (140, 45),
    *,
    question: str = QUESTION,
    settings: Settings = SMALL,
    terminal: Terminal = PLAIN_TERMINAL,
    press: str = "2",
) -> AsyncIterator[tuple[RankscopeApp, Pilot[int], DocumentsScreen]]:
    """The workbench on the library, at the Documents screen, everything worked out."""
    folder = tmp_path / "samples"
    if not folder.exists():
        write_documents(folder)

    async def opener() -> Library:
        return await Library.open(folder, settings=settings, data=tmp_path / "data")

    opening = Opening(folder, Resolved(settings, {}), (), question, terminal, journal=False)
    app = RankscopeApp(opening, opener)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(app, pilot)
        if press:
            await pilot.press(*press)
            await settle(app, pilot)
        yield app, pilot, app.page  # type: ignore[misc]
        await app.bridge.close()


async def settle(app: RankscopeApp, pilot: Pilot[int], pause: float = 0.0) -> None:
    """Until nothing is worked out any more; ``pause`` is waited first, where something begins only after keys rest."""
    await pilot.pause(pause or None)
    while app.workers:
        await app.workers.wait_for_complete()
        await pilot.pause()


def shown(app: RankscopeApp) -> str:
    return "\n".join(row.rstrip() for row in screen_text(app))
