"""What lies in a folder: which files are documents, which are left out and why, and what could not be listed.

No file is opened but ignore files; folders are opened one below the other and never through a link. Rules
come from ``.gitignore`` files at and below the root and from the root's ``.git/info/exclude``; nothing
outside the root, and no configuration of its user, changes what is found. Hidden folders are entered,
``.git`` and ``.rankscope`` are not.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import SourceError, UsageError
from engine.ingest.below import FILE, FOLDER, opened_below, opened_root
from engine.ingest.formats import CORPUS, NOT_A_CORPUS, folder_refusal, refusal
from engine.ingest.ignore import Rules, ignored
from engine.ingest.names import path_of
from engine.ingest.read import stamp_of
from engine.model import FileStamp, Skipped

OWN = frozenset((b".git", b".rankscope"))
"""Names that are never entered, at any depth: what they hold is not the documents."""

RULES_LIMIT = 1 << 20
"""Bytes an ignore file may have."""

_ENTRIES_A_CHECK = 64


@dataclass(frozen=True, slots=True)
class Found:
    """A file to index: its path below the listing's root (see ``names``), and its stamp."""

    path: str
    stamp: FileStamp


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything found under one root, each part sorted by path.

    ``root`` is the real folder that paths are relative to: the folder asked for, or that of the one file
    asked for. ``unreadable`` are folders whose listing failed or was cut short: nothing is known of what lies
    below them, so their documents must never read as deleted.
    """

    root: Path
    files: tuple[Found, ...]
    skipped: tuple[Skipped, ...] = ()
    unreadable: tuple[str, ...] = ()


def discover(root: Path, *, include: Iterable[str] = (), cancel: CancelToken) -> Listing:
    """List a folder, or a single file as a library of its own.

    ``include`` are patterns in the syntax of ignore files; where there are any, only what they match is
    found. Raises ``UsageError`` where there is no such folder or file, ``SourceError`` where it cannot be
    listed, and ``Cancelled``. Anything that fails deeper is in the listing.
    """
    try:
        real = Path(os.path.realpath(root, strict=True))
        status = real.stat()
    except (OSError, ValueError) as error:
        raise _no_root(root, error) from error
    if stat.S_ISREG(status.st_mode):
        return _single(real, status)
    if not stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{_shown(root)} is neither a folder nor a file", "name a folder of documents")
    patterns = Rules.of("\n".join(include).encode("utf-8", "surrogateescape"))
    try:
        with opened_root(real) as top:
            return _Walk(real, top, cancel, patterns).listing()
    except OSError as error:
        raise _no_root(root, error) from error


def _single(file: Path, status: os.stat_result) -> Listing:
    """One file, asked for by name: ignore rules do not apply, and any JSON Lines file is a corpus."""
    path = path_of(os.fsencode(file.name))
    reason = refusal(path)
    if reason and reason != NOT_A_CORPUS:
        return Listing(file.parent, (), (Skipped(path, reason),))
    return Listing(file.parent, (Found(path, stamp_of(status)),))


def _no_root(root: Path, error: Exception) -> UsageError | SourceError:
    number = error.errno if isinstance(error, OSError) else errno.EINVAL
    if number in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EINVAL, errno.ENAMETOOLONG):
        return UsageError(f"there is no folder {_shown(root)}", "check the path")
    reason = "no permission" if number in (errno.EACCES, errno.EPERM) else os.strerror(number or 0).lower()
    return SourceError(f"{_shown(root)} cannot be read ({reason})", "nothing was changed")


def _shown(root: Path) -> str:
    return path_of(os.fspath(root).encode("utf-8", "backslashreplace"))


# --- the walk -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder still to be listed: its name below the root, and the rules of the folders above, nearest
    first.
    """

    name: bytes
    rules: tuple[tuple[bytes, Rules], ...]
    included: bool

    def below(self, name: bytes) -> bytes:
        return self.name + b"/" + name if self.name else name

    def ignores(self, name: bytes, is_folder: bool) -> bool:
        whole = self.below(name)
        layers = ((rules, whole[len(base) :]) for base, rules in self.rules)
        return ignored(layers, is_folder)


