"""How each language begins a top-level definition, and what it quotes over several lines. Data only.

``begins`` is matched at column 0 against one line (cut to a bounded length); its first group that took part
is the name. ``quoted`` matches comments and strings, so that what looks like a definition inside one is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grammar:
    begins: re.Pattern[str]
    quoted: re.Pattern[str] | None = None


_LINE_STRINGS = r"""|"(?:\\.|[^"\\\n\r])*"|'(?:\\.|[^'\\\n\r])*'"""
_C_COMMENTS = r"//[^\n\r]*|/\*[\s\S]*?(?:\*/|\Z)"
_C = re.compile(_C_COMMENTS + _LINE_STRINGS)
_SCRIPT = re.compile(_C_COMMENTS + _LINE_STRINGS + r"|`(?:\\[\s\S]|[^`\\])*(?:`|\Z)")
_GO = re.compile(_C_COMMENTS + r"|`[^`]*(?:`|\Z)" + _LINE_STRINGS)
_RUST = re.compile(_C_COMMENTS + r'|"(?:\\[\s\S]|[^"\\])*(?:"|\Z)' + r"|'(?:\\[^\n\r]|[^'\\\n\r])'")
_JVM = re.compile(_C_COMMENTS + r'|"""[\s\S]*?(?:"""|\Z)' + _LINE_STRINGS)
_TRIPLE = re.compile(
    r"#[^\n\r]*"
    r'|"""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*(?:"""|\Z)'
    r"|'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*(?:'''|\Z)" + _LINE_STRINGS
)
_SQL = re.compile(
    r"--[^\n\r]*|/\*[\s\S]*?(?:\*/|\Z)|(\$\w*\$)[\s\S]*?(?:\1|\Z)|'[^']*(?:'|\Z)|\"[^\"\n\r]*\""
)
_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|override|partial|data|inline|case|"
    r"suspend|async|virtual|unsafe|implicit|lazy|const|export|fileprivate|non-sealed|strictfp|readonly)[ \t]+)*"
)


def _line(pattern: str, quoted: re.Pattern[str] | None = None, flags: int = 0) -> Grammar:
    return Grammar(re.compile(pattern, flags), quoted)


_JAVASCRIPT = _line(
    r"(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?"
    r"(?:(?:function\b[ \t]*\*?|class|interface|enum|namespace|module|type)[ \t]*([\w$]+)"
    r"|(?:const[ \t]+enum|const|let|var)[ \t]+([\w$]+))"
    r"|(?:module\.)?exports(?:\.([\w$]+))?[ \t]*=|export[ \t]+default\b|<(script|template|style)\b",
    _SCRIPT,
)
_TYPED = _line(
    _MODIFIERS
    + r"(?:(?:enum[ \t]+)?(?:class|interface|enum|record|struct|trait|protocol|extension|object|namespace|"
    r"actor|mixin|@interface|fun|func|def|val|var|typealias|typedef)\b[ \t]+(?:<[^>]*>[ \t]*)?([\w.$`]+))"
    r"|(?:[\w<>\[\],.?]+[ \t]+)+(\w+)[ \t]*\([^;]*$",
    _JVM,
)
_C_LIKE = _line(
    r"(?:typedef[ \t]+)?(?:struct|class|enum|union|namespace)\b(?:[ \t]+class)?[ \t]*(\w*)(?![^\n]*;[ \t]*$)"
    r"|(?!(?:if|for|while|switch|return|else|do|case|using|goto)\b)(?:[\w:<>,*&\[\]~]+[ \t]+)+[*&]*"
    r"([\w:~]+|operator[^\w\s(]+)[ \t]*\((?![^\n]*;[ \t]*$)"
    r"|@(?:interface|implementation|protocol)[ \t]+(\w+)|[-+][ \t]*\([^)]*\)[ \t]*(\w+)",
    _C,
)
_SECTIONS = _line(r"\[+([^\]\n\r]+)\]")

