"""Where settings, trust and logs lie: the user's by XDG (platformdirs), a library's inside its index
folder.
"""

from __future__ import annotations

from pathlib import Path

APPLICATION = "rankscope"
INDEX_FOLDER = ".rankscope"
FILE_NAME = "settings.toml"


def user_file() -> Path:
    """The user's own settings, for every library: ``$XDG_CONFIG_HOME/rankscope/settings.toml``."""
    from platformdirs import user_config_path

    return user_config_path(APPLICATION) / FILE_NAME


def state_folder() -> Path:
    """What is remembered between runs and is nobody's document: ``$XDG_STATE_HOME/rankscope``."""
    from platformdirs import user_state_path

    return user_state_path(APPLICATION)


def library_file(folder: Path) -> Path:
    """The library's settings where its index lies inside its folder, as it does unless the user placed it."""
    return folder / INDEX_FOLDER / FILE_NAME
