"""The deliverable: the exact bytes evaluated, and what they say as text and as JSON.

Everything derived is computed when first wanted and kept for the request, so that sixty-four criteria read the
document once.
"""

from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from assay402.checks.deliverable.measure import Measure, measure
from assay402.checks.deliverable.nodes import Nodes
from assay402.checks.deliverable.paths import Path
from assay402.core.canon import canonical, canonical_plain, keccak256_hex, sha256_hex
from assay402.core.exactjson import Exact, Troubled, read_exact
from assay402.core.grammar import NotJSON, Syntax, depth
from assay402.core.strictjson import JSON

Kind: TypeAlias = Literal["text", "json", "bytes"]

TROUBLES: Final = {
    "depth": "LIMIT_DEPTH",
    "duplicate name": "JSON_DUPLICATE_NAME",
    "lone surrogate": "JSON_LONE_SURROGATE",
    "number": "LIMIT_NUMBER",
}
"""The reason that keeps a document from being judged structurally."""


class CharacterCount(Struct, frozen=True, kw_only=True):
    """How long a text is, in each unit."""

    code_points: int
    utf16_units: int


class Deliverable:
    """What was delivered."""

    def __init__(self, kind: Kind, data: bytes, value: Exact | None = None) -> None:
        self.kind: Final = kind
        self.data: Final = data
        self._value = value
        self._canonical: dict[int, bytes] = {}
        self.findings: Final[dict[Any, Any]] = {}
        """What rules have found of parts of the document and may be asked again."""
        self._measures: dict[int, Measure] = {}
        self._different: dict[int, bool] = {}

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the exact bytes."""
        return sha256_hex(self.data)

    @cached_property
    def keccak256(self) -> str:
        """The Keccak-256 of the exact bytes."""
        return keccak256_hex(self.data)

    @cached_property
    def text(self) -> str | None:
        """The bytes as UTF-8, or None where they are not."""
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            return None

    @cached_property
    def document(self) -> Exact | Troubled | NotJSON:
        """The bytes as JSON."""
        return self._value or read_exact(self.data)

    @property
    def is_json(self) -> bool:
        """Whether the bytes are UTF-8 and follow the grammar, however deep."""
        return not isinstance(self.document, NotJSON)

    @property
    def root(self) -> JSON:
        """The whole document, where it is exact."""
        return self._exact.value

    @property
    def _exact(self) -> Exact:
        assert isinstance(self.document, Exact)  # noqa: S101  (callers have judged the document)
        return self.document

    @cached_property
    def _nodes(self) -> Nodes:
        return Nodes(self.root)

    def select(self, path: Path) -> JSON:
        """Give the value at a singular path of an exact document, or `MISSING`."""
        return path.select(self.root)

    def canonical(self, value: JSON) -> bytes:
        """Give the canonical text of a part of the document, written once for each container."""
        if not isinstance(value, (dict, list)):
            return self._written(value)
        # The document outlives the request, so its containers are told apart by identity, however they were reached.
        found = self._canonical.get(id(value))
        if found is None:
            found = self._canonical[id(value)] = self._written(value)
        return found

    def measure(self, value: JSON) -> Measure:
        """Count a part of the document, once for each container."""
        found = self._measures.get(id(value))
        if found is None:
            found = measure(value, len(self.canonical(value)))
            if isinstance(value, (dict, list)):
                self._measures[id(value)] = found
        return found

    def nodes(self, value: JSON) -> tuple[Nodes, int]:
        """Give the values of the document one by one, and the number of a part of it."""
        number = self._nodes.number_of(value)
        return (Nodes(value), 0) if number is None else (self._nodes, number)

    def are_different(self, array: list[JSON]) -> bool:
        """Tell whether no two elements of an array of the document are equal, found once for each."""
        found = self._different.get(id(array))
        if found is None:
            # Strings differ where Python's do, and are most of what is asked about.
            if all(type(each) is str for each in array):
                found = len(set(array)) == len(array)
            else:
                nodes, number = self.nodes(array)
                found = nodes.are_different(number)
            self._different[id(array)] = found
        return found

    def canonical_key(self, values: list[JSON]) -> bytes:
        """Give the canonical text of an array of parts of the document."""
        return self._written(values)

    def _written(self, value: JSON) -> bytes:
        return canonical_plain(value) if self._exact.plain else canonical(value)


def json_deliverable(value: JSON, *, plain: bool, survives: bool) -> Deliverable:
    """Make a deliverable of a JSON value: its bytes are its canonical text."""
    data = canonical_plain(value) if plain else canonical(value)
    syntax = Syntax(depth=depth(data), duplicate_names=0, lone_surrogates=0)
    return Deliverable("json", data, Exact(value=value, syntax=syntax, plain=plain, survives=survives))


def character_count(text: str) -> CharacterCount:
    """Count code points and UTF-16 units."""
    return CharacterCount(code_points=len(text), utf16_units=len(text.encode("utf-16-le")) // 2)
