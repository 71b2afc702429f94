"""Reading the vectors of this repository."""

import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent.parent / "vectors"


def cases(name: str) -> list[Any]:
    """Give the cases of a vector file: a bare array, or the member `cases`."""
    content: Any = json.loads((VECTORS / name).read_bytes())
    return content if isinstance(content, list) else content["cases"]
