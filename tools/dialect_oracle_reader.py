"""The oracle's own readers: JSON text that keeps the spelling of numbers, and the header's base64.

Written from reading A50 (JSON) and A2 (the header value) alone, on the standard library only and without its
`json` and `base64`, so that the engine and the oracle cannot be wrong in the same line.
"""

import string
from typing import NamedTuple

MOST_OPEN_CONTAINERS = 128  # A50: one more and the text is unparseable

_BLANKS = " \t\r\n"
_BYTE_ORDER_MARK = "\ufeff"
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_FIRST_PRINTABLE = " "
_HIGH_SURROGATES = range(0xD800, 0xDC00)
_LOW_SURROGATES = range(0xDC00, 0xE000)

_STANDARD = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
_URL_SAFE = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
_MOST_PADDING = 2


class Unreadable(ValueError):
    """The text is not what the readings call readable; says nothing about the text."""


class Number(NamedTuple):
    """A JSON number by its spelling alone: `1`, `1.0` and `1e0` are three different ones."""

    spelling: str


class _Reader:
    """A recursive descent over one text; the depth limit bounds the recursion too."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open = 0

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self, expected: str) -> None:
        if not self.text.startswith(expected, self.at):
            raise Unreadable
        self.at += len(expected)

    def skip_blanks(self) -> None:
        while self.peek() and self.peek() in _BLANKS:
            self.at += 1

    def document(self) -> object:
        self.skip_blanks()
        value = self.value()
        self.skip_blanks()
        if self.at != len(self.text):
            raise Unreadable
        return value

    def value(self) -> object:
        match self.peek():
            case "{":
                return self.container("{", "}")
            case "[":
                return self.container("[", "]")
            case '"':
                return self.text_value()
            case "t":
                self.take("true")
                return True
            case "f":
                self.take("false")
                return False
            case "n":
                self.take("null")
                return None
            case _:
                return self.number()

    def container(self, opening: str, closing: str) -> object:
        self.take(opening)
        self.open += 1
        if self.open > MOST_OPEN_CONTAINERS:
            raise Unreadable
        members: dict[str, object] = {}
        items: list[object] = []
        self.skip_blanks()
        if self.peek() != closing:
            while True:
                self.skip_blanks()
                if opening == "{":
                    name = self.text_value()
                    self.skip_blanks()
                    self.take(":")
                    self.skip_blanks()
                    members[name] = self.value()  # the last duplicate wins
                else:
                    items.append(self.value())
                self.skip_blanks()
                if self.peek() != ",":
                    break
                self.take(",")
        self.take(closing)
        self.open -= 1
        return members if opening == "{" else items

    def text_value(self) -> str:
        self.take('"')
        pieces: list[str] = []
        while (character := self.peek()) != '"':
            if character < _FIRST_PRINTABLE:  # a control character, or the end of the text
                raise Unreadable
            self.at += 1
            pieces.append(self.escape() if character == "\\" else character)
        self.at += 1
        return "".join(pieces)

    def escape(self) -> str:
        letter = self.peek()
        if letter != "u":
            if letter not in _ESCAPES:
                raise Unreadable
            self.at += 1
            return _ESCAPES[letter]
        unit = self.code_unit()
        if unit in _HIGH_SURROGATES and self.text.startswith("\\u", self.at):
            before = self.at
            self.at += 1
            second = self.code_unit()
            if second in _LOW_SURROGATES:
                return chr(0x10000 + (_HIGH_SURROGATES.index(unit) << 10) + _LOW_SURROGATES.index(second))
            self.at = before  # two escapes that are no pair stay two
        return chr(unit)

    def code_unit(self) -> int:
        self.take("u")
        digits = self.text[self.at : self.at + 4]
        if len(digits) != len("0000") or digits.strip(string.hexdigits):
            raise Unreadable
        self.at += len(digits)
        return int(digits, 16)

    def number(self) -> Number:
        start = self.at
        if self.peek() == "-":
            self.at += 1
        if self.peek() == "0":
            self.at += 1
        else:
            self.digits()
        if self.peek() == ".":
            self.at += 1
            self.digits()
        if self.peek() in ("e", "E"):
            self.at += 1
            if self.peek() in ("+", "-"):
                self.at += 1
            self.digits()
        return Number(self.text[start : self.at])

    def digits(self) -> None:
        start = self.at
        while self.peek() and self.peek() in string.digits:
            self.at += 1
        if self.at == start:
            raise Unreadable


def read_json(text: str) -> object:
    """Read one JSON text (A50): one leading byte order mark dropped, numbers kept as `Number`.

    Raises:
        Unreadable: not JSON, or more than 128 containers open at once.

    """
    return _Reader(text.removeprefix(_BYTE_ORDER_MARK)).document()


def read_header(value: str) -> object:
    """Read a raw PAYMENT-REQUIRED value (A2): base64 in either alphabet, padding optional, UTF-8 JSON inside.

    Raises:
        Unreadable: not such a value.

    """
    coded = value.strip(_BLANKS)
    for _ in range(_MOST_PADDING):
        coded = coded.removesuffix("=")
    alphabet = _URL_SAFE if "-" in coded or "_" in coded else _STANDARD
    places = {character: place for place, character in enumerate(alphabet)}
    held, bits, decoded = 0, 0, bytearray()
    for character in coded:
        if character not in places:
            raise Unreadable
        held, bits = (held << 6) | places[character], bits + 6
        if bits >= 8:  # noqa: PLR2004 - a byte is full
            bits -= 8
            decoded.append(held >> bits)
            held &= (1 << bits) - 1
    if bits == 6:  # noqa: PLR2004 - one character too many: it can hold no byte
        raise Unreadable
    try:
        return read_json(decoded.decode("utf-8"))
    except UnicodeDecodeError:
        raise Unreadable from None
