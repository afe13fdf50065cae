"""What a run depends on, all of it, as one JSON object; its hash names the run. No times, no machine in it.

Two runs with one manifest give the same bytes. Where two differ, the first difference is the first place to
look for the reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import engine
from engine.identity import fingerprint

if TYPE_CHECKING:
    from engine.evaluate.sets import EvaluationSet
    from engine.model import IndexState
    from engine.settings import Chunking, Features, Retrieval

Manifest = dict[str, Any]


def manifest(
    cases: EvaluationSet,
    *,
    selection: Mapping[str, Sequence[str]],
    skipped: Sequence[str],
    states: Mapping[str, IndexState],
    chunking: Chunking,
    embedder: str,
    retrieval: Retrieval,
    features: Features,
    metrics: Sequence[str],
    depth: int,
    baseline: str = "",
) -> Manifest:
    """The manifest of one variant. ``states`` are the index states by the principals that ask, joined to a
    name; ``skipped`` the ids of cases that were left out as invalid; ``selection`` what ``--lang`` and the like
    chose. In the order in which differences are worth being told.
    """
    return {
        "set": {
            "name": cases.name,
            "hash": cases.source_hash,
            "cases": len(cases.cases),
            "items": "documents" if cases.by_document else "chunks",
            "selection": {name: sorted(values) for name, values in selection.items() if values},
            "skipped": list(skipped),
        },
        "index": {scopes: asdict(state) for scopes, state in sorted(states.items())},
        "chunking": asdict(chunking),
        "embedder": embedder,
        "baseline": baseline,
        "settings": asdict(retrieval),
        "features": asdict(features),
        "metrics": list(metrics),
        "depth": depth,
        "code": {"version": engine.__version__, "sha256": code_hash()},
    }


def run_id(of: Manifest) -> str:
    """16 hex characters that stand for a manifest."""
    return fingerprint(of)


@cache
def code_hash() -> str:
    """SHA-256 over the engine's sources by path: a version number alone does not say what was changed since."""
    root = Path(engine.__file__).parent
    whole = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        whole.update(path.relative_to(root).as_posix().encode())
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def first_difference(one: Manifest, other: Manifest) -> str:
    """The first place, in the order of the manifest, where two runs were not the same: ``settings.rrf_k: 60
    against 10``; empty where they are."""
    return next(_differences(one, other, ""), "")


def _differences(one: Any, other: Any, place: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            below = f"{place}.{key}" if place else str(key)
            yield from _differences(one.get(key, _ABSENT), other.get(key, _ABSENT), below)
    elif one != other:
        yield f"{place}: {_told(one)} against {_told(other)}"


_ABSENT = object()


def _told(value: object) -> str:
    """A value in a few words; a hash by its first characters."""
    if value is _ABSENT:
        return "nothing"
    text = str(value)
    return f"{text[:12]}…" if len(text) > 40 else text or "nothing"
