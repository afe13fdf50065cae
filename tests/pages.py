"""The real Markdown pages of the evaluation data, decoded as their manifest says."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path


@cache
def load(shared: Path) -> dict[str, str]:
    """``{file: text}`` with the folder in the name, newlines kept, a byte order mark removed."""
    pages: dict[str, str] = {}
    for folder in ("docs-zh", "docs-en"):
        manifest = (shared / "data" / folder / "MANIFEST.tsv").read_text("utf-8").splitlines()
        for row in csv.DictReader(manifest, delimiter="\t"):
            raw = (shared / "data" / folder / row["file"]).read_bytes()
            pages[f"{folder}/{row['file']}"] = raw.decode(row["encoding"]).removeprefix("\ufeff")
    return pages
