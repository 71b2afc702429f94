"""The laws of placing and extracting over drawn documents of every protocol."""

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import terms
from assay402.checks.terms.kit.manifest import terms_url_slots
from assay402.checks.terms.kit.values import MAX_DETAIL
from assay402.checks.terms.link import link_fault
from assay402.checks.terms.protocols import PROTOCOLS, manifests
from property.strategies import JSON_VALUES

HASHES = st.binary(min_size=32, max_size=32).map(lambda digest: f"0x{digest.hex()}")
URLS = st.builds(
    lambda host, path: f"https://{host}/{path}",
    st.from_regex(r"[a-z]{1,8}(\.[a-z]{1,5}){1,2}", fullmatch=True),
    st.text(max_size=12),
).filter(lambda url: link_fault(url) is None)
WRITABLE = st.sampled_from([name for name in PROTOCOLS if name != "mastercard-vi"])

NAMES = st.sampled_from(
    [
        "accepts", "extra", "atrHash", "legalContextUrl", "extensions", "legalContext", "info", "schema", "type",
        "value", "metadata", "legal_context", "methodDetails", "credentialSubject", "policies", "links", "headers",
        "X-LCP-Hash", "x-lcp-hash", "constraints", "proof", "0", "url", "other",
    ]
)  # fmt: skip
VALUES = st.sampled_from(
    [
        "sha256", "terms_of_service", "com.integraledger.policy.legal_context", "com.integraledger.lcp_terms_hash",
        "https://a.dev/", "0x" + "0a" * 32, f"lcp:sha256:0x{'0a' * 32}",
    ]
)  # fmt: skip
INNER: st.SearchStrategy[Any] = st.recursive(
    JSON_VALUES | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)
DOCUMENTS: st.SearchStrategy[Any] = st.dictionaries(NAMES, INNER, max_size=5)
CHALLENGES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"accepts": st.lists(st.dictionaries(NAMES, INNER, max_size=3), min_size=1, max_size=3)},
    optional={"extensions": st.dictionaries(NAMES, INNER, max_size=3), "x402Version": st.just(2)},
)
PLACES = st.tuples(WRITABLE, DOCUMENTS) | st.tuples(st.just("x402"), CHALLENGES)


def advertisement(protocol: str, value: str, url: str) -> dict[str, Any]:
    ad: dict[str, Any] = {"ref": {"type": "sha256", "value": value}}
    return {**ad, "termsUrl": url} if terms_url_slots(manifests()[protocol]) else ad


@given(PLACES, HASHES, URLS)
@settings(deadline=None, max_examples=150)
def test_what_is_placed_is_read_back(place: tuple[str, Any], value: str, url: str) -> None:
    """For every document that does not refuse, the reference and the URL come back as one."""
    protocol, document = place
    ad = advertisement(protocol, value, url)
    placed = terms.place(ad, document, protocol=protocol)
    if "refused" in placed:
        return
    read = terms.extract(placed["value"], protocol=protocol)["value"]
    assert read["ref"] == ad["ref"]
    expected = {"kind": "read", "url": url} if "termsUrl" in ad else {"kind": "no-field-declared"}
    assert read["termsUrl"] == expected


@given(CHALLENGES, HASHES, URLS)
@settings(deadline=None, max_examples=60)
def test_a_placed_challenge_satisfies_a_strict_reader(document: Any, value: str, url: str) -> None:
    placed = terms.place(advertisement("x402", value, url), document)["value"]
    assert terms.extract(placed, strict=True)["ok"]
    assert json.loads(json.dumps(placed)) == placed


def read_only_paths(protocol: str) -> set[str]:
    return {alias.path for alias in manifests()[protocol].read_also if not alias.write}


@given(PLACES, HASHES, URLS)
@settings(deadline=None, max_examples=150)
def test_after_placing_only_slots_that_are_never_written_can_offend_a_strict_reader(
    place: tuple[str, Any], value: str, url: str
) -> None:
    """What the hint of the codes says: removing the slot that the detail names is enough, for every protocol."""
    protocol, document = place
    placed = terms.place(advertisement(protocol, value, url), document, protocol=protocol)
    if "refused" in placed:
        return
    stale = read_only_paths(protocol)
    for _ in range(len(stale) + 1):
        strict = terms.extract(placed["value"], protocol=protocol, strict=True)
        if "ok" in strict:
            break
        if (protocol, strict["code"]) == ("visa-tap", "terms/name-repeated"):
            return  # one header in two cases, of which placing writes the first
        assert strict["code"] in ("terms/hash-mismatch", "terms/mirror-malformed")
        (named,) = [path for path in stale if f"{path} holds" in strict["detail"].rpartition(" and ")[2]]
        stale.remove(named)
        placed["value"] = pruned(placed["value"], tuple(named.split(".")))
    assert strict["value"]["ref"]["value"] == value


