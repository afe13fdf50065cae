"""Settings: declared once, checked wherever a value enters, and traced to where each came from."""

from engine.settings.values import (
    MODES,
    SETTINGS_VERSION,
    Chunking,
    Embedding,
    Features,
    Interface,
    RerankEndpoint,
    Retrieval,
    Settings,
)

__all__ = [
    "MODES",
    "SETTINGS_VERSION",
    "Chunking",
    "Embedding",
    "Features",
    "Interface",
    "RerankEndpoint",
    "Retrieval",
    "Settings",
]