GRAMMARS: dict[str, Grammar] = {
    "python": _line(r"(?:async[ \t]+)?def[ \t]+(\w+)|class[ \t]+(\w+)|if[ \t]+(__name__)", _TRIPLE),
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "go": _line(r"func[ \t]+(?:\([^)]*\)[ \t]*)?(\w+)|(?:type|var|const)[ \t]+(\w+|\()", _GO),
    "rust": _line(
        r"(?:pub(?:\([^)]*\))?[ \t]+)?(?:(?:default|const|async|unsafe|extern(?:[ \t]+\"[^\"]*\")?)[ \t]+)*"
        r"(?:(?:fn|struct|enum|union|trait|mod|type|static(?:[ \t]+mut)?|macro_rules!)[ \t]+(\w+)"
        r"|impl\b[ \t]*([^{\n\r]*))|(?:pub[ \t]+)?const[ \t]+(\w+)",
        _RUST,
    ),
    "java": _TYPED,
    "kotlin": _TYPED,
    "scala": _TYPED,
    "swift": _TYPED,
    "csharp": _TYPED,
    "dart": _TYPED,
    "groovy": _TYPED,
    "c": _C_LIKE,
    "cpp": _C_LIKE,
    "php": _line(
        _MODIFIERS + r"(?:function|class|interface|trait|enum|namespace)[ \t]+&?([\w\\]+)",
        re.compile(_C.pattern),
    ),
    "ruby": _line(
        r"(?:class|module|def)[ \t]+([\w.:?!=<]+)", re.compile(r"^=begin\b[\s\S]*?(?:^=end\b|\Z)", re.M)
    ),
    "lua": _line(
        r"(?:local[ \t]+)?function[ \t]+([\w.:]+)|(?:local[ \t]+)?([\w.]+)[ \t]*=[ \t]*function\b",
        re.compile(
            r"--\[(=*)\[[\s\S]*?(?:\]\1\]|\Z)|--[^\n\r]*|\[(=*)\[[\s\S]*?(?:\]\2\]|\Z)" + _LINE_STRINGS
        ),
    ),
    "shell": _line(r"(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\([ \t]*\))"),
    "powershell": _line(
        r"(?:function|filter|class|enum)[ \t]+([\w:-]+)", re.compile(r"<#[\s\S]*?(?:#>|\Z)"), re.I
    ),
    "sql": _line(
        r"(?:create|alter)[ \t]+(?:or[ \t]+replace[ \t]+)?(?:(?:global|local|temp|temporary|unique|materialized|"
        r"external|virtual)[ \t]+)*(?:\w+)[ \t]+(?:if[ \t]+(?:not[ \t]+)?exists[ \t]+)?([\w.\"`\[\]]+)"
        r"|(select|insert|update|delete|with|drop|grant|merge)\b",
        _SQL,
        re.IGNORECASE,
    ),
    "perl": _line(r"(?:sub|package)[ \t]+([\w:]+)", re.compile(r"^=\w[\s\S]*?(?:^=cut\b|\Z)", re.M)),
    "r": _line(r"([\w.]+)[ \t]*(?:<-|=)[ \t]*function\b"),
    "julia": _line(
        r"(?:function|macro|module|baremodule|(?:mutable[ \t]+)?struct|abstract[ \t]+type)[ \t]+([\w.!]+)",
        _TRIPLE,
    ),
    "elixir": _line(r"(?:defmodule|defprotocol|defimpl|defp?|defmacrop?)[ \t]+([\w.?!]+)", _TRIPLE),
    "erlang": _line(r"-(?:module|record|export)\(([\w]+)|([a-z]\w*)\("),
    "haskell": _line(
        r"(?:module|data|newtype|type|class|instance)[ \t]+([\w.]+)|([a-z_][\w']*)[ \t]*::",
        re.compile(r"\{-[\s\S]*?(?:-\}|\Z)|--[^\n\r]*"),
    ),
    "clojure": _line(r"\((?:def\w*|ns)[ \t]+(?:\^\S+[ \t]+)*([^\s()\[\]]+)"),
    "protobuf": _line(r"(?:message|service|enum|extend)[ \t]+([\w.]+)", _C),
    "graphql": _line(
        r"(?:extend[ \t]+)?(?:type|input|enum|interface|union|scalar|query|mutation|subscription|fragment|directive"
        r"|schema)\b[ \t]*@?(\w*)",
        re.compile(r'#[^\n\r]*|"""[\s\S]*?(?:"""|\Z)'),
    ),
    "terraform": _line(
        r"([a-z]\w*(?:[ \t]+\"[^\"]*\")*)[ \t]*\{", re.compile(r"#[^\n\r]*|/\*[\s\S]*?(?:\*/|\Z)")
    ),
    "css": _line(r"([^\s{}/][^{]*)\{", re.compile(r"/\*[\s\S]*?(?:\*/|\Z)")),
    "toml": Grammar(_SECTIONS.begins, _TRIPLE),
    "ini": _SECTIONS,
    "yaml": _line(r"([\w.$/-]+|\"[^\"]*\"|'[^']*')[ \t]*:(?=\s|$)|(---)[ \t]*$"),
    "makefile": _line(r"([\w./%$(){}-]+(?:[ \t]+[\w./%$(){}-]+)*)[ \t]*::?(?!=)|define[ \t]+(\w+)"),
    "cmake": _line(r"(?:function|macro)[ \t]*\([ \t]*(\w+)", None, re.I),
    "dockerfile": _line(r"FROM[ \t]+(\S+(?:[ \t]+AS[ \t]+\S+)?)", None, re.I),
}
