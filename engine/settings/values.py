"""Every setting, declared once: name, default, range, steps, stage and help. Frozen, so that a trace
keeps them.

The constructors check nothing, so that an experiment or a test may go beyond a range; ``check.py`` does,
wherever a value enters from outside. The order is that of tables, of screens, and of ties between
suggested changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engine.settings.schema import boolean, choice, integer, mapping, number, text

Fusion = Literal["rrf", "minmax", "linear"]
Rerank = Literal["off", "local", "learned"]
Mode = Literal["fixed", "structure", "parent-child"]
Provider = Literal["auto", "hash", "use", "openai"]
Journal = Literal["counts", "queries"]
RerankKind = Literal["cohere", "cohere-v1", "jina", "voyage", "tei"]
ScoreScale = Literal["auto", "unit", "logit", "cosine"]

MODES: tuple[Mode, ...] = ("fixed", "structure", "parent-child")

SETTINGS_VERSION = 1
"""The version of the settings file that this code reads."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What happens to one query, from recall to the packed context. Turned live; needs no rebuild."""

    top_k: int = integer(
        6, 1, 20, "How many results may enter the context.",
        stage="pack", step=1, big_step=5, label="top k")  # fmt: skip
    minimum_vector_similarity: float = number(
        0.0, 0, 1, "Cosine below which the vector channel lists nothing; 0 filters nothing.",
        stage="rank", step=0.01, big_step=0.1, label="min vec.")  # fmt: skip
    fulltext_weight: float = number(
        1.0, 0, 2, "Weight of the full text channel in fusion; 0 does not ask it.",
        stage="fuse", step=0.05, big_step=0.25, label="fulltext")  # fmt: skip
    cjk_weight: float = number(
        1.0, 0, 2, "Weight of the Chinese, Japanese and Korean channel in fusion; 0 does not ask it.",
        stage="fuse", step=0.05, big_step=0.25, label="cjk")  # fmt: skip
    vector_weight: float = number(
        1.0, 0, 2, "Weight of the vector channel in fusion; 0 does not ask it.",
        stage="fuse", step=0.05, big_step=0.25, label="vector")  # fmt: skip
    graph_weight: float = number(
        0.8, 0, 2, "Weight of the graph channel in fusion; 0 does not ask it.",
        stage="fuse", step=0.05, big_step=0.25, label="graph")  # fmt: skip
    fusion: Fusion = choice(
        "rrf", ("rrf", "minmax", "linear"),
        "By reciprocal rank, by score over each list's own range, or over its theoretical range.",
        stage="fuse", label="method")  # fmt: skip
    rrf_k: int = integer(
        60, 1, 1000, "The k of reciprocal rank fusion: higher flattens the difference between ranks.",
        stage="fuse", step=5, big_step=50, label="rrf k")  # fmt: skip
    candidate_multiplier: int = integer(
        4, 2, 10, "Fusion reads this many times top_k candidates of each channel.",
        stage="recall", step=1, big_step=5, label="depth")  # fmt: skip
    context_max_characters: int = integer(
        16_000, 2_000, 48_000, "Budget of the packed context, in characters, markers included.",
        stage="pack", step=500, big_step=4_000, unit="characters", label="budget")  # fmt: skip
    adjacent_chunk_count: int = integer(
        0, 0, 2, "Neighbours taken in on each side of a hit, as far as the budget allows.",
        stage="pack", step=1, big_step=5, label="neighbours")  # fmt: skip
    rerank: Rerank = choice(
        "off", ("off", "local", "learned"),
        "Reorder the first 100: not at all, by named features, or by an endpoint.",
        stage="rank", label="rerank")  # fmt: skip
    minimum_relevance: float = number(
        0.0, 0, 1, "Relevance below which a candidate is dropped; 0 drops nothing.",
        stage="rank", step=0.01, big_step=0.1, label="min rel.")  # fmt: skip
    score_margin: float = number(
        0.0, 0, 1, "Lead over the next document below which the question counts as unanswerable; 0 never.",
        stage="rank", step=0.01, big_step=0.1, label="margin")  # fmt: skip
    required_terms: bool = boolean(
        False, "A candidate must hold every rare term of the query.",
        stage="rank", label="all terms")  # fmt: skip
    document_quota: int = integer(
        0, 0, 20, "Most hits of one document in the context; 0 sets no quota.",
        stage="pack", step=1, big_step=5, label="quota")  # fmt: skip
    duplicate_overlap: float = number(
        0.9, 0.5, 1, "Shared span above which a chunk counts as a duplicate; 1 drops only exact copies.",
        stage="pack", step=0.01, big_step=0.1, label="duplicates")  # fmt: skip

    def weight(self, channel: str) -> float:
        """The weight of a channel by its name; 0 means that it is not asked."""
        return float(getattr(self, f"{channel}_weight"))

    @property
    def weighs_candidates(self) -> bool:
        """Whether ranking asks which terms each candidate holds and how near it is, whatever channel listed it."""
        return self.rerank != "off" or self.required_terms


