"""``library.health``: the chunks that are likely to serve badly. Asynchronous as the library is."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from engine.cancel import CancelToken
from engine.catalogue.face import Held
from engine.health.model import Health
from engine.health.run import health
from engine.model import Progress
from engine.pipeline.query import principal


class Examination:
    """Reads the serving generation as a principal sees it. Raises what ``Library.serving`` raises."""

    def __init__(self, library: Held) -> None:
        self._library = library

    def run(
        self, *, scopes: tuple[str, ...] = (), cancel: CancelToken
    ) -> AsyncGenerator[Progress | Health, None]:
        """Progress, and at last every case."""
        library = self._library
        return library.stream(
            lambda: health(library.serving(), library.places.library, principal(scopes), cancel=cancel),
            cancel,
        )
