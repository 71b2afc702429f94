"""How many places of a pattern an engine can be in at once: what a byte of text costs it.

A pattern that begins at the start of the text enters its automaton once, so it is in few places however often it
repeats: `^[^@]{1,64}@[^@]{1,255}$` in one, where the same pattern without `^` is entered anew at each character, and may
be in all of them. The places are counted by walking the sets of them, with each class of characters taken for the largest
it can be.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from msgspec import Struct

from assay402.checks.deliverable.automaton_syntax import (
    ALL,
    Alternatives,
    Characters,
    Part,
    Repeated,
    Sequence,
    Start,
    parse,
)

MAX_POSITIONS: Final = 2048
"""Places of a pattern with its repetitions written out."""
MAX_STEPS: Final = 1 << 14
"""Steps of the walk through one pattern: some milliseconds."""
MAX_ALL_STEPS: Final = 1 << 18
"""Steps of the walks through all patterns of a request."""
_CHARACTER_BYTES: Final = 4
_CLASSES_A_STEP: Final = 4
_STEPS: Final = 24
"""Steps a byte takes in any pattern."""
_PLACE_STEPS: Final = 3
"""Steps a byte takes for each place it is in; the dearest takes some five in a place that is repeated, which doubles it."""
MAX_CLASSES: Final = 256
"""Different classes of a request whose size is found out; each further one counts as the largest."""
_WIDEST: Final = 32
"""Steps a byte takes at most, besides, where a class is read byte by byte: through the alternatives of one byte."""
_BACKWARDS: Final = 8
"""How much dearer a class is where the start of what matched is looked for from its end, which may be anywhere."""
_WIDTH_PARTS: Final = 2
_BARE: Final = 3
"""Instructions of an engine's program besides those of what it reads."""

Sets: TypeAlias = tuple[int, int, bool]
"""The places a part begins in and ends in, as bits, and whether it can be empty."""


class Price(Struct, frozen=True, kw_only=True):
    """What a pattern costs."""

    byte: int
    """Steps a byte of text takes where a class is looked up as a whole."""
    alternatives: int = 0
    """Steps it takes besides where a class is alternatives of bytes that are tried one after the other."""
    reach: int | None
    """Bytes of a text that are looked at, at most; None where that is all."""


class Places:
    """Counts the places of the patterns of a request, as long as there are steps for it left."""

    def __init__(self) -> None:
        self._left = MAX_ALL_STEPS
        self._known: dict[str, Price | None] = {}
        self._widths: dict[str, int] = {"": 0}

    def price(self, pattern: str) -> Price | None:
        """Give what a pattern costs; None where that is not known."""
        if pattern not in self._known:
            self._known[pattern] = self._counted(pattern) if self._left > 0 else None
        return self._known[pattern]

    def _counted(self, pattern: str) -> Price | None:
        part = parse(pattern)
        if part is None:
            return None
        is_anchored = _is_anchored(part)
        automaton = _Automaton(self._width)
        try:
            first, _, _ = automaton.take(part)
            places, alternatives = automaton.most(first, again=0 if is_anchored else first)
        except _TooLarge:
            return None
        finally:
            self._left -= automaton.steps
        longest = _longest(part)
        return Price(
            byte=_STEPS + _PLACE_STEPS * places * _nesting(part),
            alternatives=alternatives * (1 if is_anchored or longest is not None else _BACKWARDS),
            reach=None if longest is None or not is_anchored else _CHARACTER_BYTES * (longest + 2),
        )

    def _width(self, written: str) -> int:
        """Give the steps a byte takes in a class, by the size of the program that reads it byte by byte."""
        width = self._widths.get(written)
        if width is None:
            room = len(self._widths) <= MAX_CLASSES
            width = self._widths[written] = min(_WIDEST, _program_size(written) if room else _WIDEST)
        return width


def _program_size(written: str) -> int:
    """Give the parts of a class; as many as any has where the engine that has them reads another syntax."""
    import re2  # noqa: PLC0415  (a compiled engine, loaded by the criterion that needs it)

    options = re2.Options()
    options.log_errors = False
    try:
        size: int = re2.compile(f"^{written}".encode(), options).programsize
    except re2.error:
        return _WIDEST
    return max(0, size - _BARE) // _WIDTH_PARTS


class _TooLarge(Exception):
    """More places or steps than are counted."""


def _is_anchored(part: Part) -> bool:
    match part:
        case Start():
            return True
        case Sequence():
            return bool(part.parts) and _is_anchored(part.parts[0])
        case Alternatives():
            return all(map(_is_anchored, part.parts))
        case Repeated():
            return part.least > 0 and _is_anchored(part.part)
        case _:
            return False


