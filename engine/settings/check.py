"""Checks of one value and of values together; every door that lets a setting in goes through here.

A message names the field, the value and the range. Nothing is coerced but a whole number where a number
is due.
"""

from __future__ import annotations

import math
import re
import tomllib
from urllib.parse import parse_qsl, urlsplit

from engine.errors import SettingsError
from engine.settings.fields import FIELDS, Field, quoted, value_of
from engine.settings.values import Chunking, Settings

TEXT_LIMIT = 2_000
"""Characters a text setting may have."""

ENTRY_LIMIT = 1_000
"""Entries a table of the user's own keys may have."""

OVERLAP_SHARE = (40, 100)
"""Overlap may be at most 40 % of the target; integers, so that no rounding decides."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SECRET = re.compile(r"key|token|secret|sig|pass|pwd|auth|cred", re.IGNORECASE)
_LABEL = re.compile(r"[^\s,*]{1,64}\Z")
_TRUTH = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


def check(field: Field, value: object) -> object:
    """The value as it is kept. Raises ``SettingsError`` for a wrong type, a value out of range, NaN or
    infinity.
    """
    match field.kind:
        case "integer" | "number":
            return _number(field, value)
        case "boolean":
            if isinstance(value, bool):
                return value
        case "choice":
            if isinstance(value, str) and value in field.choices:
                return value
        case "mapping":
            return _mapping(field, value)
        case _:
            if isinstance(value, str) and _is_text(field, value):
                return value
    raise refused(field, value)


def parse(field: Field, text: str) -> object:
    """The value of a typed text, as on the command line or in a form. Raises as ``check`` does."""
    written = text.strip()
    match field.kind:
        case "integer":
            plain = written.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", written) else written
            return check(field, int(plain) if re.fullmatch(r"[+-]?[0-9]{1,18}", plain) else written)
        case "number":
            try:
                return check(field, float(written))
            except ValueError:
                raise refused(field, written) from None
        case "boolean":
            return check(field, _TRUTH.get(written.lower(), written))
        case "choice":
            return check(field, written.lower())
        case "mapping":
            return check(field, _inline_table(field, written))
        case _:
            return check(field, text)


def _inline_table(field: Field, written: str) -> object:
    """A table as TOML writes it on one line: ``{"hr/**" = ["hr"]}``."""
    try:
        table = tomllib.loads(f"value = {written}")
    except (ValueError, RecursionError):
        raise refused(field, written) from None
    return table["value"] if len(table) == 1 else written


def refused(field: Field, value: object) -> SettingsError:
    written = quoted(value) if isinstance(value, (str, int, float)) else _kind_of(value)
    unit = f" {field.unit}" if field.unit else ""
    return SettingsError(f"{field.key} is {written or 'empty'}", f"it must be {field.range}{unit}")


def problems(settings: Settings) -> tuple[str, ...]:
    """What is wrong with the whole: every value by itself, then those that only make sense together."""
    found: list[str] = []
    for field in FIELDS:
        try:
            check(field, value_of(settings, field))
        except SettingsError as error:
            found.append(str(error))
    return (*found, *_chunking(settings.chunking), *_channels(settings), *_endpoints(settings))


def check_settings(settings: Settings) -> Settings:
    """The settings themselves. Raises ``SettingsError`` with every problem, first the values, then their
    relations.
    """
    found = problems(settings)
    if found:
        raise SettingsError("; ".join(found))
    return settings


def _number(field: Field, value: object) -> int | float:
    whole = field.kind == "integer"
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise refused(field, value)
    assert field.minimum is not None
    assert field.maximum is not None
    # NaN compares false with everything, so it fails here like any value out of range.
    if not (field.minimum <= value <= field.maximum) or not math.isfinite(value):
        raise refused(field, value)
    return value if whole else float(value) + 0.0  # −0.0 + 0.0 is 0.0: one zero, one JSON


def _is_text(field: Field, value: str) -> bool:
    if not value:
        return True
    if len(value) > TEXT_LIMIT or any(0xD800 <= ord(character) <= 0xDFFF for character in value):
        return False
    if field.kind == "variable":
        return _VARIABLE.match(value) is not None
    if field.kind == "url":
        return _is_address(value)
    # An instruction prefix may hold line ends ("Instruct: …\nQuery: "), but nothing that steers a terminal.
    return all(character.isprintable() or character in "\n\t" for character in value)


def _is_address(value: str) -> bool:
    """An http(s) address with a host, and no user, password or fragment: those could carry a secret. A query
    may say a version, but nothing that is named like a secret.
    """
    try:
        parts = urlsplit(value)
        _ = parts.port
        named = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        return False
    plain = all(character.isprintable() and not character.isspace() for character in value)
    bare = parts.username is None and parts.password is None and not parts.fragment
    bare = bare and not any(_SECRET.search(name) for name, _ in named)
    return plain and bare and parts.scheme in ("http", "https") and bool(parts.hostname)


def _mapping(field: Field, value: object) -> tuple[tuple[str, object], ...]:
    """Pairs in their own order, from a TOML table or from pairs already checked."""
    if isinstance(value, (tuple, list)):
        value = dict(value) if all(isinstance(pair, tuple) and len(pair) == 2 for pair in value) else None
    if not isinstance(value, dict) or len(value) > ENTRY_LIMIT:
        raise refused(field, value)
    return tuple((_entry_name(field, name), _entry(field, name, entry)) for name, entry in value.items())


def _entry_name(field: Field, name: object) -> str:
    if not isinstance(name, str) or not name.strip() or len(name) > TEXT_LIMIT or not name.isprintable():
        raise SettingsError(f"{field.key} has the key {quoted(name)}", "it must be printable text")
    return name


def _entry(field: Field, name: str, entry: object) -> object:
    if field.name != "scopes":
        if isinstance(entry, str) and len(entry) <= TEXT_LIMIT and entry.isprintable():
            return entry
        raise SettingsError(
            f"{field.key}.{quoted(name)} is {_kind_of(entry)}", "it must be keys parted by commas"
        )
    labels = (entry,) if isinstance(entry, str) else entry
    if not isinstance(labels, (list, tuple)) or not labels:
        raise SettingsError(f"{field.key}.{quoted(name)} is {_kind_of(entry)}", "it must be a list of labels")
    for label in labels:
        if not isinstance(label, str) or not label.isprintable() or not _LABEL.match(label):
            raise SettingsError(
                f"{field.key}.{quoted(name)} holds the label {quoted(label)}",
                "a label is 1 to 64 printable characters without spaces, commas or *",
            )
    return tuple(sorted(set(labels)))


def _chunking(chunking: Chunking) -> list[str]:
    target, overlap = chunking.target_characters, chunking.overlap_characters
    share, whole = OVERLAP_SHARE
    found: list[str] = []
    if not _numbers(target, overlap, chunking.parent_characters, chunking.child_characters):
        return found
    if overlap >= target:
        found.append(
            f"chunking.overlap_characters is {overlap:,}: it must be below target_characters, {target:,}"
        )
    elif overlap * whole > target * share:
        found.append(
            f"chunking.overlap_characters is {overlap:,}: it must be at most {target * share // whole:,}, "
            f"40 % of target_characters, {target:,}"
        )
    elif overlap < 0:
        found.append(f"chunking.overlap_characters is {overlap:,} with target_characters {target:,}")
    if chunking.child_characters >= chunking.parent_characters:
        found.append(
            f"chunking.child_characters is {chunking.child_characters:,}: it must be below "
            f"parent_characters, {chunking.parent_characters:,}"
        )
    return found


def _channels(settings: Settings) -> list[str]:
    retrieval = settings.retrieval
    weights = {
        "fulltext_weight": retrieval.fulltext_weight,
        "cjk_weight": retrieval.cjk_weight,
        "vector_weight": retrieval.vector_weight,
        "graph_weight": retrieval.graph_weight,
    }
    if not _numbers(*weights.values()) or any(weight > 0 for weight in weights.values()):
        return []
    return [f"{', '.join(weights)} are all 0: at least one channel must have a weight above 0"]


def _endpoints(settings: Settings) -> list[str]:
    embedding = settings.embedding
    if embedding.provider == "openai" and not (embedding.base_url and embedding.model):
        return ["embedding.provider is openai: it needs embedding.base_url and embedding.model"]
    return []


def _numbers(*values: object) -> bool:
    """Whether each is a number, so that relations are only judged between values that have an order."""
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _kind_of(value: object) -> str:
    """What a value of the wrong kind is, in a settings file's words."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, (list, tuple)):
        return "a list"
    return quoted(value)
