"""Ignore rules with the verdicts of ``git check-ignore --no-index``. Pure; imports nothing of the engine.

Works on bytes, as git does: ``?`` and ``[…]`` stand for one byte. A rule becomes a regular expression in
which each ``*`` and ``**`` is atomic: the shortest match is taken and never given back. For these patterns
that loses no match, and a hostile rule such as ``*a*a*a*a*b`` costs linear time a star instead of years.
(pathspec differs: its rule for a folder also matches everything below it, so ``*.d`` then ``!keep.d`` would
bring back ``keep.d/x.d``.)

Rules as in gitignore(5) and git's dir.c and wildmatch.c: a comment begins with ``#``, a negation with ``!``;
trailing spaces fall unless escaped; a trailing ``/`` asks for a folder; a ``/`` elsewhere anchors the rule to
its file's folder; without one it is asked of the name alone. The last rule that matches decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"
_GLOB = frozenset(b"*?[\\")
_NEVER = re.compile(rb"(?!)")
_LONGEST = 4096
"""Bytes a rule may have; no path is longer, and a longer rule matches nothing."""
_LINES_A_CHECK = 256
_SLASH = b"/"
_STAR = b"*"
_DEEP = b"**/"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file. ``matcher`` is asked of a whole name, or of a whole path where the rule is
    anchored; plain bytes where it has no wildcard."""

    matcher: re.Pattern[bytes] | bytes
    negated: bool
    folders_only: bool
    anchored: bool

    def matches(self, path: bytes, name: bytes, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        asked = path if self.anchored else name
        if isinstance(self.matcher, bytes):
            return self.matcher == asked
        return self.matcher.fullmatch(asked) is not None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one ignore file; paths are relative to the folder that holds it."""

    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, raw: bytes, check: Callable[[], None] = lambda: None) -> Rules:
        """The rules in an ignore file's bytes. Nothing in them is an error: what is no rule matches nothing.

        ``check`` is called every few hundred lines; what it raises passes.
        """
        lines = raw.removeprefix(_BOM).split(b"\n")
        rules: list[Rule] = []
        for number, line in enumerate(lines, start=1):
            if number % _LINES_A_CHECK == 0:
                check()
            rule = parse_rule(line.removesuffix(b"\r") if number < len(lines) else line)
            if rule is not None:
                rules.append(rule)
        return cls(tuple(rules))

    def verdict(self, path: bytes, is_folder: bool) -> bool | None:
        """True: ignored; False: kept by a negation; None: no rule speaks of it. Asks nothing of its
        parents."""
        name = path.rpartition(b"/")[2]
        for rule in reversed(self.rules):
            if rule.matches(path, name, is_folder):
                return not rule.negated
        return None


def ignored(layers: Iterable[tuple[Rules, bytes]], is_folder: bool) -> bool:
    """The verdict of several rule files on one entry: the first layer that speaks decides.

    ``layers`` go from the nearest folder's rules outwards, each with the entry's path relative to that
    folder. The caller does not descend into an ignored folder, so nothing below one can be brought back.
    """
    for rules, path in layers:
        verdict = rules.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def parse_rule(line: bytes) -> Rule | None:
    """One line without its newline; None for a blank line or a comment."""
    line = _without_trailing_spaces(line.partition(b"\0")[0])  # git reads C strings
    if not line or line.startswith(b"#"):
        return None
    negated = line.startswith(b"!")
    pattern = line[negated:]
    folders_only = pattern.endswith(b"/")
    pattern = pattern[: len(pattern) - folders_only]
    anchored = b"/" in pattern
    return Rule(_matcher(pattern.removeprefix(b"/")), negated, folders_only, anchored)


def _matcher(pattern: bytes) -> re.Pattern[bytes] | bytes:
    if not _GLOB.intersection(pattern):
        return pattern
    tokens = _tokens(pattern) if len(pattern) <= _LONGEST else None
    return re.compile(_expression(tokens), re.DOTALL) if tokens is not None else _NEVER


def _without_trailing_spaces(line: bytes) -> bytes:
    kept = line.rstrip(b" ")
    backslashes = len(kept) - len(kept.rstrip(b"\\"))
    return line[: len(kept) + 1] if backslashes % 2 and len(kept) < len(line) else kept


# --- one pattern as a regular expression -------------------------------------------------------------------


def _expression(tokens: list[bytes]) -> bytes:
    """The regular expression of a pattern.

    ``**/`` cuts the tokens into sections. Each is looked for at the first place after the one before it, and
    only the last must reach the end.
    """
    first, *others = [_section(section) for section in _split(tokens, _DEEP)]
    deeper = [rb"(?>(?:.*?/)??" + section + rb")" for section in others[:-1]]
    last = [rb"(?:.*?/)??" + section for section in others[-1:]]
    return b"".join([first, *deeper, *last])


def _section(tokens: list[bytes]) -> bytes:
    return _SLASH.join(_segment(segment) for segment in _split(tokens, _SLASH))


def _segment(tokens: list[bytes]) -> bytes:
    """Between two slashes: what follows a star is taken where it first fits, after the last star where the
    segment ends."""
    first, *others = [b"".join(part) for part in _split(tokens, _STAR)]
    middle = [rb"(?>[^/]*?" + part + rb")" for part in others[:-1]]
    last = [rb"(?>[^/]*?" + part + rb"(?=/|\Z))" for part in others[-1:]]
    return b"".join([first, *middle, *last])


def _split(tokens: list[bytes], at: bytes) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[]]
    for token in tokens:
        if token == at:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _tokens(pattern: bytes) -> list[bytes] | None:
    """Wildcards as their names, all else as regular expressions of one byte; None where nothing can match.

    git compares the literal head of a pattern on its own, so a ``**`` right behind it counts as if a slash
    stood between: ``a**/b`` matches ``ax/y/b``. The documentation says otherwise; the verdicts here are
    git's.
    """
    head = next((index for index, byte in enumerate(pattern) if byte in _GLOB), len(pattern))
    tokens: list[bytes] = []
    index = 0
    while index < len(pattern):
        byte = pattern[index : index + 1]
        if byte == b"*":
            stars, index = index, len(pattern) - len(pattern[index:].lstrip(b"*"))
            whole = index - stars > 1 and (stars == head or pattern[stars - 1 : stars] == b"/")
            if whole and index == len(pattern):
                tokens.append(rb".*")
            elif whole and pattern[index : index + 1] == b"/":
                tokens.append(_DEEP)
                index += 1
            else:
                tokens.append(_STAR)
        elif byte == b"[":
            members, index = _bracket(pattern, index + 1)
            if members is None:
                return None
            tokens.append(_class(members))
        else:
            if byte == b"\\":
                index += 1
                byte = pattern[index : index + 1]
                if not byte:
                    return None
                tokens.append(_SLASH if byte == b"/" else re.escape(byte))
            else:
                tokens.append(_SLASH if byte == b"/" else b"[^/]" if byte == b"?" else re.escape(byte))
            index += 1
    return tokens


# --- bracket expressions -----------------------------------------------------------------------------------

_NAMED: dict[bytes, Callable[[bytes], bool]] = {
    b"alnum": bytes.isalnum,
    b"alpha": bytes.isalpha,
    b"blank": lambda byte: byte in b" \t",
    b"cntrl": lambda byte: byte < b" " or byte == b"\x7f",
    b"digit": bytes.isdigit,
    b"graph": lambda byte: b"!" <= byte <= b"~",
    b"lower": bytes.islower,
    b"print": lambda byte: b" " <= byte <= b"~",
    b"punct": lambda byte: b"!" <= byte <= b"~" and not byte.isalnum(),
    b"space": bytes.isspace,
    b"upper": bytes.isupper,
    b"xdigit": lambda byte: byte in b"0123456789abcdefABCDEF",
}
_BYTES = [bytes([value]) for value in range(256)]


def _bracket(pattern: bytes, index: int) -> tuple[frozenset[int] | None, int]:
    """The bytes that a ``[…]`` stands for, read from behind its ``[``, and where it ends; None if it never
    closes.

    A ``]`` right at the start is a member; a ``-`` is one too where it has not both its ends.
    """
    negated = pattern[index : index + 1] in (b"!", b"^")
    start = index = index + negated
    members: set[int] = set()
    low: int | None = None
    while index == start or pattern[index : index + 1] != b"]":
        if (named := _named_class(pattern, index)) is not None:
            found, index = named
            low = None
        elif _spans(pattern, index) and low is not None:
            high, index = _member(pattern, index + 1)
            found = frozenset(range(low, high + 1)) if high is not None else None
            low = None
        else:
            low, index = _member(pattern, index)
            found = frozenset((low,)) if low is not None else None
        if found is None:
            return None, index
        members |= found
    kept = frozenset(range(256)) - members if negated else frozenset(members)
    return kept - {ord("/")}, index + 1


def _spans(pattern: bytes, index: int) -> bool:
    """Whether a ``-`` with something behind it stands here."""
    return pattern[index : index + 1] == b"-" and pattern[index + 1 : index + 2] not in (b"", b"]")


def _member(pattern: bytes, index: int) -> tuple[int | None, int]:
    """One byte of a set, escaped or not, and where the next begins; None at the end of the pattern."""
    if pattern[index : index + 1] == b"\\":
        index += 1
    return (pattern[index], index + 1) if index < len(pattern) else (None, index)


def _named_class(pattern: bytes, index: int) -> tuple[frozenset[int] | None, int] | None:
    """``[:alpha:]`` at ``index`` and where it ends; None where no such class opens; no members where its name
    is unknown or the set never closes."""
    if pattern[index : index + 2] != b"[:":
        return None
    end = pattern.find(b"]", index + 2)
    if end < 0:
        return None, len(pattern)
    if end == index + 2 or pattern[end - 1 : end] != b":":
        return None
    test = _NAMED.get(pattern[index + 2 : end - 1])
    return frozenset(value for value in range(128) if test(_BYTES[value])) if test else None, end + 1


def _class(members: frozenset[int]) -> bytes:
    return (
        b"[" + b"".join(rb"\x%02x" % byte for byte in sorted(members)) + b"]" if members else _NEVER.pattern
    )