@given(PLACES, HASHES, HASHES, URLS)
@settings(deadline=None, max_examples=120)
def test_placing_twice_is_placing_once_and_the_last_placement_counts(
    place: tuple[str, Any], value: str, other: str, url: str
) -> None:
    protocol, document = place
    kept = copy.deepcopy(document)
    first = terms.place(advertisement(protocol, value, url), document, protocol=protocol)
    assert document == kept
    if "refused" in first:
        return
    assert terms.place(advertisement(protocol, value, url), first["value"], protocol=protocol) == first
    over = terms.place(advertisement(protocol, other, url), first["value"], protocol=protocol)
    assert over == terms.place(advertisement(protocol, other, url), document, protocol=protocol)


def pruned(value: Any, path: tuple[str, ...]) -> Any:
    """Take away what stands at a path, and what holds nothing but it."""
    head, *rest = path
    if isinstance(value, list):
        return [
            pruned(each, tuple(rest)) if str(index) == head and rest else each
            for index, each in enumerate(value)
        ]
    if not isinstance(value, dict) or head not in value:
        return value
    if not rest:
        return {name: member for name, member in value.items() if name != head}
    inner = pruned(value[head], tuple(rest))
    return {
        name: inner if name == head else member
        for name, member in value.items()
        if name != head or inner != {}
    }


@given(CHALLENGES, HASHES, URLS)
@settings(deadline=None, max_examples=80)
def test_everything_beside_the_slots_survives_in_order(document: Any, value: str, url: str) -> None:
    placed = terms.place(advertisement("x402", value, url), document)["value"]
    for path in (("extensions", "legalContext"), ("accepts", "0", "extra")):
        document, placed = pruned(document, path), pruned(placed, path)
    document, placed = (
        {k: v for k, v in each.items() if (k, v) != ("extensions", {})} for each in (document, placed)
    )
    assert placed == document
    assert [*placed] == [*document]
    assert placed["accepts"][1:] == document["accepts"][1:]


@given(CHALLENGES, HASHES, URLS)
@settings(deadline=None, max_examples=60)
def test_the_members_of_extra_survive(document: Any, value: str, url: str) -> None:
    placed = terms.place(advertisement("x402", value, url), document)["value"]
    extra = document["accepts"][0].get("extra")
    before = extra if isinstance(extra, dict) else {}
    assert placed["accepts"][0]["extra"] == {**before, "atrHash": value, "legalContextUrl": url}


ANYTHING = JSON_VALUES | INNER | DOCUMENTS | CHALLENGES


@given(st.sampled_from(PROTOCOLS), ANYTHING, ANYTHING, ANYTHING, st.booleans())
@settings(deadline=None, max_examples=150)
def test_no_value_at_any_position_is_an_exception(
    protocol: str, document: Any, ref: Any, url: Any, switch: bool
) -> None:
    """Malformed input is always a refusal, and its detail is bounded."""
    outcomes = [
        terms.place({"ref": ref, "termsUrl": url}, document, protocol=protocol, faithful=switch),
        terms.place({"ref": {"type": "sha256", "value": ref}, "termsUrl": url}, document, protocol=protocol),
        terms.place({"ref": {"type": ref, "value": url}}, document, protocol=protocol),
        terms.place(ref, document, protocol=protocol),
        terms.extract(document, protocol=protocol, strict=switch),
    ]
    for outcome in outcomes:
        assert (outcome.get("ok") is True) != (outcome.get("refused") is True)
        if "refused" in outcome:
            assert outcome["haltClass"] == "verification-failure"
            assert len(outcome["detail"]) <= MAX_DETAIL
            assert outcome["detail"].isprintable()
    assert terms.verify(document, b"")["outcome"] == "decline"
    assert "ok" in terms.well_known(document) or terms.well_known(document)["code"] == "listing-malformed"
    assert terms.against_record(document, url)["status"] in ("proved", "failed", "not-attempted")


@given(CHALLENGES, st.sampled_from(["accepts", "extensions", "accepts.0", "accepts.0.extra"]), ANYTHING)
@settings(deadline=None, max_examples=80)
def test_any_value_in_place_of_a_holder_is_placed_or_refused(document: Any, path: str, value: Any) -> None:
    document = copy.deepcopy(document)
    holder = document
    *above, last = path.split(".")
    for segment in above:
        holder = holder[int(segment)] if isinstance(holder, list) else holder[segment]
    holder[int(last) if isinstance(holder, list) else last] = value
    placed = terms.place(advertisement("x402", "0x" + "0a" * 32, "https://a.dev/"), document)
    if "refused" in placed:
        assert placed["code"] == "x402/document-malformed"
    else:
        assert terms.extract(placed["value"], strict=True)["ok"]


@given(st.text() | st.text().map(lambda rest: f"https://{rest}") | ANYTHING)
@settings(deadline=None, max_examples=120)
def test_any_value_is_a_link_or_is_none(value: Any) -> None:
    fault = link_fault(value)
    assert fault in (None, "link-not-https", "legal-context-malformed")
    if fault is None:
        assert value[:8].lower() == "https://"
