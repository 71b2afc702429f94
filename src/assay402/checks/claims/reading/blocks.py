"""Blocks of labelled lines: `host: db-1` names what the lines below it are of."""

from typing import Final

from assay402.checks.claims.reading.naming import is_noun, may_name
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record

_LABELLED: Final = Pattern(r"(\s{0,40}(?:-\s)?)([A-Za-z][\w -]{0,30}?)\s?:\s+(\S.*)")
_MOST: Final = 4
"""Naming lines of one block, each below the last."""


class Blocks:
    """Follows the lines of an item."""

    def __init__(self) -> None:
        self._names: list[tuple[int, str, Record]] = []

    def above(self, line: str) -> Record | None:
        """Give the line that names the block in which a line stands; None outside of one."""
        if not self._names:
            return None
        match = _LABELLED.match(line) if ":" in line and "=" not in line else None
        if match is None or match[1].endswith("- "):
            self._names.clear()
            return None
        low, depth = match[2].lower(), len(match[1])
        again = next(
            (place for place, (_, held, _) in enumerate(self._names) if held == low), len(self._names)
        )
        self._names = [each for each in self._names[:again] if depth >= each[0]]
        return self._names[-1][2] if self._names else None

    def follow(self, line: str, record: Record) -> None:
        """Take a line that names a thing as the beginning of its block, or of one in it."""
        match = _LABELLED.match(line) if ":" in line and "=" not in line else None
        if match is None or len(self._names) >= _MOST:
            return
        if is_noun(match[2]) and may_name(match[3].strip()):
            self._names.append((len(match[1]), match[2].lower(), record))

    def end(self) -> None:
        """End the block at an empty line."""
        self._names.clear()
