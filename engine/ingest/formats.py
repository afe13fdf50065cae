"""What a file's name says of it: its kind, its language, or why it is not read. Pure; no file is opened.

Kinds are ``markdown``, ``text``, ``log``, ``code`` (with a language) and ``jsonl`` (a corpus of many
documents). Unknown names are text: whether they look like it is for the decoder to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["markdown", "text", "log", "code", "jsonl"]

CORPUS = "corpus.jsonl"
"""A BEIR corpus: one document a line, each with the path ``corpus.jsonl#ID``."""

NOT_READ_YET = "kind not read yet"
BESIDE_CORPUS = "evaluation data beside a corpus"
NOT_A_CORPUS = "JSON Lines, not a corpus.jsonl"
CORPUS_NAME = "a name kept for the documents of corpus.jsonl"
EVALUATION_SET = "evaluation set"
SECRET = "may hold a secret"
BINARY = "binary"

LANGUAGES: dict[str, str] = {
    suffix: language
    for language, suffixes in {
        "python": "py pyi pyw",
        "javascript": "js mjs cjs jsx vue svelte",
        "typescript": "ts mts cts tsx",
        "go": "go",
        "rust": "rs",
        "java": "java",
        "kotlin": "kt kts",
        "scala": "scala",
        "swift": "swift",
        "csharp": "cs",
        "c": "c h",
        "cpp": "cc cpp cxx c++ hh hpp hxx ino m mm cu cuh",
        "php": "php",
        "ruby": "rb rake gemspec",
        "lua": "lua",
        "shell": "sh bash zsh ksh fish bats",
        "sql": "sql",
        "perl": "pl pm",
        "r": "r",
        "julia": "jl",
        "elixir": "ex exs",
        "erlang": "erl hrl",
        "haskell": "hs",
        "clojure": "clj cljs edn",
        "dart": "dart",
        "groovy": "groovy gradle",
        "powershell": "ps1 psm1",
        "protobuf": "proto",
        "graphql": "graphql gql",
        "terraform": "tf tfvars hcl",
        "css": "css scss sass less",
        "xml": "xml xsd xsl xslt plist",
        "json": "json json5 jsonc webmanifest",
        "toml": "toml",
        "yaml": "yaml yml",
        "ini": "ini cfg conf properties editorconfig service",
        "makefile": "mk mak",
        "cmake": "cmake",
        "dockerfile": "dockerfile",
    }.items()
    for suffix in suffixes.split()
}
"""Suffix → language of source code and configuration."""

_NAMED_CODE: dict[str, str] = {
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "cmakelists.txt": "cmake",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "jenkinsfile": "groovy",
    "go.mod": "go.mod",
    ".bashrc": "shell",
    ".profile": "shell",
    ".zshrc": "shell",
    ".editorconfig": "ini",
    ".gitconfig": "ini",
}
_MARKDOWN = frozenset(
    ("md", "markdown", "mdown", "mkd", "mkdn", "mdx")
)  # fmt: skip
_LOG = re.compile(r"\.log(?:[.-]\d[\d.-]*)?$|^syslog(?:\.\d+)?$", re.IGNORECASE)
_NOT_READ_YET = frozenset(
    ("html", "htm", "xhtml", "mhtml", "pdf", "doc", "docx", "docm", "odt", "rtf", "epub", "mobi",
     "azw3", "ppt", "pptx", "odp", "xls", "xlsx", "xlsm", "ods", "csv", "tsv", "ipynb", "eml", "msg",
     "chm", "djvu", "parquet")
)  # fmt: skip
_BINARY = frozenset(
    ("png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "psd", "heic", "avif", "icns",
     "svgz", "mp3", "wav", "flac", "ogg", "m4a", "aac", "mp4", "mkv", "mov", "avi", "webm", "wmv",
     "zip", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "tar", "jar", "war", "whl", "egg", "deb",
     "rpm", "dmg", "iso", "apk", "exe", "dll", "so", "dylib", "a", "o", "obj", "lib", "class", "pyc",
     "pyo", "wasm", "bin", "ttf", "otf", "woff", "woff2", "eot", "sqlite", "sqlite3", "db", "mdb",
     "npy", "npz", "pkl", "onnx", "safetensors", "gguf")
)  # fmt: skip
_SECRET = re.compile(
    r"^\.env(?:\.(?!example$|sample$|template$|dist$).*)?$|^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$"
    r"|\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$|^\.(?:netrc|pgpass|git-credentials|pypirc|htpasswd)$",
    re.IGNORECASE,
)
_LINES = frozenset(("jsonl", "ndjson"))
_DATA = frozenset(("json", "jsonl", "ndjson", "tsv"))


@dataclass(frozen=True, slots=True)
class Format:
    """``language`` is empty but for code."""

    kind: Kind
    language: str = ""


def suffix_of(name: str) -> str:
    """What stands behind the last dot, in lower case; a name that only begins with a dot has none."""
    stem, dot, suffix = name.rpartition(".")
    return suffix.lower() if dot and stem else ""


def format_of(name: str) -> Format:
    """The format of a file by its name, without its folder."""
    suffix = suffix_of(name)
    if suffix in _LINES:
        return Format("jsonl")
    if language := _NAMED_CODE.get(name.lower(), ""):
        return Format("code", language)
    if suffix in _MARKDOWN:
        return Format("markdown")
    if _LOG.search(name):
        return Format("log")
    if language := LANGUAGES.get(suffix, ""):
        return Format("code", language)
    return Format("text")


def refusal(name: str, *, beside_corpus: bool = False) -> str:
    """Why a file is not read, by its name alone; empty where it is.

    ``beside_corpus`` says that its folder holds a ``corpus.jsonl``: what lies there is questions and
    judgements, and indexed they would answer themselves.
    """
    suffix = suffix_of(name)
    if _SECRET.search(name):
        return SECRET
    if beside_corpus and name.startswith(CORPUS + "#"):
        return CORPUS_NAME
    if beside_corpus and suffix in _DATA and name != CORPUS:
        return BESIDE_CORPUS
    if suffix in _LINES and name != CORPUS:
        return NOT_A_CORPUS
    if suffix in _NOT_READ_YET:
        return NOT_READ_YET
    return BINARY if suffix in _BINARY else ""


def folder_refusal(name: str, *, beside_corpus: bool = False) -> str:
    """Why a folder is not entered, by its name; empty where it is."""
    return BESIDE_CORPUS if beside_corpus and name == "qrels" else ""
