"""Saves the settings that differ, and says what changed and where."""

from __future__ import annotations

from dataclasses import replace

from engine.errors import RankscopeError
from engine.settings.fields import value_of
from engine.settings.sources import Origin, Resolved, save_changes
from tui.state import View, unsaved


def saved(view: View, resolved: Resolved) -> View:
    """The view after saving, with its note; where nothing could be saved, the note says why and all else
    stays."""
    changed = {known.key: value_of(view.settings, known) for known in unsaved(view)}
    if not changed:
        return replace(view, note="nothing to save: no setting differs from the file")
    try:
        told = save_changes(resolved, changed)
    except RankscopeError as error:
        return replace(view, note=f"not saved: {error}")
    origin = Origin("library" if resolved.file == resolved.library else "file", str(resolved.file))
    origins = {**view.origins, **dict.fromkeys(changed, origin)}
    note = f"saved to {resolved.file}: {', '.join(told) or 'as it was'}"
    return replace(view, saved=view.settings, origins=origins, note=note)
