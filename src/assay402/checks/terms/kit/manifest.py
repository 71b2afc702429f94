"""What a placement manifest declares: where a protocol's documents carry a reference, and in which form.

A manifest is data. `check_manifest` finds the contradictions that would make one unreadable or ambiguous; a shipped
manifest is checked by the tests, one of a caller's own when a placement is made of it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

Protocol: TypeAlias = Literal[
    "x402", "mpp", "ap2", "ack", "acp", "ucp", "visa-tap", "mastercard-vi", "a2a", "mcp"
]
Pattern: TypeAlias = Literal["protocol-extension", "sidecar-attestation", "http-advisory", "opaque-challenge"]
Encoding: TypeAlias = Literal["lcp-string", "reference-object", "bare-value"]
CarrierType: TypeAlias = Literal["sha256", "ipfs", "ar", "url"]
CarrierClass: TypeAlias = Literal["integrity", "discovery"]

INTEGRITY_TYPES: Final = frozenset({"sha256", "ipfs", "ar"})
"""Reference types that commit to content; `url` only locates it."""


class ObjectPath(Struct, frozen=True, kw_only=True, rename="camel", tag="object-path", tag_field="kind"):
    """Members of members. `segments` replaces the split at dots where a key itself holds a dot."""

    segments: tuple[str, ...] | None = None


class TaggedArray(Struct, frozen=True, kw_only=True, rename="camel", tag="tagged-array", tag_field="kind"):
    """The member `value_field` of the first entry of a list that carries a tag."""

    at: str
    tag_field: str
    tag: str
    value_field: str
    constants: Mapping[str, Any] = {}
    """Members of an entry that is made; an entry that stands there keeps its own."""
    terms_url_field: str | None = None


class HeaderMap(Struct, frozen=True, kw_only=True, rename="camel", tag="header-map", tag_field="kind"):
    """A map of header names, compared without case."""


Container: TypeAlias = ObjectPath | TaggedArray | HeaderMap
OBJECT_PATH: Final = ObjectPath()


class Term(Struct, frozen=True, kw_only=True, rename="camel"):
    """A condition on the document: the string at `path` is one of `permits`."""

    path: str
    container: Container
    permits: tuple[str, ...]


class Gate(Struct, frozen=True, kw_only=True, rename="camel"):
    """A condition for writing: its own term and all further ones. Gates never bind reading."""

    path: str
    container: Container
    permits: tuple[str, ...]
    further: tuple[Term, ...] | None = msgspec.field(default=None, name="and")

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, the gate's own first."""
        first = Term(path=self.path, container=self.container, permits=self.permits)
        return (first, *(self.further or ()))


class Alias(Struct, frozen=True, kw_only=True, rename="camel"):
    """Another place where a reference is read, and written if `write` says so."""

    path: str
    encoding: Encoding | None = None
    bare_type: CarrierType | None = None
    carrier_class: CarrierClass = "integrity"
    container: Container | None = None
    write: bool = False
    write_condition: Gate | None = None


class Manifest(Struct, frozen=True, kw_only=True, rename="camel"):
    """Where and how one protocol carries a reference."""

    protocol: Protocol
    pattern: Pattern
    tier: Literal["A", "B"]
    encoding: Encoding
    container: Container
    field: str
    carrier_types: tuple[CarrierType, ...]
    read_also: tuple[Alias, ...] = ()
    write_condition: Gate | None = None
    terms_url_fields: tuple[str, ...] | None = None
    spec_ref: str | None = None


class Slot(Struct, frozen=True, kw_only=True):
    """One place of a manifest with everything it inherits filled in."""

    path: str
    container: Container
    encoding: Encoding
    bare_type: str | None
    carrier_class: CarrierClass


def read_manifest(value: object) -> Manifest:
    """Read a manifest and check it.

    Raises:
        ValueError: for one that has the wrong shape (`msgspec.ValidationError`) or contradicts itself.

    """
    manifest = msgspec.convert(value, Manifest)
    check_manifest(manifest)
    return manifest


def canonical_slot(manifest: Manifest) -> Slot:
    """Give the slot that is read first and always written."""
    return Slot(
        path=manifest.field,
        container=manifest.container,
        encoding=manifest.encoding,
        bare_type=manifest.carrier_types[0],
        carrier_class="integrity",
    )