@dataclass(slots=True)
class _Walk:
    """A depth-first walk without recursion, so that no depth is too deep."""

    root: Path
    top: int
    cancel: CancelToken
    include: Rules
    files: list[Found] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def listing(self) -> Listing:
        pending = [_Folder(b"", self._excludes(), included=not self.include.rules)]
        while pending:
            self.cancel.check()
            folder = pending.pop()
            try:
                pending += self._enter(folder)
            except OSError:
                if not folder.name:
                    raise
                self.unreadable.append(path_of(folder.name))
        return Listing(
            self.root,
            tuple(sorted(self.files, key=lambda found: found.path)),
            tuple(sorted(self.skipped, key=lambda skipped: skipped.path)),
            tuple(sorted(self.unreadable)),
        )

    def _excludes(self) -> tuple[tuple[bytes, Rules], ...]:
        """The repository's own exclusions, which no commit holds; git asks them last."""
        try:
            raw = self._rules_file(b".git/info/exclude")
        except OSError:
            raw = b""
        return ((b"", Rules.of(raw, self.cancel.check)),) if raw else ()

    def _enter(self, folder: _Folder) -> list[_Folder]:
        """List one folder; its subfolders to enter. ``OSError`` where the listing is not whole."""
        with opened_below(self.top, folder.name, FOLDER) as handle:
            entries: list[tuple[bytes, os.stat_result]] = []
            with os.scandir(handle) as listed:
                for number, entry in enumerate(listed):
                    if number % _ENTRIES_A_CHECK == 0:
                        self.cancel.check()
                    try:
                        entries.append((os.fsencode(entry.name), entry.stat(follow_symlinks=False)))
                    except FileNotFoundError:
                        continue  # gone since it was listed
        return self._sort_out(self._with_rules(folder, dict(entries)), entries)

    def _with_rules(self, folder: _Folder, entries: dict[bytes, os.stat_result]) -> _Folder:
        """The folder under its own ignore file too. One that cannot be read would hide nothing: its
        folder counts as unreadable instead. A link is not followed, as in git.
        """
        status = entries.get(b".gitignore")
        if status is None or not stat.S_ISREG(status.st_mode):
            return folder
        rules = Rules.of(self._rules_file(folder.below(b".gitignore")), self.cancel.check)
        return replace(folder, rules=((folder.below(b""), rules), *folder.rules))

    def _rules_file(self, name: bytes) -> bytes:
        with opened_below(self.top, name, FILE) as handle:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return b""
            raw = bytearray()
            while block := os.read(handle, RULES_LIMIT + 1 - len(raw)):
                raw += block
                if len(raw) > RULES_LIMIT:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return bytes(raw)

    def _sort_out(self, folder: _Folder, entries: list[tuple[bytes, os.stat_result]]) -> list[_Folder]:
        """Put every entry where it belongs; the subfolders to enter."""
        beside_corpus = any(
            name == CORPUS.encode() and stat.S_ISREG(status.st_mode) for name, status in entries
        )
        deeper: list[_Folder] = []
        for name, status in entries:
            is_folder = stat.S_ISDIR(status.st_mode)
            if name in OWN or folder.ignores(name, is_folder):
                continue
            included = self._included(folder, name, is_folder)
            path, shown = path_of(folder.below(name)), path_of(name)
            if is_folder:
                reason = folder_refusal(shown, beside_corpus=beside_corpus)
                if not reason:
                    deeper.append(_Folder(folder.below(name), folder.rules, included))
            elif stat.S_ISREG(status.st_mode):
                reason = refusal(shown, beside_corpus=beside_corpus)
                if included and not reason:
                    self.files.append(Found(path, stamp_of(status)))
            elif stat.S_ISLNK(status.st_mode):
                reason = _link_reason(os.fsencode(self.root), folder.below(name))
            else:
                reason = _special(status.st_mode)
            if included and reason:
                self.skipped.append(Skipped(path, reason))
        return deeper

    def _included(self, folder: _Folder, name: bytes, is_folder: bool) -> bool:
        """Whether the include patterns ask for an entry: the last that speaks of it, else what holds for
        its folder.
        """
        verdict = self.include.verdict(folder.below(name), is_folder)
        return folder.included if verdict is None else verdict


def _link_reason(root: bytes, name: bytes) -> str:
    """Why a link is not followed. It is only looked at; where that fails, it is left out all the same."""
    try:
        target = os.path.realpath(os.path.join(root, name), strict=True)
    except FileNotFoundError:
        return "broken link"
    except OSError as error:
        return "link in a circle" if error.errno == errno.ELOOP else "link that cannot be followed"
    inside = target == root or target.startswith(root.rstrip(b"/") + b"/")
    return "link inside the folder" if inside else "link out of the folder"


def _special(mode: int) -> str:
    kinds = ((stat.S_ISFIFO, "named pipe"), (stat.S_ISSOCK, "socket"))
    return next((kind for test, kind in kinds if test(mode)), "device")
