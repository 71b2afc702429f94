"""Edits put into a text: in their order, none over another, so that its sentences begin and end as such."""

import re
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Correction
from assay402.checks.claims.rules.restating import begins_sentence


def in_order(corrections: dict[str, Correction]) -> tuple[Correction, ...]:
    """Give the edits by where they begin."""
    return tuple(sorted(corrections.values(), key=lambda each: (each.start, each.end)))


def applied(candidate: str, corrections: dict[str, Correction]) -> str:
    """Give a text with its edits."""
    parts, position = [], 0
    for edit in fitted(candidate, corrections):
        parts += [candidate[position : edit.start], edit.after]
        position = edit.end
    parts.append(candidate[position:])
    return "".join(parts)


def fitted(candidate: str, corrections: dict[str, Correction]) -> list[Correction]:
    """Give the edits in their order, none over another; what begins a sentence ends none before it."""
    found: list[Correction] = []
    position, said = 0, ""
    for each in in_order(corrections):
        start = max(each.start, position)
        said = (said + candidate[position:start])[-_SAID:]
        after = each.after
        if after.startswith(_ENDING) and not _GOES_ON.search(said):
            after = after[len(_ENDING) :]
        is_kept = start == each.start and after == each.after
        found.append(
            each if is_kept else replace(each, start=start, before=candidate[start : each.end], after=after)
        )
        position, said = each.end, (said + after)[-_SAID:]
        _close(candidate, found)
    return found


def _close(candidate: str, found: list[Correction]) -> None:
    """Take out the blank that would be left at the end of a line whose last sentences are all taken out."""
    place = len(found) - 1
    if found[place].after or candidate[found[place].end : found[place].end + 1] not in ("", "\n"):
        return
    while place and not found[place - 1].after and found[place - 1].end == found[place].start:
        place -= 1
    first = found[place]
    if place < len(found) - 1 and candidate[first.start - 1 : first.start] == " ":
        found[place] = replace(first, start=first.start - 1, before=f" {first.before}")


_ENDING: Final = ". "
_SAID: Final = 200
_GOES_ON: Final = re.compile(r"\w[^.!?\n]*$")
"""A sentence that has begun."""
_WORD: Final = re.compile(r"^[a-z]{2,}(?=[\s,.!]|$)")


def begun_large(candidate: str, start: int, after: str) -> str:
    """Give what an edit puts at the beginning of a sentence with a capital, where the sentence had one."""
    if not (begins_sentence(candidate, start) and candidate[start : start + 1].isupper()):
        return after
    return _WORD.sub(lambda found: found[0][0].upper() + found[0][1:], after, count=1)
