"""A pin: one span of one revision, the text that stood there, and what a person made of it. Pure data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from engine.errors import CorruptIndexError
from engine.identity import pin_id
from engine.text import is_blank

State = Literal["enabled", "disabled", "deleted"]

AROUND = 64
"""Code points before and after a pin that tell one occurrence of its text from another."""


@dataclass(frozen=True, slots=True)
class Pin:
    """``base`` is ``text[start:end]`` of the revision; ``before`` and ``after`` are what stood around it.

    ``text`` is what stands there instead, None where the source's own text does. ``boundary`` says that its ends
    are wanted for themselves, by a split or a merge. What is ``disabled`` is not recalled, what is ``deleted`` lies
    in the bin.
    """

    document_id: str
    path: str
    revision: str
    parser: str
    start: int
    end: int
    base: str
    before: str
    after: str
    text: str | None = None
    state: State = "enabled"
    boundary: bool = False

    @property
    def id(self) -> str:
        """Stands for the place alone, so that what is edited twice is one pin."""
        return pin_id(self.document_id, self.revision, self.parser, self.start, self.end)

    @property
    def effective(self) -> str:
        """The text that serves, were it enabled."""
        return self.base if self.text is None else self.text

    @property
    def idle(self) -> bool:
        """Whether it changes nothing: the source's own text, enabled, at boundaries that nobody asked for."""
        return self.text is None and self.state == "enabled" and not self.boundary

    def to_json(self) -> dict[str, Any]:
        """Every field, by name."""
        return asdict(self)


def pin_at(
    document_id: str, path: str, revision: str, parser: str, source: str, start: int, end: int, **made: Any
) -> Pin:
    """A pin on ``source[start:end]``, the text of a revision. Raises ``ValueError`` where there is no ink to pin."""
    base = source[start:end]
    if is_blank(base):
        raise ValueError("a pin needs text")
    before, after = source[max(0, start - AROUND) : start], source[end : end + AROUND]
    return replace(
        Pin(document_id, path, revision, parser, start, end, base, before, after),
        **made,
    )


def pin_from_json(found: object) -> Pin:
    """What ``to_json`` gave. Raises ``CorruptIndexError`` where it is anything else."""
    kinds: dict[str, type | tuple[type, ...]] = {field.name: str for field in fields(Pin)}
    kinds |= {"start": int, "end": int, "text": (str, type(None)), "boundary": bool}
    if not isinstance(found, dict) or found.keys() != kinds.keys():
        raise _damaged()
    if not all(isinstance(found[name], kind) for name, kind in kinds.items()):
        raise _damaged()
    if any(isinstance(found[name], bool) for name in ("start", "end")):
        raise _damaged()
    pin = Pin(**found)
    if pin.state not in ("enabled", "disabled", "deleted") or not 0 <= pin.start < pin.end:
        raise _damaged()
    return pin


def _damaged() -> CorruptIndexError:
    return CorruptIndexError("an edit kept in the library file is damaged", "restore a backup of it")
