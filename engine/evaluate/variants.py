"""What is set beside the settings in force: other settings, each channel alone, the baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from engine.errors import SettingsError, UsageError
from engine.evaluate.baselines import BASELINES
from engine.evaluate.run import Variant
from engine.model import CHANNELS
from engine.settings import BY_KEY, Settings, check_settings, find, parse, with_values
from engine.settings.fields import quoted
from engine.settings.toml import read_table, read_text, values

VARIED = ("retrieval", "features", "rerank_endpoint")
"""Sections that may differ between variants: all of them share one index."""


def in_force(settings: Settings) -> Variant:
    """The settings as they are."""
    return Variant("settings", settings.retrieval, settings.features)


def variant(settings: Settings, given: str) -> Variant:
    """The settings with what ``given`` changes: a settings file, or ``field=value`` with commas between.

    Raises ``SettingsError`` for what is malformed or out of range, ``UsageError`` for a change that would need
    another index.
    """
    path = Path(given)
    changes: Mapping[str, object]
    if "=" in given and not path.exists():
        name, changes = given, _assigned(given)
    else:
        name, changes = path.stem or given, _of_file(path)
    foreign = [key for key in changes if BY_KEY[key].section not in VARIED]
    changed = check_settings(with_values(settings, [(BY_KEY[key], value) for key, value in changes.items()]))
    if any(_value(changed, key) != _value(settings, key) for key in foreign if BY_KEY[key].section in _INDEX):
        raise UsageError(
            f"{quoted(name, 120)} sets {', '.join(foreign)}, and variants share one index",
            "compare chunkings or embedders by a run on an index of each, with --data",
        )
    return Variant(name, changed.retrieval, changed.features)


_INDEX = ("chunking", "embedding")


def _value(settings: Settings, key: str) -> object:
    section, _, name = key.rpartition(".")
    return getattr(getattr(settings, section) if section else settings, name)


def _assigned(given: str) -> dict[str, object]:
    changes: dict[str, object] = {}
    for assignment in given.split(","):
        name, equals, text = assignment.partition("=")
        if not equals:
            raise SettingsError(f"{quoted(assignment)} has no value", "write field=value")
        field = find(name.strip())
        changes[field.key] = parse(field, text)
    return changes


def _of_file(path: Path) -> Mapping[str, object]:
    try:
        text = read_text(path)
    except (FileNotFoundError, NotADirectoryError):
        raise SettingsError(
            f"there is no settings file {quoted(str(path), 200)}", "name a file, or write field=value"
        ) from None
    return values(read_table(text, str(path)), text, str(path))


def channels_alone(settings: Settings) -> tuple[Variant, ...]:
    """Each channel that has an index, under settings that are otherwise those in force."""
    return tuple(
        Variant(
            f"{name} alone",
            replace(
                settings.retrieval,
                **{f"{other}_weight": float(other == name) for other in CHANNELS},  # type: ignore[arg-type]
            ),
            settings.features,
        )
        for name in CHANNELS
        if name != "graph"
    )


def baselines(settings: Settings) -> tuple[Variant, ...]:
    """Every baseline, packed under the budget of the settings."""
    return tuple(Variant(name, settings.retrieval, settings.features, baseline=name) for name in BASELINES)
