"""What a page waits for: one piece of work a purpose, begun by the bridge under a token. What comes back under any
other token is late, and belongs to nobody."""

from __future__ import annotations

from collections.abc import Callable

from engine.cancel import CancelToken


class Asking:
    """The tokens of what runs, by purpose. Asking again for a purpose cancels what ran for it."""

    def __init__(self) -> None:
        self._tokens: dict[str, CancelToken] = {}

    def begin(self, purpose: str, start: Callable[[], CancelToken]) -> None:
        """Start the work in place of any that runs for this purpose."""
        self.cancel(purpose)
        self._tokens[purpose] = start()

    def cancel(self, purpose: str) -> None:
        """Stop what runs for a purpose at its next check; what it still sends is dropped."""
        if purpose in self._tokens:
            self._tokens.pop(purpose).cancel()

    def cancel_all(self) -> None:
        for purpose in list(self._tokens):
            self.cancel(purpose)

    def running(self, purpose: str) -> bool:
        return purpose in self._tokens

    def purpose_of(self, token: CancelToken) -> str | None:
        """What the work under a token is for; None where it is late."""
        return next((purpose for purpose, held in self._tokens.items() if held is token), None)

    def ended(self, token: CancelToken) -> str | None:
        """The same, of work that has ended."""
        purpose = self.purpose_of(token)
        if purpose is not None:
            del self._tokens[purpose]
        return purpose
