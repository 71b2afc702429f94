"""Word lists, read on first use."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Any:  # noqa: ANN401  (each table has its own shape, checked by its reader)
    """Give a table by its name."""
    return json.loads(files(__name__).joinpath(f"{name}.json").read_bytes())
