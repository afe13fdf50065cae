"""Documents as a commit of a git repository holds them: read from its objects, never from the files beside it.

The repository is input like any other: git is run without a shell, without the user's and the system's configuration,
and by commands that run nothing of the repository's own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from engine.errors import SetError
from engine.settings.fields import quoted

LIMIT = 16 << 20
"""Bytes of one document."""

SECONDS = 60.0


def blobs(folder: Path, commit: str, documents: Mapping[str, str]) -> dict[str, bytes]:
    """The bytes of each path at the commit of the repository that ``folder`` lies in.

    Raises ``SetError`` where there is no git, no repository, no such commit or path, and where the bytes are not those
    that the experiment was written for.
    """
    if shutil.which("git") is None:
        raise SetError("an experiment reads documents by git, which is not installed", "install git")
    if _git(folder, "rev-parse", "--git-dir") is None:
        raise SetError(
            f"{folder} lies in no git repository", "run the experiment in a clone of its repository"
        )
    if (_git(folder, "cat-file", "-t", commit) or b"").strip() != b"commit":
        raise SetError(
            f"the repository of {folder} has no commit {commit[:12]}",
            "fetch the whole history of the repository",
        )
    return {path: _blob(folder, commit, path, digest) for path, digest in documents.items()}


def _blob(folder: Path, commit: str, path: str, digest: str) -> bytes:
    name = f"{commit}:{path}"
    size = (_git(folder, "cat-file", "-s", name) or b"").strip()
    if not size.isdigit():
        raise SetError(
            f"commit {commit[:12]} holds no {quoted(path, 120)}", "correct the path, or pin another commit"
        )
    if int(size) > LIMIT:
        raise SetError(
            f"{quoted(path, 120)} is larger than {LIMIT >> 20} MiB", "leave it out of the experiment"
        )
    raw = _git(folder, "cat-file", "blob", name)
    if raw is None:
        raise SetError(f"{quoted(path, 120)} is no file at commit {commit[:12]}", "correct the path")
    found = hashlib.sha256(raw).hexdigest()
    if found != digest:
        raise SetError(
            f"{quoted(path, 120)} has changed: its SHA-256 at commit {commit[:12]} is {found[:12]}…, the experiment was"
            f" written for {digest[:12]}…",
            "write the experiment anew for these bytes, and check its evidence",
        )
    return raw


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git says; None where it refuses."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }
    command = ["git", "-c", "safe.directory=*", "-C", os.fspath(folder), *arguments]
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
