"""The sentences of the check, from two data files: the contract's own literals, and ours."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from assay402.checks.listing.model import ListingInput, Note, Profile
from assay402.core.asks import Failed
from assay402.core.strictjson import read


@cache
def _table(name: str) -> Mapping[str, Any]:
    table = read((files("assay402.checks.listing") / name).read_bytes())
    assert isinstance(table, Mapping)  # noqa: S101  (our own file)
    return table


def say(given: ListingInput, key: str, **values: object) -> str:
    """Give a message in the words of the profile, its values put in."""
    return phrase(given.profile, key, **values)


def phrase(profile: Profile, key: str, **values: object) -> str:
    """Give a message in the words of a profile."""
    table = _table("compat.json" if profile == "compat" else "words.json")
    return str(table["message"][key]).format_map(values)


def fix(key: str, **values: object) -> str:
    """Give what to do about it; the same in both profiles."""
    return str(_table("words.json")["fix"][key]).format_map(values)


def note_text(note: Note) -> str:
    """Give what a note says."""
    return str(_table("words.json")["note"][note.code])


def trouble(given: ListingInput, failed: Failed) -> str:
    """Say why a request got no complete answer."""
    ours = _table("words.json")["error"]
    table = {**ours, **_table("compat.json")["error"]} if given.is_compat else ours
    for key in (f"{failed.state}/{failed.detail}", failed.state):
        if key in table:
            return str(table[key])
    return str(ours[""]).format_map({"state": failed.state})
