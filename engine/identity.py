"""How things are named: document ids, chunk ids, fingerprints and the corpus sum. Pure; hashes only."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable

MODULUS = 1 << 256


def sha256_text(text: str) -> str:
    """Hex SHA-256 of the text in UTF-8 (lone surrogates pass, so that any text has one)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def fingerprint(*parts: object) -> str:
    """16 hex characters that stand for the parts; JSON with sorted keys, so the order of a mapping does not
    matter."""
    canonical = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:16]


def document_id(source: str, path: str) -> str:
    """Stable across versions of the content: 20 base32 characters of (source, path)."""
    return _base32(source, path)


def chunk_id(document: str, chunker: str, role: str, base_text_hash: str, occurrence: int) -> str:
    """20 base32 characters of (document id, chunker fingerprint, role, base text hash, n-th occurrence from
    1).

    The place in the text is no part of it: text inserted above changes no id below.
    """
    return _base32(document, chunker, role, base_text_hash, str(occurrence))


def pin_id(document: str, revision: str, parser: str, start: int, end: int) -> str:
    """20 base32 characters of the span of a revision that an edit pins."""
    return _base32("pin", document, revision, parser, str(start), str(end))


def corpus_term(*parts: str) -> int:
    """One document's share of the corpus version: SHA-256 of its parts as a number, to be summed modulo
    2^256."""
    return int.from_bytes(hashlib.sha256(_framed(parts)).digest(), "big")


def _base32(*parts: str) -> str:
    return base64.b32encode(hashlib.sha256(_framed(parts)).digest()).decode("ascii").lower()[:20]


def _framed(parts: Iterable[str]) -> bytes:
    """Length-prefixed, so that no two lists of parts run together."""
    framed = bytearray()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        framed += len(raw).to_bytes(8, "big") + raw
    return bytes(framed)
