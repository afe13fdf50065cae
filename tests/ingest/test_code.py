"""Source code falls apart at its top-level definitions, whatever stands in strings and comments."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingest.code import Definition, definitions
from engine.ingest.formats import LANGUAGES
from engine.ingest.grammar import GRAMMARS
from engine.text import LineIndex


def names(text: str, language: str) -> list[str]:
    return [definition.name for definition in definitions(text, language)]


PYTHON = '''"""Module.

def not_this(): ...
"""
import os

# What it does.
@decorate(
    "x",
)
async def first(a):
    def inner(): ...
    return """
class NotThis:
"""
@plain
class Second:
    def method(self): ...


CONSTANT = 1
def third(): pass
'''


def test_python_takes_decorators_and_comments_along_and_leaves_strings_alone() -> None:
    found = definitions(PYTHON, "python")
    assert [(each.line, each.name) for each in found] == [(7, "first"), (16, "Second"), (22, "third")]
    assert PYTHON[found[0].start :].startswith("# What it does.")
    assert PYTHON[found[1].start :].startswith("@plain")


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "javascript",
            "import x from 'y';\nexport default async function load() {}\nconst a = () => 1;\n`\nclass No {}\n`\n"
            "export class Box {}\n/*\nfunction no() {}\n*/\nmodule.exports = { a };\n",
            ["load", "a", "Box", "module.exports ="],
        ),
        ("typescript", "export interface Shape {}\ntype Id = string;\nenum Kind {}\n", ["Shape", "Id", "Kind"]),
        (
            "go",
            "package main\n\n// Serve it.\nfunc (s *Server) Serve() {}\ntype Server struct {\n}\n"
            "var raw = `\nfunc no() {}\n`\nfunc main() {}\n",
            ["Serve", "Server", "raw", "main"],
        ),
        (
            "rust",
            "#[derive(Debug)]\npub struct Point<'a> { x: &'a str }\nimpl<'a> Point<'a> {\n}\n"
            "pub(crate) async fn run() {}\nmacro_rules! vec2 { }\nconst N: u8 = 1;\n",
            ["Point", "<'a> Point<'a>", "run", "vec2", "N"],
        ),
        (
            "java",
            "package a;\nimport b.C;\n/** Doc. */\n@Service\npublic final class Greeter {\n  void hi() {}\n}\n"
            "record Pair(int a, int b) {}\n",
            ["Greeter", "Pair"],
        ),
        ("kotlin", "data class User(val a: Int)\nfun String.shout() = 1\n", ["User", "String.shout"]),
        (
            "c",
            "#include <a.h>\nint declared(int);\nstatic int *sum(int a,\n               int b)\n{\n  return a;\n}\n"
            "struct point {\n};\nint main(void) { return 0; }\n",
            ["sum", "point", "main"],
        ),
        (
            "cpp",
            "namespace app {\ntemplate <typename T>\nclass Box {\n};\nvoid Box::put(int a) {\n}\n}\n",
            ["app", "Box", "Box::put"],
        ),
        ("shell", "set -e\nusage() {\n}\nfunction run_it {\n}\n", ["usage", "run_it"]),
        ("ruby", "class A < B\n  def x; end\nend\nmodule M\nend\ndef self.y\nend\n", ["A", "M", "self.y"]),
        (
            "sql",
            "-- Users.\nCREATE TABLE IF NOT EXISTS users (\n id INT\n);\ncreate or replace function f() as $$\n"
            "select 1;\n$$;\ninsert into users values ('\ncreate table no (a)\n');\n",
            ["users", "f", "insert"],
        ),
        ("toml", 'a = 1\n[server]\nport = 1\n[[rows]]\nx = """\n[no]\n"""\n', ["server", "rows"]),
        ("yaml", "# Top.\nserver:\n  port: 1\n\"quoted\":\n  - a\n---\nb: 1\n", ["server", '"quoted"', "---", "b"]),
        ("makefile", "CC := gcc\n.PHONY: run\nrun: a b\n\techo\n", [".PHONY", "run"]),
        ("dockerfile", "FROM python:3.11 AS base\nRUN x\nFROM base\n", ["python:3.11 AS base", "base"]),
        ("css", "/*\na {}\n*/\n.box, a:hover {\n  color: red;\n}\n", [".box, a:hover"]),
        ("terraform", 'resource "aws_s3" "b" {\n}\n', ['resource "aws_s3" "b"']),
    ],
)  # fmt: skip
def test_definitions_by_language(language: str, text: str, expected: list[str]) -> None:
    assert names(text, language) == expected


def test_a_doc_comment_begins_its_definition() -> None:
    text = "int a;\n\n/**\n * Adds.\n */\nint add(int a, int b) {\n}\n"
    assert definitions(text, "c") == (Definition(3, text.index("/**"), "add"),)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_md10_lines_end_at_lf_crlf_and_cr_only(newline: str) -> None:
    text = newline.join(["x = 'a\u2028def no(): ...'", "\x0c", "def yes(): ...", ""])
    (found,) = definitions(text, "python")
    assert (found.line, found.name, text[found.start :][:7]) == (3, "yes", "def yes")


def test_a_language_without_a_grammar_has_no_definitions() -> None:
    assert definitions("def f(): ...", "json") == ()
    assert definitions("def f(): ...", "") == ()
    assert set(GRAMMARS) <= set(LANGUAGES.values())


FRAGMENTS = st.lists(
    st.sampled_from(
        ["def f():", "class A", "func ", "int x(", "(", '"', "'", "`", '"""', "/*", "*/", "//", "#", "$$", "\\", " ",
         "\n", "\r\n", "\r", "  ", "{", "}", ";", "@", "a" * 9, "用", "fn ", "impl", "\u2028", "<", "=begin", "--[["]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(FRAGMENTS, st.sampled_from(sorted(GRAMMARS)))
@settings(max_examples=300)
def test_definitions_start_lines_in_ascending_order(text: str, language: str) -> None:
    lines = LineIndex.of(text)
    found = definitions(text, language)
    starts = [definition.start for definition in found]
    assert starts == sorted(set(starts))
    assert all(definition.start == lines.start(definition.line) for definition in found)
    assert all(definition.name or not re.search(r"\w", text) for definition in found)


@pytest.mark.parametrize("language", sorted(GRAMMARS))
@pytest.mark.parametrize("piece", ["a ", "a", "(", '"', "<", "static ", "a<", "'''", "/*", "a, ", "\\"])
def test_a_hostile_line_costs_no_more_than_its_length(language: str, piece: str) -> None:
    """It would never end where a pattern backtracks."""
    definitions(piece * 20_000, language)
    definitions("a\n" + piece * 2_000, language)