@dataclass(frozen=True, slots=True)
class Chunking:
    """How documents are cut. Belongs to the library: a change waits for an explicit rebuild."""

    mode: Mode = choice(
        "structure", MODES, "Windows of one length, the document's structure, or parents with children.",
        stage="chunk", label="mode")  # fmt: skip
    target_characters: int = integer(
        1_600, 400, 8_000, "Length a chunk aims at, in fixed and structure mode.",
        stage="chunk", step=50, big_step=400, unit="characters", label="size")  # fmt: skip
    overlap_characters: int = integer(
        160, 0, 3_200, "Text a chunk repeats from the one before; at most 40 % of target_characters.",
        stage="chunk", step=10, big_step=80, unit="characters", label="overlap")  # fmt: skip
    parent_characters: int = integer(
        4_800, 1_600, 16_000, "Length a parent aims at, in parent-child mode.",
        stage="chunk", step=50, big_step=400, unit="characters", label="parent")  # fmt: skip
    child_characters: int = integer(
        900, 300, 4_000, "Length a child aims at, in parent-child mode; below parent_characters.",
        stage="chunk", step=50, big_step=400, unit="characters", label="child")  # fmt: skip
    seek_boundary: bool = boolean(
        True, "Look for a natural boundary near the end of a window.",
        stage="chunk", label="seek boundary", hidden=True)  # fmt: skip
    within_heading: bool = boolean(
        False, "Never let a window of fixed mode cross a heading.",
        stage="chunk", label="within heading", hidden=True)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Embedding:
    """Which embedder makes the vectors. Belongs to the library, like the chunking."""

    provider: Provider = choice(
        "auto", ("auto", "hash", "use", "openai"),
        "Built-in hashing, the packaged model, an OpenAI-compatible endpoint, or the best that is installed.",
        stage="embed", label="provider", guarded=("openai",))  # fmt: skip
    base_url: str = text(
        "", "Address of the OpenAI-compatible endpoint, up to and without /embeddings.",
        kind="url", stage="embed", label="address", guarded=True)  # fmt: skip
    model: str = text("", "Model that the endpoint is asked for.", stage="embed", label="model")
    dimensions: int = integer(
        0, 0, 16_384, "Dimensions to ask the endpoint for; 0 leaves it to the model.",
        stage="embed", step=1, big_step=128, label="dimensions")  # fmt: skip
    api_key_env: str = text(
        "", "Name of the environment variable that holds the endpoint's key.",
        kind="variable", stage="embed", label="key variable", guarded=True)  # fmt: skip
    document_prefix: str = text(
        "", "Instruction put before each document's text.",
        stage="embed", label="document prefix")  # fmt: skip
    query_prefix: str = text(
        "", "Instruction put before a query's text.",
        stage="embed", label="query prefix")  # fmt: skip