def alias_slot(manifest: Manifest, alias: Alias) -> Slot:
    """Give the slot of an alias: what it does not declare is the manifest's."""
    return Slot(
        path=alias.path,
        container=alias.container or manifest.container,
        encoding=alias.encoding or manifest.encoding,
        bare_type=alias.bare_type or manifest.carrier_types[0],
        carrier_class=alias.carrier_class,
    )


def terms_url_slots(manifest: Manifest) -> tuple[str, ...]:
    """Name the places of the terms URL, the entry's own member in a tagged array included."""
    entry = url_entry(manifest)
    declared = manifest.terms_url_fields or ()
    return declared if entry is None else (*declared, entry_path(*entry))


def url_entry(manifest: Manifest) -> tuple[TaggedArray, str] | None:
    """Give the tagged array whose entry holds the terms URL beside the reference, and the member's name."""
    container = manifest.container
    if not isinstance(container, TaggedArray) or container.terms_url_field is None:
        return None
    return container, container.terms_url_field


def entry_path(container: TaggedArray, member: str) -> str:
    """Write the place of a member of a tagged entry."""
    return f"{container.at}[{container.tag_field}={container.tag}].{member}"


def check_manifest(manifest: Manifest) -> None:
    """Find what contradicts itself.

    Raises:
        ValueError: naming the first contradiction.

    """
    fault = next(_faults(manifest), None)
    if fault is not None:
        raise ValueError(f"manifest of {manifest.protocol}: {fault}")


def _faults(manifest: Manifest) -> Iterator[str]:
    aliases = {alias.path for alias in manifest.read_also}
    if manifest.field in aliases:
        yield "an alias is the field itself"
    if manifest.pattern == "protocol-extension" and manifest.tier != "B":
        yield "a protocol extension is of tier B"
    if not INTEGRITY_TYPES.intersection(manifest.carrier_types):
        yield "no permitted type commits to content"
    if manifest.encoding == "bare-value" and len(manifest.carrier_types) > 1:
        yield "a bare field cannot tell two types apart"
    yield from _terms_url_faults(manifest, aliases)
    yield from _container_faults(manifest.container)
    if manifest.write_condition is not None:
        yield from _gate_faults(manifest.write_condition)
    for alias in manifest.read_also:
        yield from _alias_faults(manifest, alias)


def _terms_url_faults(manifest: Manifest, aliases: set[str]) -> Iterator[str]:
    slots = manifest.terms_url_fields
    if slots is None:
        return
    if not slots:
        yield "the list of terms URL fields is empty"
    if len(set(slots)) < len(slots):
        yield "a terms URL field is listed twice"
    if manifest.field in slots:
        yield "a terms URL field is the field itself"
    if aliases.intersection(slots):
        yield "a terms URL field is an alias"


def _alias_faults(manifest: Manifest, alias: Alias) -> Iterator[str]:
    encoding = alias.encoding or manifest.encoding
    if encoding == "bare-value" and alias.bare_type is None and len(manifest.carrier_types) > 1:
        yield "a bare alias needs its type"
    if alias.container is not None:
        yield from _container_faults(alias.container)
    if alias.write_condition is not None:
        if not alias.write:
            yield "a gate stands on an alias that is never written"
        yield from _gate_faults(alias.write_condition)


def _container_faults(container: Container) -> Iterator[str]:
    if not isinstance(container, TaggedArray):
        return
    taken = (container.tag_field, container.value_field)
    if container.terms_url_field in taken:
        yield "the terms URL member is the tag or the value"
    if any(name in taken or name == container.terms_url_field for name in container.constants):
        yield "a constant collides with a member that is written"


def _gate_faults(gate: Gate) -> Iterator[str]:
    if gate.further == ():
        yield "a gate lists no further term"
    paths = [term.path for term in gate.terms]
    if len(set(paths)) < len(paths):
        yield "a gate reads one path twice"
    for term in gate.terms:
        if not term.path:
            yield "a gate reads no path"
        if not term.permits or "" in term.permits or len(set(term.permits)) < len(term.permits):
            yield "a gate permits nothing, nothing named, or one value twice"
        container = term.container
        if not isinstance(container, TaggedArray) or container.value_field != container.tag_field:
            continue
        if container.tag not in term.permits:
            yield "a gate that reads its own tag does not permit it"
