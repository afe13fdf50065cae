"""From bytes to text: which encoding they are in, decided by evidence, and what is no text at all. Pure.

In this order: nothing, a byte order mark, a binary format's signature, UTF-8 (with a few broken bytes it
stays UTF-8 and is doubtful), ISO-2022-JP by its escapes, then whichever of the other encodings makes the
likeliest text (see ``evidence``). What fits none is refused by name: text that nobody wrote is worse than a
file left out.

NUL bytes are binary, with two exceptions: UTF-16 without a byte order mark, and text followed by nothing but
NULs (what a crash leaves of a log): the padding is dropped, and the text is doubtful.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.ingest import evidence
from engine.ingest.evidence import any_likelihood, likelihood
from engine.ingest.signatures import signature

SAMPLE = 64 << 10
"""Bytes of evidence that are weighed; more would not change the verdict."""

DOUBT_MARGIN = 12.0
"""Nats by which the likeliest encoding must lead the next: odds of 160,000 to 1, for characters are not
independent."""

DOUBT_MEAN, LEAST_MEAN = -9.8, -11.5
"""Nats a character not in ASCII below which a text is doubtful, and refused. Prose of two-byte characters
lies at -5 to -9, what is no text at -12 to -17."""

DOUBT_LETTER, LEAST_LETTER = -5.5, -7.0
"""The same where a character is one byte."""

FEW_LETTERS = 4
"""Bytes not in ASCII up to which nothing is refused for them, and below which a single-byte encoding is a
guess."""

_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]")
_C1 = re.compile(rb"[\x80-\x9f]")
_HIGH_LINE = re.compile(rb"[^\n]*[\x80-\xff][^\n]*\n?")
_IMPLAUSIBLE = 0.05
_TEXT_CONTROLS, _OTHER_CONTROLS = 0.3, 0.02
"""Shares of control characters above which valid UTF-8, and anything else, is binary."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text without its byte order mark, newlines kept; ``doubtful`` where the encoding is a guess or bytes
    were lost (each such place holds U+FFFD)."""

    text: str
    encoding: str
    doubtful: bool


class Undecodable(Exception):
    """Bytes that are no text. ``reason`` says what they are, in a few words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    """An encoding that bytes may be in: its codecs from the strictest to the widest, what the text is weighed
    by, and, in nats, how much less often it is met than the commonest. A ``guess`` is never beyond doubt."""

    codecs: tuple[str, ...]
    weigh: Callable[[str], float]
    prior: float = 0.0
    single_byte: bool = False
    guess: bool = False


def _in(table: Callable[[], evidence.Table]) -> Callable[[str], float]:
    return lambda text: likelihood(text, table())


# Alphabets of one byte resemble each other: Greek can look like Cyrillic, which is therefore always a guess.
_HYPOTHESES: tuple[_Hypothesis, ...] = (
    _Hypothesis(("utf-8",), any_likelihood),
    _Hypothesis(("gb18030",), _in(evidence.simplified)),
    _Hypothesis(("big5", "cp950", "big5hkscs"), _in(evidence.traditional)),
    _Hypothesis(("shift_jis", "cp932"), _in(evidence.japanese)),
    _Hypothesis(("euc_jp",), _in(evidence.japanese), -3.0),
    _Hypothesis(("euc_kr", "cp949"), _in(evidence.korean), -1.0),
    _Hypothesis(("cp1251",), evidence.cyrillic_likelihood, -3.0, single_byte=True, guess=True),
    _Hypothesis(("koi8-r",), evidence.cyrillic_likelihood, -4.0, single_byte=True, guess=True),
    _Hypothesis(("latin-1", "cp1252"), evidence.western_likelihood, single_byte=True),
)
_WIDE: tuple[_Hypothesis, ...] = (
    _Hypothesis(("utf-16-le",), any_likelihood, -4.0),
    _Hypothesis(("utf-16-be",), any_likelihood, -5.0),
)
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)


def decode(raw: bytes) -> Decoded:
    """The text that ``raw`` holds. Raises ``Undecodable``."""
    if raw.startswith(codecs.BOM_UTF8):
        return _utf8(raw[3:], "utf-8-sig")
    for mark, codec in _MARKS:
        if raw.startswith(mark) and (marked := _marked(raw[len(mark) :], codec)) is not None:
            return marked
    if name := signature(raw):
        raise Undecodable(f"binary: {name}")
    if b"\0" in raw:
        return _wide(raw) or _padded(raw)
    if _mostly_utf8(raw):
        return _iso_2022(raw) or _utf8(raw, "utf-8")
    return _likeliest(raw)


# --- declared, or beyond doubt ------------------------------------------------------------------------------


def _utf8(body: bytes, name: str) -> Decoded:
    text = body.decode("utf-8", "replace")
    kept = text.rstrip("\0")
    if "\0" in kept or (text and not kept) or _share(_CONTROL, kept) > _TEXT_CONTROLS:
        raise Undecodable("binary")
    return Decoded(kept, name, len(kept) < len(text) or _broken(text, body) > 0)


