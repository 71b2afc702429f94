"""The generic kit against its handed cases, function by function, and what a manifest may not say."""

import copy
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from assay402.checks.terms.contract import publish
from assay402.checks.terms.kit import placement
from assay402.checks.terms.kit.containers import read_field, write_field
from assay402.checks.terms.kit.encodings import (
    Corrupt,
    Hit,
    Reference,
    decode,
    encode,
    passes_integrity,
)
from assay402.checks.terms.kit.manifest import OBJECT_PATH, Container, Slot, read_manifest
from assay402.checks.terms.kit.paths import UNWRITABLE, read_path, split
from assay402.checks.terms.kit.values import ABSENT, found
from assay402.checks.terms.model import Advertisement, Refused
from assay402.checks.terms.protocols import PROTOCOLS, manifests
from vectors import cases

HASH = "0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
MINIMAL: dict[str, Any] = {
    "protocol": "x402",
    "pattern": "http-advisory",
    "tier": "A",
    "encoding": "reference-object",
    "container": {"kind": "object-path"},
    "field": "e.l.info",
    "carrierTypes": ["sha256"],
}
TAGGED: dict[str, Any] = {"kind": "tagged-array", "at": "p", "tagField": "t", "tag": "T", "valueField": "v"}
GATE: dict[str, Any] = {"path": "s", "container": {"kind": "object-path"}, "permits": ["x"]}


def hit_of(given: Any) -> Hit | None:
    if given is None:
        return None
    slot = Slot(
        path="p",
        container=OBJECT_PATH,
        encoding=given["encoding"],
        bare_type=given.get("bareType"),
        carrier_class=given["carrierClass"],
    )
    return Hit(slot=slot, raw=given["raw"])


def container_of(given: Any) -> Any:
    return msgspec.convert(given, Container)


def found_value(value: Any) -> dict[str, Any]:
    return {"absent": True} if value is ABSENT else {"value": value}


def answer(function: str, given: dict[str, Any]) -> dict[str, Any]:
    """Call the kit as a case asks and lay the answer out as the cases have it."""
    match function:
        case "readAtPath":
            return found_value(read_path(given["doc"], split(given["path"])))
        case "readFromContainer":
            return found_value(read_field(given["doc"], container_of(given["container"]), given["path"]))
        case "writeToContainer":
            container, fields = container_of(given["container"]), given.get("entryFields")
            written = write_field(given["doc"], container, given["path"], given["value"], fields)
            return {"refused": True} if written is UNWRITABLE else {"value": written}
        case "encodeForField":
            reference = Reference(**given["ref"])
            encoded = encode(reference, given["encoding"], fold_bare=False)
            return {"error": encoded.code} if isinstance(encoded, Corrupt) else {"value": encoded}
        case "decodeDeclaredRead":
            return decoded(hit_of(given["hit"]))
        case "requireIntegrity":
            passes = passes_integrity(hit_of(given["hit"]))
            return {"error": passes.code} if isinstance(passes, Corrupt) else {"passes": passes}
        case "assertManifestHygiene":
            try:
                read_manifest(given["manifest"])
            except ValueError:
                return {"throws": True}
            return {"accepted": True}
        case _:
            return outcome(function, given)


def decoded(hit: Hit | None) -> dict[str, Any]:
    assert hit is not None
    reference = decode(hit)
    if isinstance(reference, Corrupt):
        return {"error": reference.code}
    return (
        {"absent": True}
        if reference is None
        else {"value": {"type": reference.type, "value": reference.value}}
    )


def outcome(function: str, given: dict[str, Any]) -> dict[str, Any]:
    manifest = read_manifest(given["manifest"])
    if function == "extract":
        result: Any = placement.extract(manifest, given["doc"])
    else:
        ad = given["advertisement"]
        advertisement = Advertisement(ref=ad["ref"], terms_url=ad.get("termsUrl"))
        result = placement.place(manifest, advertisement, given["doc"])
    published = publish(result)
    published.pop("detail", None)
    return published


