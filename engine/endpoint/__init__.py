"""Requests to the servers that a user's settings name: one bounded, cancellable POST of JSON. Knows nothing
of what the servers are for.

Importing this does not import httpx; the first request does.
"""

from __future__ import annotations

from engine.endpoint.address import completed, identity, is_loopback
from engine.endpoint.post import Endpoint, post
from engine.endpoint.secret import redacted, secret

__all__ = ["Endpoint", "completed", "identity", "is_loopback", "post", "redacted", "secret"]
