"""Verify: everything the index holds against everything else and against the files; repair: what is derived, anew.

``run`` goes through the checks and yields findings (``finding``); each check is a module: ``database`` a file of
SQLite, ``archive`` what is the user's, ``documents`` chunks against the archived texts, ``postings`` against the
chunks, ``vectors`` against both, ``cache``, ``sources`` the files on disk, ``leftovers``. Nothing here writes but
``repair``.
"""

from engine.verify.finding import Finding, Verified
from engine.verify.run import Subject, verify

__all__ = ["Finding", "Subject", "Verified", "verify"]
