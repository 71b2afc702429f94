"""A second implementation of the deliverable check's core: numbers, equality, paths and roots. Small, slow, independent.

It shares no code with the package: numbers are fractions, paths are walked by hand, canonical JSON is written from the
text of section 4 of the page. The agreement test compares it with the real one on drawn requests.
"""

import hashlib
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

ABSENT: Final = object()


def load(text: str) -> Any:
    """Read JSON with every number a fraction."""
    return json.loads(text, parse_int=Fraction, parse_float=Fraction)


def alike(one: Any, other: Any) -> bool:
    """Compare by the words of section 2.3: types never mix, objects have no order."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one == other
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return sorted(one) == sorted(other) and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and not any(not alike(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def word(value: Any) -> str:
    """Name the type of a value."""
    names = {
        Fraction: "number",
        bool: "boolean",
        str: "string",
        list: "array",
        dict: "object",
        type(None): "null",
    }
    return names[type(value)]


# Paths. A fault is a string in capitals; what is found is a list of steps: (kind, text).


def steps_of(path: str) -> list[tuple[str, str]] | str:
    """Take a path apart, or name its fault."""
    if path == "":
        return []
    if path[0] == "/":
        return pointer(path)
    if path[0] == "$" and (len(path) == 1 or path[1] in ".[ \t\n\r"):
        return query(path)
    return dotted(path)


def pointer(path: str) -> list[tuple[str, str]] | str:
    """Read RFC 6901, character by character."""
    steps = []
    for token in path.split("/")[1:]:
        text, place = "", 0
        while place < len(token):
            if token[place] == "~":
                if token[place + 1 : place + 2] not in ("0", "1"):
                    return "PATH_SYNTAX"
                text += "~" if token[place + 1] == "0" else "/"
                place += 1
            else:
                text += token[place]
            place += 1
        steps.append(("token", text))
    return steps


def dotted(path: str) -> list[tuple[str, str]] | str:
    """Read names between dots, each with places in brackets behind it."""
    steps: list[tuple[str, str]] = []
    several = False
    for part in path.split("."):
        name, *brackets = part.split("[")
        if name == "" or "]" in name:
            return "PATH_SYNTAX"
        several = several or name == "*"
        steps.append(("token", name))
        for bracket in brackets:
            if not bracket.endswith("]"):
                return "PATH_SYNTAX"
            inner = bracket[:-1]
            if inner == "*":
                several = True
            elif not is_place(inner):
                return "PATH_SYNTAX"
            steps.append(("place", inner))
    return "PATH_NOT_SINGULAR" if several else steps


def query(path: str) -> list[tuple[str, str]] | str:
    """Read a singular query of RFC 9535; for anything else tell the two faults apart."""
    steps: list[tuple[str, str]] = []
    rest = path[1:]
    while rest:
        taken = segment(rest.lstrip(" \t\n\r"))
        if taken is None:
            return fault(path)
        step, rest = taken
        steps.append(step)
    return steps


def segment(rest: str) -> tuple[tuple[str, str], str] | None:
    """Take one segment off the front."""
    if rest.startswith("."):
        end = 1
        while end < len(rest) and (
            (rest[end].isalnum() and rest[end].isascii()) or rest[end] == "_" or rest[end] > "\x7f"
        ):
            end += 1
        name = rest[1:end]
        return (("name", name), rest[end:]) if (name and not name[0].isdigit()) or name[:1] > "\x7f" else None
    if not rest.startswith("["):
        return None
    inner = rest[1:].lstrip(" \t\n\r")
    if inner[:1] in ("'", '"'):
        return quoted(inner)
    end = 0
    while end < len(inner) and inner[end] in "-0123456789":
        end += 1
    digits, after = inner[:end], inner[end:].lstrip(" \t\n\r")
    negative = digits.startswith("-")
    if not after.startswith("]") or not is_place(digits[1:] if negative else digits) or digits == "-0":
        return None
    return None if abs(int(digits)) >= 2**53 else (("place", digits), after[1:])


def quoted(inner: str) -> tuple[tuple[str, str], str] | None:
    """Take a quoted name off the front, its escapes undone by the json module."""
    quote, place = inner[0], 1
    while place < len(inner) and inner[place] != quote:
        place += 2 if inner[place] == "\\" else 1
    body, after = inner[1:place], inner[place + 1 :].lstrip(" \t\n\r")
    if place >= len(inner) or not after.startswith("]"):
        return None
    other = '"' if quote == "'" else "'"
    if "\\" + other in body.replace("\\\\", ""):
        return None
    text = (
        body.replace("\\\\", "\x00")
        .replace("\\'", "'")
        .replace('\\"', '"')
        .replace('"', '\\"')
        .replace("\x00", "\\\\")
    )
    try:
        name = json.loads(f'"{text}"')
        name.encode()
    except ValueError:
        return None
    return ("name", name), after[1:]


def fault(path: str) -> str:
    """Decision 8."""
    outside, quote, place = "", "", 0
    while place < len(path):
        character = path[place]
        if quote:
            place += character == "\\"
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            outside += character
        place += 1
    open_brackets = 0
    for character in outside:
        open_brackets += {"[": 1, "]": -1}.get(character, 0)
        if open_brackets < 0:
            return "PATH_SYNTAX"
    several = ".." in outside or any(mark in outside for mark in "*?:,")
    return "PATH_NOT_SINGULAR" if several and not quote and not open_brackets else "PATH_SYNTAX"


def is_place(text: str) -> bool:
    return text != "" and all(digit in "0123456789" for digit in text) and (text == "0" or text[0] != "0")


def find(document: Any, steps: list[tuple[str, str]]) -> Any:
    """Walk to the value, or give ABSENT."""
    for kind, text in steps:
        if isinstance(document, dict) and kind in ("name", "token"):
            document = document.get(text, ABSENT)
        elif isinstance(document, list) and (kind == "place" or (kind == "token" and is_place(text))):
            place = int(text)
            document = document[place] if -len(document) <= place < len(document) else ABSENT
        else:
            return ABSENT
        if document is ABSENT:
            return ABSENT
    return document


# Canonical JSON, from section 4.


def canonical(value: Any) -> str:
    """Write RFC 8785 with exact numbers."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: list(units(name)))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, Fraction):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def units(name: str) -> Iterator[int]:
    """Give the UTF-16 units of a name."""
    for character in name:
        code = ord(character)
        if code < 0x10000:
            yield code
        else:
            yield 0xD800 + ((code - 0x10000) >> 10)
            yield 0xDC00 + ((code - 0x10000) & 0x3FF)