@pytest.mark.parametrize("case", cases("terms/kit.json"), ids=lambda case: case["name"])
def test_a_handed_case_of_the_kit_is_answered_as_expected(case: Any) -> None:
    given = copy.deepcopy(case["input"])
    assert answer(case["fn"], given) == case["expect"]
    assert given == case["input"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_shipped_manifest_is_sound(protocol: str) -> None:
    assert manifests()[protocol].protocol == protocol


@pytest.mark.parametrize(
    "change",
    [
        {"readAlso": [{"path": "e.l.info"}]},
        {"termsUrlFields": []},
        {"termsUrlFields": ["u", "u"]},
        {"termsUrlFields": ["e.l.info"]},
        {"termsUrlFields": ["q"], "readAlso": [{"path": "q"}]},
        {"pattern": "protocol-extension"},
        {"carrierTypes": ["url"]},
        {"carrierTypes": []},
        {"encoding": "bare-value", "carrierTypes": ["sha256", "ar"]},
        {"carrierTypes": ["sha256", "ar"], "readAlso": [{"path": "q", "encoding": "bare-value"}]},
        {"readAlso": [{"path": "q", "writeCondition": GATE}]},
        {"readAlso": [{"path": "q", "write": True, "writeCondition": {**GATE, "permits": []}}]},
        {"readAlso": [{"path": "q", "container": {**TAGGED, "constants": {"v": 1}}}]},
        {"writeCondition": {**GATE, "path": ""}},
        {"writeCondition": {**GATE, "permits": []}},
        {"writeCondition": {**GATE, "permits": ["x", ""]}},
        {"writeCondition": {**GATE, "permits": ["x", "x"]}},
        {"writeCondition": {**GATE, "and": []}},
        {"writeCondition": {**GATE, "and": [GATE]}},
        {"writeCondition": {**GATE, "and": [{**GATE, "path": "q", "permits": []}]}},
        {"writeCondition": {**GATE, "container": {**TAGGED, "valueField": "t"}}},
        {"container": {**TAGGED, "constants": {"t": 1}}},
        {"container": {**TAGGED, "constants": {"v": 1}}},
        {"container": {**TAGGED, "constants": {"u": 1}, "termsUrlField": "u"}},
        {"container": {**TAGGED, "termsUrlField": "t"}},
        {"container": {**TAGGED, "termsUrlField": "v"}},
        {"protocol": "smtp"},
        {"tier": "C"},
        {"encoding": "base64"},
        {"container": {"kind": "cookie"}},
        {"carrierTypes": ["md5"]},
    ],
)
def test_a_manifest_that_contradicts_itself_is_an_error(change: dict[str, Any]) -> None:
    """Section 3, manifest checks."""
    with pytest.raises(ValueError, match=r"."):
        read_manifest({**MINIMAL, **change})


@pytest.mark.parametrize(
    "change",
    [
        {"pattern": "protocol-extension", "tier": "B"},
        {"encoding": "bare-value"},
        {
            "carrierTypes": ["sha256", "ar"],
            "readAlso": [{"path": "q", "encoding": "bare-value", "bareType": "ar"}],
        },
        {"writeCondition": {**GATE, "and": [{**GATE, "path": "q"}]}},
        {"writeCondition": {**GATE, "container": {**TAGGED, "valueField": "t"}, "permits": ["T"]}},
        {"container": {**TAGGED, "constants": {"d": 1}, "termsUrlField": "u"}},
        {"specRef": "a citation"},
    ],
)
def test_a_manifest_that_holds_is_accepted(change: dict[str, Any]) -> None:
    assert read_manifest({**MINIMAL, **change}).protocol == "x402"


def test_a_terms_url_slot_that_cannot_be_written_is_told_apart() -> None:
    """Section 6, step 10."""
    manifest = read_manifest({**MINIMAL, "termsUrlFields": ["accepts.0.u"]})
    advertisement = Advertisement(ref={"type": "sha256", "value": HASH}, terms_url="https://shop.dev/t")
    refused = placement.place(manifest, advertisement, {})
    assert isinstance(refused, Refused)
    assert refused.code == "x402/terms-url-slot-unwritable"


def test_an_alias_whose_gate_is_unmet_is_skipped_and_gates_look_at_the_input() -> None:
    """Section 6: the canonical write must not meet a gate that the document did not."""
    gate = {"path": "e.l.info.type", "container": {"kind": "object-path"}, "permits": ["sha256"]}
    alias = {"path": "q", "write": True, "writeCondition": gate}
    manifest = read_manifest({**MINIMAL, "readAlso": [alias]})
    advertisement = Advertisement(ref={"type": "sha256", "value": HASH})
    placed = placement.place(manifest, advertisement, {})
    assert not isinstance(placed, Refused)
    assert list(placed.document) == ["e"]
    again = placement.place(manifest, advertisement, placed.document)
    assert not isinstance(again, Refused)
    assert again.document["q"] == {"type": "sha256", "value": HASH}


def test_an_alias_that_cannot_be_written_makes_the_document_malformed() -> None:
    """Section 6, step 9; the place is not told where the path is no plain one."""
    manifest = read_manifest(
        {
            **MINIMAL,
            "container": {"kind": "header-map"},
            "field": "h.x",
            "readAlso": [{"path": "a.b.c", "write": True}],
        }
    )
    advertisement = Advertisement(ref={"type": "sha256", "value": HASH})
    refused = placement.place(manifest, advertisement, {"a": "x"})
    assert refused == Refused(code="x402/document-malformed", detail="no holder to write a.b.c into")


@pytest.mark.parametrize(
    ("document", "container", "path", "expected"),
    [
        ({}, {"kind": "object-path"}, "a.", UNWRITABLE),
        ([], {"kind": "object-path"}, "a", UNWRITABLE),
        ({}, {"kind": "header-map"}, "", UNWRITABLE),
        ({"X": 1}, {"kind": "header-map"}, "x", {"X": 7}),
        ({"h": {"a": "s"}}, {"kind": "header-map"}, "h.a.x", {"h": {"a": {"x": 7}}}),
        ({"h": "s"}, {"kind": "header-map"}, "h.a.x", UNWRITABLE),
        ({"a": "s"}, {**TAGGED, "at": "a.b.p"}, "p", UNWRITABLE),
        ({}, {**TAGGED, "at": "a.p"}, "p", {"a": {"p": [{"t": "T", "v": 7}]}}),
        ({"p": [{"t": "T", "k": 1}]}, TAGGED, "p", {"p": [{"t": "T", "k": 1, "v": 7}]}),
        ({}, {"kind": "object-path", "segments": ["a", "x.y"]}, "a.x.y", {"a": {"x.y": 7}}),
        ({"a": [[{"k": 1}]]}, {"kind": "object-path"}, "a.0.0.x", {"a": [[{"k": 1, "x": 7}]]}),
        ({"a": [1]}, {"kind": "object-path"}, "a.01.x", UNWRITABLE),
        ({"a": ["s"]}, {"kind": "object-path"}, "a.0.x", UNWRITABLE),
        ({}, {"kind": "object-path"}, "0.x", UNWRITABLE),
    ],
)
def test_a_field_is_written_by_the_rule_of_containers(
    document: Any, container: Any, path: str, expected: Any
) -> None:
    """Section 6, writing a path."""
    assert write_field(document, container_of(container), path, 7) == expected


@pytest.mark.parametrize(
    ("hit", "passes"),
    [
        ({"raw": HASH, "encoding": "bare-value", "carrierClass": "integrity", "bareType": "sha256"}, True),
        (
            {
                "raw": {"type": "url", "value": "x"},
                "encoding": "reference-object",
                "carrierClass": "integrity",
            },
            False,
        ),
        ({"raw": 5, "encoding": "reference-object", "carrierClass": "integrity"}, False),
        (
            {"raw": "x", "encoding": "bare-value", "carrierClass": "integrity", "bareType": "sha256"},
            Corrupt(code="carrier/bad-sha256"),
        ),
    ],
)
def test_integrity_wants_a_slot_and_a_type_that_commit(hit: Any, passes: Any) -> None:
    """Section 5, requireIntegrity."""
    assert passes_integrity(hit_of(hit)) == passes


def test_what_was_found_is_named_by_its_kind() -> None:
    kinds: list[Any] = [ABSENT, None, True, 1, 1.5, Decimal("1.5"), [], {}, "x", object()]
    assert [found(value) for value in kinds] == [
        "nothing", "null", "a boolean", "a number", "a number", "a number", "a list", "an object", '"x"', "no JSON value",
    ]  # fmt: skip
