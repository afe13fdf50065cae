"""The command ``rankscope``; also ``python -m tui``."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command line and exit with its code."""
    from tui.commands import rankscope
    from tui.commands.failure import guarded

    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(guarded(lambda: rankscope.main(given, prog_name="rankscope", standalone_mode=False)))


if __name__ == "__main__":
    main()
