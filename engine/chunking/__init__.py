"""Cutting documents into chunks: fixed windows, structure, parents with children. Pure; knows no store."""

from engine.chunking.chunker import CHUNKER_VERSION, chunk, chunker_fingerprint

__all__ = ["CHUNKER_VERSION", "chunk", "chunker_fingerprint"]
