"""A small library with a set, and a sweep of it over chunkings and weights."""

from __future__ import annotations

from pathlib import Path

from engine.cancel import CancelToken
from engine.evaluate.fit import fitted
from engine.evaluate.formats import read_set
from engine.evaluate.sweep import Axis, Request, Search, Swept, axis_of, sweep
from engine.library import Library

SUBJECTS = ("重试", "缓存", "租约", "队列", "审计", "限流", "备份", "告警")
AXES = ("target_characters=400,800,1600", "vector_weight=0,0.5,1")


def written(root: Path) -> Path:
    """Eight pages of many rules, and a case for two rules of each."""
    root.mkdir()
    cases = []
    for number, subject in enumerate(SUBJECTS):
        rules = [
            f"{subject}的第 {n} 条规则：超过 {number * 40 + n} 次就停下，等待人工处理。" for n in range(40)
        ]
        (root / f"{number}.md").write_text(f"# {subject}\n\n" + "\n\n".join(rules) + "\n")
        for n in (3, 31):
            cases.append(
                f'[[cases]]\nid = "{number}-{n}"\nquery = "{subject}在超过 {number * 40 + n} 次以后怎样？"\n'
                f'evidence = [{{file = "{number}.md", text = "{rules[n]}"}}]\n'
            )
    (root / "evaluation.toml").write_text('version = 1\nname = "rules"\n\n' + "\n".join(cases))
    return root


async def swept(
    library: Library,
    *given: str,
    search: Search | None = None,
    by: str = "",
    cancel: CancelToken | None = None,
) -> Swept:
    """The whole sweep; by default over three chunkings and three weights."""
    axes: tuple[Axis, ...] = tuple(axis_of(each) for each in given or AXES)
    token = cancel or CancelToken()
    cases = await library.threaded(
        lambda: fitted(library, read_set(library.root / "evaluation.toml"), skip_invalid=True).cases, token
    )
    request = Request(cases, axes, by=by) if search is None else Request(cases, axes, search, by=by)
    found: object = None
    async for step in sweep(library, request, cancel=token):
        found = step
    assert isinstance(found, Swept)
    return found
