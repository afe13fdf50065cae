"""Settings: declared once, checked wherever a value enters, and traced to where each came from."""

from engine.settings.check import check, check_settings, parse
from engine.settings.fields import (
    BY_KEY,
    FIELDS,
    Field,
    fields_of,
    find,
    shown,
    turned,
    value_of,
    with_values,
)
from engine.settings.sources import Origin, Resolved, resolve, save_changes, trust_folder
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
    "BY_KEY",
    "FIELDS",
    "MODES",
    "SETTINGS_VERSION",
    "Chunking",
    "Embedding",
    "Features",
    "Field",
    "Interface",
    "Origin",
    "RerankEndpoint",
    "Resolved",
    "Retrieval",
    "Settings",
    "check",
    "check_settings",
    "fields_of",
    "find",
    "parse",
    "resolve",
    "save_changes",
    "shown",
    "trust_folder",
    "turned",
    "value_of",
    "with_values",
]