def _longest(part: Part) -> int | None:
    """Give the most characters a part can match; None where there is no such number."""
    match part:
        case Characters():
            return 1
        case Repeated():
            inner = _longest(part.part)
            return None if inner is None or part.most is None else inner * part.most
        case Sequence() | Alternatives():
            lengths = [_longest(each) for each in part.parts]
            known = [length for length in lengths if length is not None]
            if len(known) < len(lengths):
                return None
            return sum(known) if isinstance(part, Sequence) else max(known)
        case _:
            return 0


def _nesting(part: Part) -> int:
    """Count repetitions and alternatives one inside the other: as often an engine turns before it finds a place."""
    match part:
        case Repeated():
            return 1 + _nesting(part.part)
        case Sequence():
            return max(map(_nesting, part.parts), default=1)
        case Alternatives():
            return 1 + max(map(_nesting, part.parts))
        case _:
            return 1


class _Automaton:
    """The places of a pattern, each a character it reads, and those that can follow each."""

    def __init__(self, width: Callable[[str], int]) -> None:
        self._width = width
        self._widths: dict[int, int] = {}
        """The places of classes of each width."""
        self._reads: list[int] = []
        self._follow: list[int] = []
        self.steps = 0

    def take(self, part: Part) -> Sets:
        """Write a part out into places."""
        match part:
            case Characters():
                if len(self._reads) == MAX_POSITIONS:
                    raise _TooLarge
                self._reads.append(part.mask)
                self._follow.append(0)
                place = 1 << (len(self._reads) - 1)
                width = self._width(part.written)
                self._widths[width] = self._widths.get(width, 0) | place
                return place, place, False
            case Sequence():
                return self._sequence(self.take(each) for each in part.parts)
            case Alternatives():
                sides = [self.take(each) for each in part.parts]
                first = last = 0
                for side in sides:
                    first, last = first | side[0], last | side[1]
                return first, last, any(side[2] for side in sides)
            case Repeated():
                return self._repeated(part)
            case _:
                return 0, 0, True

    def most(self, first: int, *, again: int) -> tuple[int, int]:
        """Count the places that can be tried at once, and their widths: all there are where the sets are too many.

        `again` are those that are entered anew at each character.
        """
        seen = {0}
        waiting = [first]
        places = alternatives = 0
        try:
            atoms = self._atoms()
            while waiting:
                candidates = waiting.pop()
                if candidates in seen:
                    continue
                seen.add(candidates)
                places = max(places, candidates.bit_count())
                alternatives = max(alternatives, self._alternatives(candidates))
                waiting.extend(again | self._following(candidates & atom) for atom in atoms)
        except _TooLarge:
            return len(self._reads), self._alternatives((1 << len(self._reads)) - 1)
        return places, alternatives

    def _alternatives(self, candidates: int) -> int:
        return sum(width * (candidates & places).bit_count() for width, places in self._widths.items())

    def _following(self, places: int) -> int:
        following = 0
        for place in self._bits(places):
            following |= self._follow[place]
        return following

    def _sequence(self, parts: Iterator[Sets]) -> Sets:
        first, last, is_empty = 0, 0, True
        for its_first, its_last, its_empty in parts:
            self._link(last, its_first)
            first = first | its_first if is_empty else first
            last = last | its_last if its_empty else its_last
            is_empty = is_empty and its_empty
        return first, last, is_empty

    def _repeated(self, part: Repeated) -> Sets:
        if part.most == 0:
            return 0, 0, True
        least = max(1, part.least)
        first, last, is_empty = self._sequence(self.take(part.part) for _ in range(least))
        if part.most is None:
            # Looping over all of them leads to no fewer places than looping over the last.
            self._link(last, first)
        ends = last
        for _ in range(least, part.most or 0):
            its_first, its_last, its_empty = self.take(part.part)
            self._link(last, its_first)
            first = first | its_first if is_empty else first
            last = last | its_last if its_empty else its_last
            ends |= its_last
        return first, ends, is_empty or part.least == 0

    def _link(self, last: int, first: int) -> None:
        for place in self._bits(last if first else 0):
            self._follow[place] |= first

    def _bits(self, places: int) -> Iterator[int]:
        while places:
            self._step(1)
            lowest = places & -places
            yield lowest.bit_length() - 1
            places ^= lowest

    def _step(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise _TooLarge

    def _atoms(self) -> list[int]:
        """Give for each kind of character the places that read it, each set of places once."""
        classes: dict[int, int] = {}
        for place, mask in enumerate(self._reads):
            classes[mask] = classes.get(mask, 0) | 1 << place
        self._step(len(classes) * ALL.bit_length() // _CLASSES_A_STEP)
        atoms = set()
        for character in range(ALL.bit_length()):
            bit = 1 << character
            atom = 0
            for mask, places in classes.items():
                atom |= places if mask & bit else 0
            atoms.add(atom)
        return sorted(atoms - {0})
