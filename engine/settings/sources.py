"""Where each value comes from: defaults < user < library < ``--settings`` < ``--set``, the later wins.

Tables of the user's own keys (scopes, keymap) are merged key by key. What the opened folder's own file
says of endpoints, secret names and scopes is left out unless the folder was trusted, and told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from engine.errors import SettingsError
from engine.settings.check import check_settings, parse
from engine.settings.fields import BY_KEY, FIELDS, Field, find, quoted, value_of, with_values
from engine.settings.places import library_file, user_file
from engine.settings.save import save
from engine.settings.toml import read_table, read_text, values
from engine.settings.trust import guarded, is_trusted, trust
from engine.settings.values import Settings

Layer = Literal["default", "user", "library", "file", "command line"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The layer that a value comes from, and its file where it has one."""

    layer: Layer
    path: str = ""


DEFAULT = Origin("default")


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings in force, with the origin of every field by full key.

    ``ignored`` are the full keys that the opened folder's file set and that did not count. ``file`` is
    where a changed value must be saved to count next time: the ``--settings`` file where one was given,
    else the
    library's. ``found`` is what ``library``, the opened folder's own file, holds, ignored or not.
    """

    settings: Settings
    origins: Mapping[str, Origin]
    ignored: tuple[str, ...] = ()
    file: Path | None = None
    folder: Path | None = None
    library: Path | None = None
    found: Mapping[str, object] = field(default_factory=dict)

    def of_library(self) -> Resolved:
        """The same, for changes that belong to the library and must be saved there."""
        return replace(self, file=self.library)

    @property
    def warning(self) -> str:
        """One sentence about what was ignored, empty where nothing was."""
        if not self.ignored:
            return ""
        return (
            f"{', '.join(self.ignored)} of the folder's own settings ignored: they could send documents or "
            "a key away; look at them, then `rankscope settings PATH --trust`"
        )


def resolve(
    folder: Path | None = None,
    *,
    library: Path | None = None,
    file: Path | None = None,
    assignments: Sequence[str] = (),
) -> Resolved:
    """Read every layer and check the whole. Raises ``SettingsError`` that names the file or option at fault.

    ``folder`` is the one that is opened and ``library`` its own file, where that does not lie in its
    ``.rankscope/``; ``file`` is that of ``--settings``, ``assignments`` are the ``field=value`` of ``--set``.
    """
    library = library or (None if folder is None else library_file(folder))
    ignored: tuple[str, ...] = ()
    layers: list[tuple[Origin, Mapping[str, object]]] = [_file_layer("user", user_file())]
    found: Mapping[str, object] = {}
    if folder is not None and library is not None:
        origin, found = _file_layer("library", library, follow=False)
        counted = dict(found)
        if not is_trusted(folder, found):
            ignored = tuple(guarded(found))
            counted = {key: value for key, value in found.items() if key not in ignored}
        layers.append((origin, counted))
    if file is not None:
        layers.append(_file_layer("file", file, required=True))
    layers.append((Origin("command line"), _assigned(assignments)))
    settings, origins = _layered(layers)
    return Resolved(check_settings(settings), origins, ignored, file or library, folder, library, found)


def trust_folder(resolved: Resolved) -> tuple[str, ...]:
    """Trust what the opened folder's file sets now; the full keys that count from here on."""
    if resolved.folder is None:
        return ()
    trust(resolved.folder, resolved.found)
    return tuple(guarded(resolved.found))


def save_changes(resolved: Resolved, changes: Mapping[str, object | None]) -> tuple[str, ...]:
    """Save into ``resolved.file``, and say what changed.

    A guarded value that the user saves into a library whose file was trusted, or held none, stays
    trusted; beside values that were ignored it is not, for that would bless them too.
    """
    if resolved.file is None:
        raise SettingsError(
            "there is no file to save the settings to", "open a folder or give --settings FILE"
        )
    own = resolved.folder is not None and resolved.file == resolved.library
    changed = save(resolved.file, changes, follow=not own)
    if own and resolved.folder is not None and not resolved.ignored:
        text = read_text(resolved.file, follow=False)
        trust(resolved.folder, values(read_table(text, str(resolved.file)), text, str(resolved.file)))
    return changed


def _file_layer(
    layer: Layer, path: Path, *, required: bool = False, follow: bool = True
) -> tuple[Origin, Mapping[str, object]]:
    try:
        text = read_text(path, follow=follow)
    except (FileNotFoundError, NotADirectoryError):
        if required:
            raise SettingsError(f"there is no settings file {quoted(str(path), 200)}") from None
        return DEFAULT, {}
    return Origin(layer, str(path)), values(read_table(text, str(path)), text, str(path))


def _assigned(assignments: Sequence[str]) -> dict[str, object]:
    assigned: dict[str, object] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise SettingsError(f"--set {quoted(assignment)} has no value", "write --set field=value")
        known = find(name.strip())
        assigned[known.key] = parse(known, text)
    return assigned


def _layered(layers: Sequence[tuple[Origin, Mapping[str, object]]]) -> tuple[Settings, dict[str, Origin]]:
    settings = Settings()
    origins = {known.key: DEFAULT for known in FIELDS}
    for origin, found in layers:
        changes = [(BY_KEY[key], _merged(settings, BY_KEY[key], value)) for key, value in found.items()]
        settings = with_values(settings, changes)
        origins |= dict.fromkeys(found, origin)
    return settings, origins


def _merged(settings: Settings, known: Field, value: object) -> object:
    if known.kind != "mapping" or not isinstance(value, tuple):
        return value
    below = value_of(settings, known)
    return tuple({**dict(below), **dict(value)}.items()) if isinstance(below, tuple) else value
