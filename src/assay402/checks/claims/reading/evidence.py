"""Evidence items into records: JSON, JSON Lines, tool transcripts, log lines, tables, prose."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from assay402.checks.claims.model import EvidenceItem, Field
from assay402.checks.claims.reading.blocks import Blocks
from assay402.checks.claims.reading.idioms import said_plainly
from assay402.checks.claims.reading.naming import is_id_name
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.sentences import is_labelled, sentences
from assay402.checks.claims.reading.statuses import is_state, words_for
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, Number, members, read

MOST_RECORDS: Final = 40_000
"""Records of one case; what lies beyond is PARTIAL for want of budget."""
_MOST_FIELDS: Final = 400
_LONG_LINE: Final = 140
"""Longer lines without the marks of a log are read as prose, sentence by sentence."""
_EMBEDDED: Final = re.compile(r"(?<![\w\]])[\[{](?=\s*[\"\[{\]}0-9tfn-])")
_CALL: Final = re.compile(
    r"^\W{0,3}(?:tool[_ ]?call|call(?:ing)?|invoke|invoking|action|function[_ ]call|request)\b[:\s]+(?![a-z]+(?:ed|sent|paid)\b)([\w.\-]+)(?!\w|\s*[:=]\s*[-$€£]?[0-9])",
    re.IGNORECASE,
)
_RESULT: Final = re.compile(
    r"^\W{0,3}(?:tool[_ ]?result|result|response|observation|output|returned|function[_ ]result)\b[:\s]*([\w.\-]+)?",
    re.IGNORECASE,
)
_TABLE_RULE: Final = re.compile(r"^[\s|:+=-]+$")
_WIDE: Final = re.compile(r"\t|\s{2,}")
_LOG_MARK: Final = re.compile(r"=\S|^\s*\[?[0-9]{2,4}[-:/][0-9]{2}|->|\b(?:INFO|WARN|ERROR|DEBUG)\b")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_ENGLISH: Final = frozenset(
    ("the", "a", "is", "was", "of", "to", "and", "in", "for", "on", "with", "by", "at", "not", "has", "be", "are", "it", "from", "as")
)  # fmt: skip


class Reading(Struct, frozen=True, kw_only=True):
    """The records of one item, and how far they go."""

    item: EvidenceItem
    records: tuple[object, ...]
    inspected: int
    reasons: tuple[str, ...]


class Reader:
    """Reads items into records within one budget."""

    def __init__(self) -> None:
        self._left = MOST_RECORDS
        self.records: Final[list[Record]] = []
        self._blocks: Final = Blocks()

    def read(self, item: EvidenceItem) -> Reading:
        """Read one item."""
        first = len(self.records)
        reasons = ["CONTROL_BYTES"] if _CONTROL.search(item.text) else []
        text = item.text
        if not text.strip():
            return Reading(item=item, records=(), inspected=len(text), reasons=("EMPTY",))
        value = _json(text.strip()) if text.lstrip()[:1] in ("{", "[") else None
        if value is not None:
            self._walk(item, value, None, 0, (0, len(text)), "", "")
            inspected = len(text)
        else:
            reasons += (
                ["UNPARSEABLE_JSON"]
                if text.lstrip()[:2] in ('{"', "[{") and _json(_first_line(text)) is None
                else []
            )
            inspected = self._lines(item)
        if self._left <= 0:
            inspected = min(inspected, len(text) - 1) if len(self.records) > first else 0
        reasons += ["BUDGET"] if inspected < len(text) else []
        return Reading(
            item=item, records=tuple(self.records[first:]), inspected=inspected, reasons=tuple(reasons)
        )

    def _add(self, record: Record) -> Record:
        self._left -= 1
        self.records.append(record)
        return record

    def _lines(self, item: EvidenceItem) -> int:
        start, call = 0, None
        self._blocks.end()
        prompted = False
        header: list[str] | None = None
        heading = ""
        lines = item.text.split("\n")
        for number, line in enumerate(lines, 1):
            if self._left <= 0:
                return start
            end = start + len(line)
            if line.strip():
                following = lines[number] if number < len(lines) else ""
                cells = _cells(line)
                if header is not None and (row := _row(header, cells, line)) is not None:
                    self._add(
                        Record(item, len(self.records), number, (start, end), "row", line, row, label=heading)
                    )
                elif _TABLE_RULE.match(line) and header is not None:
                    pass
                elif _is_header(cells, following):
                    header = cells
                else:
                    header = None
                    told = said_plainly(item.text, start, line)
                    call = self._line(item, told, number, start, call, heading)
                    heading = _heading(line, heading)
                    prompted = _PROMPT.match(line) is not None or prompted
            else:
                header = None
                self._blocks.end()
                heading = "" if prompted else heading
            start = end + 1
        return min(start, len(item.text))

    def _line(
        self, item: EvidenceItem, line: str, number: int, start: int, call: Record | None, heading: str
    ) -> Record | None:
        span = (start, start + len(line))
        found = _EMBEDDED.search(line) if "{" in line or "[" in line else None
        value = _json(line[found.start() :].strip()) if found is not None else None
        if found is not None and value is None and line[found.start() :].count('":') > 2:
            value = _json(_closed(line[found.start() :]))
        prefix = line[: found.start()] if found is not None and value is not None else line
        called = _CALL.match(line)
        if called is not None:
            fields = _fields(value) if value is not None else ()
            return self._add(
                Record(
                    item,
                    len(self.records),
                    number,
                    span,
                    "json",
                    line,
                    fields,
                    label=f"{called[1]} call",
                    pointer="",
                )
            )
        answered = _RESULT.match(line)
        above = (
            call if answered is not None and call is not None and (answered[1] or "") in call.label else None
        )
        if value is not None:
            told = said_plainly(item.text, start, prefix.rstrip())
            if told != prefix.rstrip():
                self._add(Record(item, len(self.records), number, span, "line", told, label=heading))
            self._walk(item, value, above, number, span, "", prefix.strip(" ->:="), text=line)
            return None if answered is not None else call
        self._text(item, line, number, span, above, heading)
        return call if answered is None else None

    def _text(
        self,
        item: EvidenceItem,
        line: str,
        number: int,
        span: tuple[int, int],
        above: Record | None,
        heading: str,
    ) -> None:
        spoken = _spoken_row(line)
        if spoken:
            self._add(Record(item, len(self.records), number, span, "row", line, spoken, label=heading))
            return
        prose = len(line) > _LONG_LINE and not _LOG_MARK.search(line[:_LONG_LINE])
        prose = prose or (item.kind in ("document", "description") and ". " in line)
        if above is None and prose and not is_labelled(line):
            for first, last in sentences(line):
                at = (span[0] + first, span[0] + last)
                self._add(
                    Record(item, len(self.records), number, at, "prose", line[first:last], label=heading)
                )
            return
        above = above or self._blocks.above(line)
        record = Record(item, len(self.records), number, span, "line", line, parent=above, label=heading)
        self._blocks.follow(line, self._add(record))

    def _walk(
        self,
        item: EvidenceItem,
        value: JSON,
        parent: Record | None,
        line: int,
        span: tuple[int, int],
        pointer: str,
        label: str,
        text: str = "",
    ) -> None:
        if self._left <= 0:
            return
        if isinstance(value, list) and any(isinstance(each, Mapping | list) for each in value):
            for index, each in enumerate(value):
                self._walk(item, each, parent, line, span, f"{pointer}/{index}", label, text)
            return
        if not isinstance(value, Mapping):
            fields = _fields({label.rsplit(" ", maxsplit=1)[-1] or "value": value})
            self._add(
                Record(item, len(self.records), line, span, "json", text, fields, parent, pointer, label)
            )
            return
        flat, nested = _split(value)
        record = self._add(
            Record(item, len(self.records), line, span, "json", text, flat, parent, pointer, label)
        )
        for name, each in nested:
            self._walk(item, each, record, line, span, f"{pointer}/{_escape(name)}", name, text)


def _spoken_row(line: str) -> tuple[Field, ...]:
    """Read a table row written out as `name is value ; name is value`."""
    parts = _ROW_NUMBER.sub("", line.strip()).rstrip(" .").split(" ; ")
    pairs = [part.split(" is ", 1) for part in parts]
    if len(pairs) < 2 or any(len(pair) != 2 for pair in pairs):  # a row has two cells, each with its name
        return ()
    return tuple(Field(name.strip(), value.strip()) for name, value in pairs)


_ROW_NUMBER: Final = re.compile(r"^row\s[0-9]+\s(?:is\s)?:\s", re.IGNORECASE)


def _first_line(text: str) -> str:
    return text.lstrip().split("\n", 1)[0].strip()


def _json(text: str) -> JSON:
    try:
        value = read(text)
    except JSONUnreadable:
        return None
    return value if isinstance(value, Mapping | list) else None


_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+|"')


def _closed(text: str) -> str:
    """Give a JSON text that was cut off as far as it is whole: the last unfinished member is left out."""
    stack: list[str] = []
    kept: tuple[int, tuple[str, ...]] = (0, ())
    before = ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == '"':
            break
        if token in "{[":
            stack.append("}" if token == "{" else "]")
        elif token in "}]":
            if not stack:
                break
            stack.pop()
        if token in "}]" or (token not in "{[:," and stack and (stack[-1] == "]" or before == ":")):
            kept = (match.end(), tuple(stack))
        before = token
    return text[: kept[0]] + "".join(reversed(kept[1]))


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _split(value: Mapping[str, JSON]) -> tuple[tuple[Field, ...], list[tuple[str, JSON]]]:
    """Part the members of an object into named values of its own and objects of their own."""
    flat: list[Field] = []
    nested: list[tuple[str, JSON]] = []
    for name, each in members(value):
        if isinstance(each, str):  # nearly all are
            flat.append(Field(name, each, _escape(name)))
        elif (isinstance(each, Mapping) and not _is_plain(each)) or (
            isinstance(each, list) and any(isinstance(one, Mapping | list) for one in each)
        ):
            nested.append((name, each))
        else:
            flat += _fields({name: each})
    return tuple(flat[:_MOST_FIELDS]), nested


def _is_plain(value: Mapping[str, JSON]) -> bool:
    """Tell whether an object only groups values: no object inside, and nothing that identifies it."""
    return not any(isinstance(each, Mapping | list) for each in value.values()) and not any(
        is_id_name(name) for name in value
    )


def _fields(value: JSON) -> tuple[Field, ...]:
    found: list[Field] = []
    pairs = members(value) if isinstance(value, Mapping) else [("", value)]
    for name, each in pairs:
        pointer = _escape(name)
        if isinstance(each, Mapping):
            found += [
                Field(f"{name}.{inner.name}", inner.value, f"{pointer}/{inner.pointer}")
                for inner in _fields(each)
            ]
        elif isinstance(each, list):
            found += [
                Field(name, _spelling(one), f"{pointer}/{index}")
                for index, one in enumerate(each)
                if not isinstance(one, Mapping | list)
            ]
            found += [Field(name, "[]", pointer)] if not each else []
        else:
            found.append(Field(name, _spelling(each), pointer))
    return tuple(found[:_MOST_FIELDS])


def _spelling(value: JSON) -> str:
    match value:
        case Number():
            return value.spelling
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
    return str(value)


def _cells(line: str) -> list[str]:
    stripped = line.strip()
    if "|" in stripped:
        return [cell.strip() for cell in stripped.strip("|").split("|")]
    if "," in stripped and "\t" not in stripped and ", " not in stripped:
        return [cell.strip().strip('"') for cell in stripped.split(",")]
    return _WIDE.split(stripped)


def _is_header(cells: list[str], following: str) -> bool:
    if len(cells) < 2 or not following.strip():  # a table has two columns
        return False
    named = all(0 < len(cell) <= 60 and not cell[:1].isdigit() and "=" not in cell for cell in cells)
    below = _cells(following)
    if _is_large(cells) and len(below) == len(cells):
        return True
    return named and (
        bool(_TABLE_RULE.match(following))
        or (len(below) == len(cells) and any(_is_value(cell) for cell in below))
        or (len(below) == len(cells) and any(map(is_state, cells, below)))
    )


def _is_value(cell: str) -> bool:
    return cell[:1].isdigit() or cell[:1] in "$€£-" or cell.lower() in words_for("yes") | words_for("no")


def _is_large(cells: list[str]) -> bool:
    """Tell whether the cells are written large throughout, as command lines write the heads of their tables."""
    return all(cell.isupper() and cell[0].isalpha() and "=" not in cell and len(cell) <= 20 for cell in cells)


def _row(header: list[str], cells: list[str], line: str) -> tuple[Field, ...] | None:
    if len(cells) != len(header):
        cells = line.split()
    if len(cells) != len(header) or _TABLE_RULE.match(line):
        return None
    return tuple(Field(name, cell) for name, cell in zip(header, cells, strict=True))


_PROMPT: Final = re.compile(r"^\s*(?:\$|>>>|PS>|%)\s+([A-Za-z][\w./-]*(?:\s+.{0,80})?)$")
"""A command at a prompt; what stands below it is its answer."""


def _heading(line: str, before: str) -> str:
    stripped = line.strip()
    command = _PROMPT.match(line)
    if command is not None:
        return re.sub(r"(?<=\s)-+", "", command[1])
    if stripped.startswith("#") or (
        len(stripped) < 40 and stripped.replace(" ", "").isalpha() and len(stripped.split()) <= 3
    ):  # a short line of words
        return stripped.strip("# ")
    return before


def is_english(text: str) -> bool:
    """Tell whether a longer text of words is English, as far as its small words say; short texts count as English."""
    letters = text[:4_000].split()
    plain = [word.lower() for word in letters if word.isalpha()]
    if any(ord(char) > 0x24F for word in letters[:200] for char in word if char.isalpha()):
        return False
    return len(plain) < 12 or sum(word in _ENGLISH for word in plain) * 20 >= len(plain)


def readings(items: tuple[EvidenceItem, ...]) -> tuple[list[Record], list[Reading]]:
    """Read all items, in order."""
    reader = Reader()
    read_items = [reader.read(item) for item in items]
    return reader.records, read_items
