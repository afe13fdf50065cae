"""The retrieval engine: usable alone, and ignorant of every screen.

Nothing below this package may import ``tui``, ``textual`` or ``rich``; it prints nothing and configures no logging.
"""

__version__ = "0.1.0"
