"""Which words a regular expression cannot do without, so that texts without them need not be looked through.

The marks of a text are the first three and the first five letters of each of its words, each word whole with a bar behind
it, and its signs; a word that begins with a digit is only whole, and only if it is short. `needs` gives for an expression
sets of marks of each of which every text that it matches has at least one, and none where it finds none. What it does
not understand can be anything, so that it errs only towards looking. Case is left aside.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

LEAST: Final = 3
SHOWN: Final = 5
"""Letters of a word that tell it well enough from others: so many, or where there are fewer so many."""
_MOST: Final = 400
"""Spellings followed at once."""
_FEW: Final = 6
"""Signs of a class that are followed one by one."""
COUNTED: Final = 3
"""Longer words that begin with a digit stand in no expression, and in a log each is another."""
_TIMES: Final = re.compile(r"(?:[*+?]|\{(?=[0-9,])([0-9]*)(,?)([0-9]*)\})[?+]?")
_OPENING: Final = re.compile(r"\((?:\?(?P<kind>P<\w+>|<?[=!]|[a-z]*(?:-[a-z]+)?:))?")
_CLASS: Final = re.compile(r"\[\^?(?:\\.|[^\\])(?:\\.|[^\]\\])*\]", re.DOTALL)
_PLAIN: Final = re.compile(r"\\(\W)|\\s")
"""An escaped sign that no word holds."""
_ENDS: Final = re.compile(r"\W")
SIGNS: Final = frozenset('[]{}()<>:=/%#?!"“”✅✓✔☑❌✗✘✖→≥≤~≈`$*+&@\\')
"""Signs that tell a text from others."""
DIGITS: Final = frozenset("0123456789")
EDGE: Final = "|"
"""Where a word begins or ends."""


class _Part(NamedTuple):
    """A part of an expression."""

    spellings: frozenset[str] | None
    """All it can match, blanks and mere edges of words alike as a bar; None where it can match too much to tell."""
    branches: tuple[tuple["_Part", ...], ...] = ()
    """Of what can match too much: the sequences of which at least one must match; none where that need not be."""


_Sequence: TypeAlias = tuple[_Part, ...]
_EDGES: Final = frozenset((EDGE,))
_EMPTY: Final = frozenset(("",))
_ANYTHING: Final = _Part(None)
_BREAK: Final = _Part(_EDGES)
_NOTHING: Final = _Part(_EMPTY)


def needs(expression: str) -> tuple[frozenset[str], ...]:
    """Give sets of marks of each of which every text that matches has at least one, whatever its case; the rarest set first."""
    sequence, end = _parted(expression, 0)
    found = _stretches(sequence, _EMPTY, ends=False) if end == len(expression) else []
    return tuple(sorted(dict.fromkeys(found), key=_worth, reverse=True))


def _parted(text: str, at: int) -> tuple[_Sequence, int]:
    """Read the alternatives that begin at a place, up to the bracket that closes them."""
    branches: list[list[_Part]] = [[]]
    while at < len(text) and text[at] != ")":
        if text[at] == "|":
            branches.append([])
            at += 1
            continue
        part, at = _part(text, at)
        times = _TIMES.match(text, at)
        if times is not None:
            part, at = _repeated(part, times), times.end()
        branches[-1].append(part)
    return (tuple(branches[0]) if len(branches) == 1 else (_one_of(branches),)), at


def _part(text: str, at: int) -> tuple[_Part, int]:
    sign = text[at]
    if sign == "(":
        return _group(text, at)
    if sign == "[":
        found = _CLASS.match(text, at)
        return (_ANYTHING, len(text) + 1) if found is None else (_class(found[0]), found.end())
    if sign == "\\":
        return _escape(text[at + 1]), at + 2
    return (_ANYTHING if sign == "." else _BREAK if sign in "^$" else _sign(sign)), at + 1


def _group(text: str, at: int) -> tuple[_Part, int]:
    opening = _OPENING.match(text, at)
    kind = opening["kind"] or "" if opening is not None else ""
    if opening is None or text.startswith("(?", at) > bool(kind):
        return _ANYTHING, len(text) + 1
    sequence, end = _parted(text, opening.end())
    if kind in ("=", "!", "<=", "<!"):
        is_edge = kind in ("!", "<!") and _holds_letters(text[opening.end() : end])
        return (_BREAK if is_edge else _NOTHING), end + 1
    return (sequence[0] if len(sequence) == 1 else _one_of([sequence])), end + 1


def _holds_letters(aside: str) -> bool:
    """Tell whether what must not stand beside a place is every sign that a word can hold, and perhaps others."""
    found = _CLASS.fullmatch(aside)
    return aside == r"\w" or (found is not None and aside[1] != "^" and r"\w" in aside)


def _escape(sign: str) -> _Part:
    if sign in "bsWAZntr":
        return _BREAK
    return _NOTHING if sign == "B" else _ANYTHING if sign.isalnum() else _sign(sign)


def _sign(sign: str) -> _Part:
    if sign.isspace() or sign == EDGE:
        return _BREAK
    return _ANYTHING if sign.isalnum() and not sign.isascii() else _Part(frozenset((sign.lower(),)))


def _class(text: str) -> _Part:
    signs = _PLAIN.sub(lambda match: " " if match[1] in (None, "-", "\\", "^") else match[1], text[1:-1])
    if signs[0] == "^" or "\\" in signs or "-" in signs[1:-1]:
        return _ANYTHING
    found = [_sign(each).spellings for each in signs]
    spellings = frozenset[str]().union(*(each or () for each in found))
    return _ANYTHING if None in found or len(spellings) > _FEW else _Part(spellings)


def _repeated(part: _Part, times: re.Match[str]) -> _Part:
    low = times[0][0] == "+" or (times[1] or "0").strip("0") != ""
    once = times[0][0] == "?" or (times[2] and times[3] == "1")
    if part.spellings is not None and (once or all(map(_ENDS.fullmatch, part.spellings))):
        return part if low else _Part(part.spellings | {""})
    return _Part(None, ((part,),)) if low else _ANYTHING


def _one_of(branches: Iterable[Iterable[_Part]]) -> _Part:
    sequences = tuple(map(tuple, branches))
    found: set[str] = set()
    for each in sequences:
        spellings = _spelled(each)
        if spellings is None or len(found) > _MOST:
            return _Part(None, sequences)
        found |= spellings
    return _Part(frozenset(found))


def _spelled(sequence: _Sequence) -> frozenset[str] | None:
    found = _EMPTY
    for part in sequence:
        if part.spellings is None or len(found) * len(part.spellings) > _MOST:
            return None
        found = _joined(found, part.spellings)
    return found


def _joined(before: frozenset[str], after: frozenset[str]) -> frozenset[str]:
    return frozenset(one + other for one in before for other in after)


def _needed(sequence: _Sequence, before: frozenset[str], *, ends: bool) -> frozenset[str] | None:
    """Give what the best told stretch of a sequence needs."""
    return max(_stretches(sequence, before, ends=ends), key=_worth, default=None)


def _stretches(sequence: _Sequence, before: frozenset[str], *, ends: bool) -> list[frozenset[str]]:
    """Give what each stretch of a sequence needs, after what may stand before it; `ends` tells of an edge behind."""
    run, found = before, []
    for part, following in zip(sequence, (*sequence[1:], None), strict=True):
        spellings = part.spellings
        if spellings is not None and len(run) * len(spellings) <= _MOST:
            run = _joined(run, spellings)
            continue
        found.append(_told_by(run))
        edge = _EDGES if all(_ENDS.match(each[-1:]) for each in run) else _EMPTY
        if spellings is None:
            is_before = ends if following is None else following.spellings == _EDGES
            found.append(_of_any(part.branches, run if len(run) <= _FEW else edge, ends=is_before))
        run = _EMPTY if spellings is None else _joined(edge, spellings)
    found.append(_told_by(_joined(run, _EDGES) if ends else run))
    return [each for each in found if each]


def _of_any(branches: tuple[_Sequence, ...], before: frozenset[str], *, ends: bool) -> frozenset[str] | None:
    found = [_needed(each, before, ends=ends) for each in branches]
    return None if None in found else frozenset[str]().union(*(each or () for each in found))


def _told_by(spellings: frozenset[str]) -> frozenset[str] | None:
    """Give for each of some spellings the word or sign of it that tells most; nothing where one has none."""
    found = [_telling(each) for each in spellings]
    return None if "" in found else frozenset(found)


def _telling(spelling: str) -> str:
    _, *rest = _ENDS.split(spelling)
    whole = [
        f"{each}{EDGE}" for each in rest[:-1] if each and (each[0] not in DIGITS or len(each) <= COUNTED)
    ]
    last = rest[-1] if rest and rest[-1][:1] not in DIGITS else ""
    begun = [last[:length] for length in (LEAST, SHOWN) if len(last) >= length]
    return max((*whole, *begun, *sorted(SIGNS.intersection(spelling), reverse=True)), key=len, default="")


def _worth(found: frozenset[str]) -> tuple[int, int]:
    return min(map(len, found)), -len(found)
