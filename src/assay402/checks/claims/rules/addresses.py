"""Hosts, repositories and files that a claim names, and that its record names otherwise."""

import re
from typing import Final

from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.records import Record

_ADDRESS: Final = re.compile(
    r"(?<![\w@/.:-])(?:[a-z0-9][a-z0-9-]*\.)+(?P<end>[a-z]{2,8})(?::(?P<path>[\w-][\w./-]*\w))?(?![\w@:-]|\.\w)"
)
_READ: Final = 600


def is_of_other_address(claim: Claim, records: tuple[Record, ...]) -> bool:
    """Tell whether records name another host, repository or file than a claim does, and none names the claim's."""
    for match in _ADDRESS.finditer(claim.text) if "." in claim.text[:-1] else ():
        texts = [" ".join((each.item.source_label, each.label, each.text[:_READ])) for each in records]
        if any(match[0] in text for text in texts) or any(
            match[0] in field.value for each in records for field in each.fields
        ):
            continue
        others = [other for text in texts for other in _ADDRESS.finditer(text)]
        if any(
            other["end"] == match["end"] and bool(other["path"]) == bool(match["path"]) for other in others
        ):
            return True
    return False