def _mostly_utf8(raw: bytes) -> bool:
    """Whether ``raw`` is UTF-8, or was but for a stray byte or a cut at its ends: broken places are few
    beside whole characters. In the older encodings of Han nearly every character breaks; one in seven looks
    whole by chance."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        sample = _sample(raw)
        text = sample.decode("utf-8", "replace")
        broken = _broken(text, sample)
        whole = len(_NOT_ASCII.findall(text)) - broken
        return whole >= 8 * broken or (broken == 1 and whole >= 2)
    return True


def _broken(text: str, raw: bytes) -> int:
    """How many U+FFFD the decoder put in."""
    return text.count("\ufffd") - raw.count(b"\xef\xbf\xbd")


def _marked(body: bytes, codec: str) -> Decoded | None:
    """Text behind a byte order mark; None where what follows shows that it was none."""
    text = body.decode(codec, "replace")
    if "\0" in text or evidence.implausible(text[:SAMPLE]) > _IMPLAUSIBLE:
        return None
    return Decoded(text, codec, "\ufffd" in text)


def _iso_2022(raw: bytes) -> Decoded | None:
    """Japanese in seven bits: valid UTF-8 to the byte, and unreadable as such."""
    if b"\x1b$" not in raw:
        return None
    try:
        return Decoded(raw.decode("iso2022_jp_2"), "iso-2022-jp", False)
    except UnicodeDecodeError:
        return None


# --- NUL bytes ----------------------------------------------------------------------------------------------


def _wide(raw: bytes) -> Decoded | None:
    """UTF-16 without a byte order mark, where it is text; None elsewhere."""
    if len(raw) % 2:
        return None
    beginnings = [raw[:SAMPLE].decode(each.codecs[0], "replace") for each in _WIDE]
    scores = [each.weigh(text) + each.prior for each, text in zip(_WIDE, beginnings, strict=True)]
    score, second = max(scores), min(scores)
    best = scores.index(score)
    codec = _WIDE[best].codecs[0]
    text = raw.decode(codec, "replace")
    if "\0" in text or score / len(beginnings[best]) < DOUBT_MEAN:
        return None
    return Decoded(text, codec, score - second < DOUBT_MARGIN or "\ufffd" in text)


def _padded(raw: bytes) -> Decoded:
    body = raw.rstrip(b"\0")
    if not body or b"\0" in body:
        raise Undecodable("binary")
    return replace(decode(body), doubtful=True)


# --- told by evidence ---------------------------------------------------------------------------------------


def _likeliest(raw: bytes) -> Decoded:
    sample = _sample(raw)
    wide = _WIDE if sample == raw and len(raw) % 2 == 0 else ()
    weighed = [(*_weigh(each, sample), each) for each in (*_HYPOTHESES, *wide)]
    weighed.sort(key=lambda one: one[0], reverse=True)
    (score, mean, best), (second, _, _) = weighed[:2]
    doubt, least = (DOUBT_LETTER, LEAST_LETTER) if best.single_byte else (DOUBT_MEAN, LEAST_MEAN)
    text, codec = _whole(raw, best.codecs)
    if _share(_CONTROL, text) > _OTHER_CONTROLS:
        raise Undecodable("binary")
    high = len(_HIGH.findall(sample))
    if mean < least and high > FEW_LETTERS:
        raise Undecodable("not UTF-8, and no other encoding fits")
    guess = best.guess or (best.single_byte and high < FEW_LETTERS)
    return Decoded(text, codec, guess or score - second < DOUBT_MARGIN or mean < doubt or "\ufffd" in text)


def _sample(raw: bytes) -> bytes:
    """The evidence: lines that are not all ASCII, up to ``SAMPLE`` bytes. LF is never part of a longer
    character in these encodings."""
    if len(raw) <= SAMPLE:
        return raw
    sample = bytearray()
    for line in _HIGH_LINE.finditer(raw):
        sample += line[0][: SAMPLE - len(sample)]
        if len(sample) >= SAMPLE:
            break
    return bytes(sample)


def _weigh(hypothesis: _Hypothesis, sample: bytes) -> tuple[float, float]:
    """The score of a hypothesis in nats, and its mean over the characters that are not ASCII."""
    text, _ = _whole(sample, hypothesis.codecs)
    likely = hypothesis.weigh(text)
    others = len(_NOT_ASCII.findall(text))
    mean = (likely - evidence.ASCII * (len(text) - others)) / max(others, 1)
    return likely + hypothesis.prior, mean


def _whole(raw: bytes, names: tuple[str, ...]) -> tuple[str, str]:
    """The text by the first codec that has all its bytes, else by the last with U+FFFD; and which it was."""
    for name in names:
        if name == "latin-1" and _C1.search(raw):
            continue  # nobody writes C1 controls; cp1252 has quotes and dashes there
        try:
            return raw.decode(name), name
        except UnicodeDecodeError:
            continue
    return raw.decode(names[-1], "replace"), names[-1]


def _share(pattern: re.Pattern[str], text: str) -> float:
    return len(pattern.findall(text, 0, SAMPLE)) / max(1, min(len(text), SAMPLE))
