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
    named = list(_ADDRESS.finditer(claim.text)) if "." in claim.text[:-1] else []
    if not named:
        return False
    texts = [" ".join((each.item.source_label, each.label, each.text[:_READ])) for each in records]
    texts += [field.value for each in records for field in each.fields]
    told = [other for text in texts for other in _ADDRESS.finditer(text)]
    return any(
        not any(match[0] in text for text in texts) and any(_is_alike(match, other) for other in told)
        for match in named
    )


def _is_alike(one: re.Match[str], other: re.Match[str]) -> bool:
    return one["end"] == other["end"] and bool(one["path"]) == bool(other["path"])
