"""The candidate into stretches that may be claims: sentences, list items, table cells, JSON leaves, headings."""

import re
from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from assay402.checks.claims.reading.joints import joints
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.sentences import FINITE, begins_clause, sentences, trimmed
from assay402.checks.claims.reading.statuses import is_quotation
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import read

Form = Literal["clause", "fragment", "cell", "leaf", "heading"]

MOST_PIECES: Final = 4_000
"""Stretches read of one candidate; the rest of the text is not read, and the case is held."""

_ITEM: Final = re.compile(
    r"\s*(?:[-*•‣–]|[0-9]{1,3}[.)]|\([a-z0-9]\))\s+(?:\[([ xX✓✔])\]\s+)?|\s*(?:✅|❌|✓|✔|✗|☑|☐)\s*"
)
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+|\s*\*\*(?=[^*]+\*\*:?\s*$)|\s*__(?=[^_]+__:?\s*$)")
_FENCE: Final = Pattern(r"\s{0,3}(```|~~~)")
_RULE: Final = re.compile(r"^[\s|:+=_*-]+$")
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_LOOKED_AT: Final = 300
"""Characters on either side of a joint that decide whether two clauses meet there."""


class Piece(Struct, frozen=True, gc=False):
    """A stretch of the candidate that may be a claim."""

    start: int
    end: int
    form: Form
    context: str = ""
    ticked: str = ""
    """`x` or a blank where a check box stands before it."""
    paragraph: int = 0
    cell: tuple[str, str, str] | None = None
    """Of a table's cell: the header of the first column, the first cell of the row, and the column's header."""
    goes_on: bool = False
    """It stands behind a joint, so that its subject may be the one before."""


def pieces(text: str) -> list[Piece]:
    """Give the stretches of a candidate, in text order, none overlapping."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            read(text)
        except JSONUnreadable:
            pass
        else:
            return list(_leaves(text))
    found: list[Piece] = []
    for piece in _blocks(text):
        found += _clauses(text, piece) if piece.form == "clause" else [piece]
        if len(found) >= MOST_PIECES:
            break
    return found


def _blocks(text: str) -> Iterator[Piece]:
    fenced, paragraph = "", 0
    header: list[str] = []
    start = 0
    open_at = -1
    for line in text.split("\n"):
        end = start + len(line)
        fence = _FENCE.match(line)
        special = (
            bool(fence)
            or bool(fenced)
            or not line.strip()
            or _ITEM.match(line)
            or _HEADING.match(line)
            or line.lstrip().startswith((">", "|"))
        )
        if open_at >= 0 and (special or _stands_alone(text[open_at : start - 1])):
            yield from _prose(text, open_at, start - 1, paragraph)
            open_at = -1
        if fence is not None:
            fenced = "" if fenced and fence[1] == fenced else fenced or fence[1]
        elif not fenced:
            if not line.strip():
                paragraph += 1
            if not line.lstrip().startswith("|"):
                header = []
            if special:
                yield from _special(text, line, start, header, paragraph)
                if line.lstrip().startswith("|") and not header:
                    header = [cell.strip() for cell in line.strip().strip("|").split("|")]
            elif open_at < 0:
                open_at = start
        start = end + 1
    if open_at >= 0:
        yield from _prose(text, open_at, len(text), paragraph)


def _stands_alone(text: str) -> bool:
    """Tell whether a line ends what it says, so that the next line does not go on with it."""
    last = text.rstrip().rsplit("\n", 1)[-1]
    return last.endswith((".", "!", "?", ":", ";")) or len(last) < 40  # shorter than a wrapped line


def _prose(text: str, start: int, end: int, paragraph: int) -> Iterator[Piece]:
    for first, last in sentences(text[start:end]):
        yield Piece(start + first, start + last, "clause", paragraph=paragraph)


def _special(text: str, line: str, start: int, header: list[str], paragraph: int) -> Iterator[Piece]:
    if _RULE.match(line):
        return
    if line.lstrip().startswith(">"):
        if not is_quotation(line, text[max(0, start - _LOOKED_AT) : start].rstrip().rsplit("\n", 1)[-1]):
            behind = len(line) - len(line.lstrip("> "))
            yield from _prose(text, start + behind, start + len(line), paragraph)
        return
    if line.lstrip().startswith("|"):
        yield from _row(line, start, header)
        return
    heading = _HEADING.match(line)
    if heading is not None:
        for first, last in trimmed(
            text, start + heading.end(), start + len(line.rstrip().rstrip("*_").rstrip())
        ):
            yield Piece(first, last, "heading", paragraph=paragraph)
        return
    item = _ITEM.match(line)
    begin = start + (item.end() if item is not None else 0)
    ticked = (item[1] or "") if item is not None else ""
    mark = line.strip()[:1]
    ticked = {"✅": "x", "✓": "x", "✔": "x", "☑": "x", "❌": " ", "✗": " ", "☐": " "}.get(mark, ticked)
    for first, last in sentences(text[begin : start + len(line)]):
        yield Piece(begin + first, begin + last, "clause", ticked=ticked, paragraph=paragraph)


def _row(line: str, start: int, header: list[str]) -> Iterator[Piece]:
    if not header:
        return
    cells = []
    position = start + line.index("|") + 1
    for cell in line.strip().strip("|").split("|"):
        cells += [(position + len(cell) - len(cell.lstrip()), cell.strip())]
        position += len(cell) + 1
    subject = cells[0][1] if cells else ""
    for (begin, cell), name in zip(cells[1:], header[1:], strict=False):
        if cell:
            yield Piece(
                begin, begin + len(cell), "cell", f"{subject} {name}", cell=(header[0], subject, name)
            )


def _clauses(text: str, piece: Piece) -> list[Piece]:
    """Split a sentence where both sides say something of their own."""
    whole = text[piece.start : piece.end]
    found, begin = [], 0
    for start, end in joints(whole):
        found.append((begin, start))
        begin = end
    found.append((begin, len(whole)))
    found = [part for each in found for part in _premise(whole, *each)]
    made = []
    for first, last in found:
        form: Form = "clause" if FINITE.search(whole[first:last]) else "fragment"
        made.append(
            replace(piece, start=piece.start + first, end=piece.start + last, form=form, goes_on=first > 0)
        )
    return made


_PREMISE: Final = re.compile(r"(?:since|as|given that|now that)\s", re.IGNORECASE)


def _premise(whole: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Part `since …, …` where both sides say something of their own: the speaker asserts the one and the other."""
    stretch = whole[begin : min(end, begin + 2 * _LOOKED_AT)]
    if _PREMISE.match(stretch) is not None:
        for match in re.finditer(r",\s", stretch):
            if FINITE.search(stretch[: match.start()]) and begins_clause(stretch[match.end() :]):
                yield begin, begin + match.start()
                yield begin + match.end(), end
                return
    yield begin, end