def number(value: Fraction) -> str:
    """Write a number as ECMAScript does where that is its exact value, else exactly."""
    if value == 0:
        return "0"
    sign, size = ("-" if value < 0 else ""), abs(value)
    digits, exponent = decimal(size)
    try:
        spelled = repr(float(size))
    except OverflowError:
        spelled = "inf"
    if spelled != "inf" and float(spelled) != 0 and Fraction(spelled) == size:
        return sign + ecmascript(digits, len(digits) + exponent)
    if exponent >= 0 and len(digits) + exponent <= 1024:
        return sign + digits + "0" * exponent
    return f"{sign}{digits}e{exponent}"


def decimal(size: Fraction) -> tuple[str, int]:
    """Split a number into its significant digits and the exponent of the last one."""
    exponent = 0
    while size.denominator != 1:
        size *= 10
        exponent -= 1
    whole = int(size)
    while whole % 10 == 0:
        whole //= 10
        exponent += 1
    return str(whole), exponent


def ecmascript(digits: str, point: int) -> str:
    """Lay digits out by the steps of Number::toString."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    tail = f"e{'+' if point - 1 >= 0 else '-'}{abs(point - 1)}"
    return digits + tail if count == 1 else digits[0] + "." + digits[1:] + tail


def root(value: Any) -> str:
    """HashCanonical."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


# Criteria.


def judge(criterion: dict[str, Any], document: Any) -> tuple[str, str]:
    """Judge a drawn criterion, whose parameters are right, on a document."""
    steps = steps_of(criterion.get("path", ""))
    if isinstance(steps, str):
        return "UNCHECKABLE", steps
    value = find(document, steps)
    if value is ABSENT:
        return "FAIL", "PATH_MISSING"
    reason: str = {
        "json_path_equals": equals,
        "json_path_present": lambda _criterion, _value: "OK",
        "numeric_range": in_range,
        "numeric_close": close,
        "array_length": length,
        "unique_values": unique,
    }[criterion["check"]](criterion, value)
    return ("PASS" if reason == "OK" else "FAIL"), reason


def equals(criterion: dict[str, Any], value: Any) -> str:
    if alike(criterion["value"], value):
        return "OK"
    return "VALUE_MISMATCH" if word(criterion["value"]) == word(value) else "TYPE_MISMATCH"


def bound(criterion: dict[str, Any], name: str) -> Fraction | None:
    found = criterion.get(name)
    return Fraction(found) if isinstance(found, str) else found


def in_range(criterion: dict[str, Any], value: Any) -> str:
    if not isinstance(value, Fraction):
        return "NOT_A_NUMBER"
    least, most = bound(criterion, "min"), bound(criterion, "max")
    if least is not None and value < least:
        return "BELOW_MIN"
    return "ABOVE_MAX" if most is not None and value > most else "OK"


def close(criterion: dict[str, Any], value: Any) -> str:
    if not isinstance(value, Fraction):
        return "NOT_A_NUMBER"
    target = bound(criterion, "value") or Fraction(0)
    allowed = max(
        bound(criterion, "tolerance") or Fraction(0),
        (bound(criterion, "relTolerance") or Fraction(0)) * abs(target),
    )
    return "OK" if abs(value - target) <= allowed else "OUT_OF_TOLERANCE"


def length(criterion: dict[str, Any], value: Any) -> str:
    if not isinstance(value, list):
        return "NOT_AN_ARRAY"
    count = len(value)
    if "equals" in criterion:
        return "OK" if count == criterion["equals"] else "NOT_EXACT"
    if count < criterion.get("min", 0):
        return "BELOW_MIN"
    return "ABOVE_MAX" if count > criterion.get("max", math.inf) else "OK"


def unique(_criterion: dict[str, Any], value: Any) -> str:
    if not isinstance(value, list):
        return "NOT_AN_ARRAY"
    pairs = ((one, other) for place, one in enumerate(value) for other in value[place + 1 :])
    return "DUPLICATE_VALUE" if any(alike(one, other) for one, other in pairs) else "OK"
