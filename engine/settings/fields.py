"""The schema as a list: every field with its section, looked up by name, turned by steps, parsed and
shown.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

from engine.errors import SettingsError
from engine.settings.schema import METADATA_KEY, Declared, Kind, Stage
from engine.settings.values import Settings


@dataclass(frozen=True, slots=True)
class Field:
    """One setting. ``section`` is the table of the file that holds it, empty at the top level.

    ``minimum`` and ``maximum`` are inclusive; ``step`` and ``big_step`` are what one turn changes, 0
    where turning means nothing. ``label`` is the short name on a screen.
    """

    section: str
    name: str
    default: object
    kind: Kind
    help: str
    stage: Stage
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    step: float
    big_step: float
    unit: str
    label: str
    guarded: bool | tuple[str, ...]
    hidden: bool

    @property
    def key(self) -> str:
        """The full name: ``retrieval.top_k``."""
        return f"{self.section}.{self.name}" if self.section else self.name

    @property
    def span(self) -> float:
        """Maximum minus minimum, by which changes of different settings compare; 0 where there is no
        range.
        """
        return 0.0 if self.minimum is None or self.maximum is None else self.maximum - self.minimum

    @property
    def range(self) -> str:
        """What may be written, in words: ``1 to 20``, ``rrf, minmax or linear``."""
        if self.minimum is not None and self.maximum is not None:
            low, high = f"{self.minimum:,}", f"{self.maximum:,}"
            return low if low == high else f"{low} to {high}"
        if self.choices:
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        return _WORDS[self.kind]


_WORDS: dict[Kind, str] = {
    "boolean": "true or false",
    "text": "text",
    "url": "an http(s) address without a password",
    "variable": "the name of an environment variable",
    "mapping": 'a table, as {"pattern" = "value"}',
}


def _collect(owner: type, section: str = "") -> Iterable[Field]:
    for item in dataclasses.fields(owner):
        declared = item.metadata.get(METADATA_KEY)
        if isinstance(declared, Declared):
            described = {name: getattr(declared, name) for name in declared.__slots__}
            yield Field(section=section, name=item.name, default=item.default, **described)
        elif isinstance(item.default_factory, type):
            yield from _collect(item.default_factory, item.name)


FIELDS: tuple[Field, ...] = tuple(sorted(_collect(Settings), key=lambda field: bool(field.section)))
"""Every field, in the order of a settings file: those of the top level, then section by section."""

BY_KEY = MappingProxyType({field.key: field for field in FIELDS})

SECTIONS: tuple[str, ...] = tuple(dict.fromkeys(field.section for field in FIELDS if field.section))


def fields_of(section: str) -> tuple[Field, ...]:
    """The fields of one section; of the top level for the empty name."""
    return tuple(field for field in FIELDS if field.section == section)


def find(name: str) -> Field:
    """The field of a full name, or of a bare one that only one section has (``top_k``).

    Raises ``SettingsError`` with the nearest name for a misspelt one, with the full names for an
    ambiguous one.
    """
    if name in BY_KEY:
        return BY_KEY[name]
    named = [field for field in FIELDS if field.name == name]
    if len(named) == 1:
        return named[0]
    if named:
        raise SettingsError(
            f"{name} is a setting of several sections", f"say {_either(f.key for f in named)}"
        )
    raise SettingsError(
        f"there is no setting {quoted(name)}", suggestion(name, [*BY_KEY, *(f.name for f in FIELDS)])
    )


def suggestion(name: str, known: Iterable[str]) -> str:
    """``did you mean …?`` for a near miss, else a pointer to the list."""
    word, names = name.lower(), list(known)
    # "overlap" means overlap_characters, though by its letters "coverage" is nearer.
    begun = [other for other in names if len(word) > 2 and other.startswith(word)]
    near = begun or difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else "`rankscope settings` lists them"


def value_of(settings: Settings, field: Field) -> object:
    owner = getattr(settings, field.section) if field.section else settings
    value: object = getattr(owner, field.name)
    return value


def with_values(settings: Settings, changes: Iterable[tuple[Field, object]]) -> Settings:
    """A copy that holds the changed values. Checks nothing: ``check.py`` does."""
    top: dict[str, object] = {}
    sections: dict[str, dict[str, object]] = {}
    for field, value in changes:
        (sections.setdefault(field.section, {}) if field.section else top)[field.name] = value
    for section, values in sections.items():
        top[section] = dataclasses.replace(getattr(settings, section), **values)
    return dataclasses.replace(settings, **top)  # type: ignore[arg-type]


def turned(field: Field, value: object, turns: int, *, big: bool = False) -> object:
    """The value after so many steps up (or down, for a negative number); it stays at the end of its range.

    Decimal arithmetic, so that ten steps of .05 make .5; a value off the grid keeps its offset. Choices
    and booleans move along their list and do not wrap.
    """
    listed: tuple[object, ...] = (False, True) if field.kind == "boolean" else field.choices
    if listed:
        return listed[min(max(listed.index(value) + turns, 0), len(listed) - 1)]
    step = field.big_step if big else field.step
    if not step or field.minimum is None or field.maximum is None or not isinstance(value, (int, float)):
        return value
    moved = Decimal(str(value)) + Decimal(str(step)) * turns
    bounded = min(max(moved, Decimal(str(field.minimum))), Decimal(str(field.maximum)))
    return int(bounded) if field.kind == "integer" else float(bounded)


def shown(field: Field, value: object) -> str:
    """The value as tables and screens write it: ``0.80``, ``6,000``, ``true``, ``2 entries``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        exact = format(Decimal(str(value)).normalize(), "f")
        return exact if len(exact) > len(f"{value:.2f}") else f"{value:.2f}"
    if isinstance(value, tuple):
        return "–" if not value else f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    return str(value) or "–"


def quoted(value: object, limit: int = 60) -> str:
    """A foreign value inside a message: escaped, so that it cannot break out of it, and cut."""
    text = ascii(value) if not isinstance(value, str) else _printable(value)
    return f"{text[: limit - 1]}…" if len(text) > limit else text


def _printable(text: str) -> str:
    if text and all(character.isprintable() for character in text) and " " not in text:
        return text
    return "'" + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text) + "'"


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)