@dataclass(frozen=True, slots=True)
class RerankEndpoint:
    """The server that ``rerank = "learned"`` asks."""

    kind: RerankKind = choice(
        "cohere", ("cohere", "cohere-v1", "jina", "voyage", "tei"),
        "Which protocol the endpoint speaks; cohere is version 2 of Cohere's.",
        stage="rank", label="protocol")  # fmt: skip
    base_url: str = text(
        "", "Address of the endpoint, up to and without /rerank.",
        kind="url", stage="rank", label="address", guarded=True)  # fmt: skip
    model: str = text("", "Model that the endpoint is asked for.", stage="rank", label="model")
    api_key_env: str = text(
        "", "Name of the environment variable that holds the endpoint's key.",
        kind="variable", stage="rank", label="key variable", guarded=True)  # fmt: skip
    timeout: float = number(
        15.0, 1, 60, "Seconds to wait for the endpoint before the fused order serves.",
        stage="rank", step=1, big_step=5, unit="seconds", label="timeout")  # fmt: skip
    score_scale: ScoreScale = choice(
        "auto", ("auto", "unit", "logit", "cosine"),
        "What its scores are: 0 to 1, log-odds or cosines; auto is 0 to 1, or log-odds where one lies outside.",
        stage="rank", label="scale")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Features:
    """Weights of the local rerank's features, and its penalties (taken off the relevance as they are)."""

    fused: float = number(
        0.30, 0, 1, "Fused score over its maximum.",
        stage="rank", step=0.05, big_step=0.25, label="fused")  # fmt: skip
    coverage: float = number(
        0.25, 0, 1, "Share of the query's terms that the chunk holds, weighted by rarity.",
        stage="rank", step=0.05, big_step=0.25, label="coverage")  # fmt: skip
    phrase: float = number(
        0.10, 0, 1, "Longest run of the query found word for word.",
        stage="rank", step=0.05, big_step=0.25, label="phrase")  # fmt: skip
    heading: float = number(
        0.10, 0, 1, "Query terms in the title and headings.",
        stage="rank", step=0.05, big_step=0.25, label="heading")  # fmt: skip
    path: float = number(
        0.05, 0, 1, "Query terms in the document's path.",
        stage="rank", step=0.05, big_step=0.25, label="path")  # fmt: skip
    similarity: float = number(
        0.15, 0, 1, "Cosine of query and chunk.",
        stage="rank", step=0.05, big_step=0.25, label="similarity")  # fmt: skip
    numbers: float = number(
        0.05, 0, 1, "Numbers with units and identifiers that the query names.",
        stage="rank", step=0.05, big_step=0.25, label="numbers")  # fmt: skip
    conflict: float = number(
        0.20, 0, 1, "Penalty for a negation or limit that contradicts the query.",
        stage="rank", step=0.05, big_step=0.25, label="conflict")  # fmt: skip
    same_document: float = number(
        0.05, 0, 1, "Penalty for each further chunk of the same document.",
        stage="rank", step=0.05, big_step=0.25, label="same doc.")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Interface:
    """How the screens look, and which keys they take. ``keymap`` is pairs of (action id, keys)."""

    theme: str = choice(
        "dark", ("dark", "light", "ansi"), "Colours of the screen; ansi takes the terminal's own sixteen.",
        stage="screen", label="theme")  # fmt: skip
    glyphs: Literal["auto", "unicode", "ascii"] = choice(
        "auto", ("auto", "unicode", "ascii"), "Lines and markers; auto asks the terminal for their width.",
        stage="screen", label="glyphs")  # fmt: skip
    kitty_keyboard: bool = boolean(
        False, "Use the Kitty keyboard protocol; some input methods lose text under it.",
        stage="screen", label="Kitty keys")  # fmt: skip
    keymap: tuple[tuple[str, str], ...] = mapping(
        "Own keys: action id = keys parted by commas.", stage="screen", label="keymap")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. ``scopes`` is pairs of (path pattern, labels)."""

    version: int = integer(
        SETTINGS_VERSION, SETTINGS_VERSION, SETTINGS_VERSION, "Version of the settings file.",
        stage="library", label="version")  # fmt: skip
    journal: Journal = choice(
        "counts", ("counts", "queries"), "What a query leaves in the journal: counts, or also its text.",
        stage="library", label="journal")  # fmt: skip
    retrieval: Retrieval = field(default_factory=Retrieval)
    chunking: Chunking = field(default_factory=Chunking)
    embedding: Embedding = field(default_factory=Embedding)
    rerank_endpoint: RerankEndpoint = field(default_factory=RerankEndpoint)
    features: Features = field(default_factory=Features)
    scopes: tuple[tuple[str, tuple[str, ...]], ...] = mapping(
        "Who may see what: path pattern = list of labels; a document without a label is public.",
        stage="library", label="scopes", guarded=True)  # fmt: skip
    interface: Interface = field(default_factory=Interface)