def _leaves(text: str) -> Iterator[Piece]:
    """Give the scalar values of a JSON text, each with the path it stands at and the identifiers beside it on that path."""
    found: list[tuple[int, int, list[str | list[str]]]] = []
    stack: list[tuple[list[str], list[str]]] = []
    expects_name = False
    made = 0
    for match in _JSON_TOKEN.finditer(text):
        token = match[0]
        if token in "{[":
            stack.append((["{" if token == "{" else "[", ""], []))
            expects_name = token == "{"
        elif token in "}]":
            stack.pop()
        elif token == ",":
            expects_name = bool(stack) and stack[-1][0][0] == "{"
        elif token == ":":
            expects_name = False
        elif expects_name:
            stack[-1][0][1] = token.strip('"')
        elif token != "null" and made < MOST_PIECES:
            made += 1
            quoted = token.startswith('"')
            if stack and _IDENTIFIES.fullmatch(stack[-1][0][1]):
                stack[-1][1].append(token.strip('"'))
            path = [part for (_, name), ids in stack for part in (name, ids)]
            found.append((match.start() + quoted, match.end() - quoted, path))
    for start, end, path in found:
        beside = [
            part if isinstance(part, str) else " ".join(each for each in part[:2] if each != text[start:end])
            for part in path
        ]
        # The identifiers of an object stand before the name of its value.
        order = [beside[index] for pair in range(0, len(beside), 2) for index in (pair + 1, pair)]
        yield Piece(start, end, "leaf", " ".join(each for each in order if each))


_IDENTIFIES: Final = re.compile(r"(?:.*[_-])?(?:id|uuid|number|sku|ref|reference)|\w*[a-z]Id", re.IGNORECASE)
