"""The dialect rules a second time, written from the published text alone.

Nothing here is shared with the engine: every rule is this file's own, the JSON and base64 readers are its
neighbour's, all on the standard library only. The corpus takes its expected outputs from here, so an error
of the engine shows as a difference and cannot write its own expectation. Admission is not repeated: `report`
expects an artefact that passed it.
"""

from typing import NamedTuple

from dialect_oracle_reader import Number, Unreadable, read_header, read_json

UNDETERMINED = "UNDETERMINED"
BOTH = "both"
NONE = "none"

# Of the contract's wire words, in the contract's order.
CLIENT_NAMES = ("PAYMENT-SIGNATURE", "X-PAYMENT", "X-Payment-Tx")
RECEIPT_NAMES = ("X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE")
AMOUNT_NAMES = ("maxAmountRequired", "amount")

LEG_MEMBERS = ("body_obj", "body_raw", "header_obj", "payment_required_header")
PAYMENT_REQUIRED = 402

_LOWER = "abcdefghijklmnopqrstuvwxyz"
_UPPER = _LOWER.upper()
_DIGITS = "0123456789"
_TO_LOWER = str.maketrans(_UPPER, _LOWER)
_TOKEN = frozenset(_LOWER + _UPPER + _DIGITS + "-")


class Report(NamedTuple):
    """What the rules say of one artefact, before it takes the shape of the corpus."""

    summary: str
    axes: dict[str, object]
    mismatches: list[str]


# --- the legs ----------------------------------------------------------------------------------------------


def _challenge(value: object) -> dict[str, object] | None:
    """Give the value back if it carries a challenge (A1): an object with a non-empty `accepts` array."""
    if not isinstance(value, dict):
        return None
    accepts = value.get("accepts")
    return value if isinstance(accepts, list) and accepts else None


def _legs(artefact: dict[str, object]) -> dict[str, dict[str, object]]:
    """Collect the legs that carry a challenge, by name, the body first."""
    read: dict[str, object] = {}
    for leg, given, raw, reader in (
        ("body", "body_obj", "body_raw", read_json),
        ("header", "header_obj", "payment_required_header", read_header),
    ):
        if given in artefact:
            read[leg] = artefact[given]
        elif isinstance(text := artefact.get(raw), str):
            try:
                read[leg] = reader(text)
            except Unreadable:
                read[leg] = None
    return {leg: found for leg, value in read.items() if (found := _challenge(value)) is not None}


def _first_entry(challenge: dict[str, object]) -> dict[str, object]:
    """Give `accepts[0]` (A6, A7), or nothing to read where it is no object (A5)."""
    accepts = challenge["accepts"]
    entry = accepts[0] if isinstance(accepts, list) else None
    return entry if isinstance(entry, dict) else {}


def _amount_forms(challenge: dict[str, object]) -> set[str]:
    entry = _first_entry(challenge)
    return {name for name in AMOUNT_NAMES if entry.get(name) is not None}  # A11: null is absent


def _network_forms(challenge: dict[str, object]) -> set[str]:
    """Give the form of `accepts[0].network`; neither form gives none (A10)."""
    network = _first_entry(challenge).get("network")
    if not isinstance(network, str):
        return set()
    if is_caip2(network):
        return {"CAIP-2"}
    return {"slug"} if is_slug(network) else set()


def is_caip2(network: str) -> bool:
    """Whether the whole text is strict CAIP-2 (A8)."""
    namespace, colon, reference = network.partition(":")
    return (
        colon == ":"
        and 3 <= len(namespace) <= 8  # noqa: PLR2004 - the grammar's own numbers
        and not set(namespace) - set(_LOWER + _DIGITS + "-")
        and 1 <= len(reference) <= 32  # noqa: PLR2004 - the same
        and not set(reference) - set(_LOWER + _UPPER + _DIGITS + "-_")
    )


def is_slug(network: str) -> bool:
    """Whether the whole text is a bare lowercase slug (A9)."""
    return network[:1] in set(_LOWER) and not set(network) - set(_LOWER + _DIGITS + "-")


def _dialect(challenge: dict[str, object]) -> str | None:
    """Name a leg's dialect by its signals: `v1`, `v2`, `mixed`, or nothing (A13, A14)."""
    amounts, networks = _amount_forms(challenge), _network_forms(challenge)
    first = amounts == {"maxAmountRequired"} or "slug" in networks
    second = amounts == {"amount"} or "CAIP-2" in networks
    if first and second:
        return "mixed"
    if first:
        return "v1"
    return "v2" if second else None


def _stated_version(challenge: dict[str, object]) -> str | None:
    """Give the dialect that `x402Version` states, if it is the integer 1 or 2 and nothing else (A18)."""
    stated = challenge.get("x402Version")
    if isinstance(stated, Number):
        return {"1": "v1", "2": "v2"}.get(stated.spelling)
    if type(stated) is int:
        return {1: "v1", 2: "v2"}.get(stated)
    return None


# --- the axes ----------------------------------------------------------------------------------------------


def _lower(text: str) -> str:
    """Fold ASCII letters only: a Kelvin sign is no K, a long s is no S."""
    return text.translate(_TO_LOWER)


def names_in(text: str) -> set[str]:
    """Find the client header names that stand in a text as whole tokens (A22, A23)."""
    tokens = "".join(character if character in _TOKEN else " " for character in text).split(" ")
    return _known(tokens, CLIENT_NAMES)


def _known(given: list[str], names: tuple[str, ...]) -> set[str]:
    folded = {_lower(text) for text in given}
    return {name for name in names if _lower(name) in folded}


def _keys(artefact: dict[str, object], member: str) -> list[str]:
    headers = artefact.get(member)
    return list(headers) if isinstance(headers, dict) else []


def _union(forms: set[str]) -> str:
    return BOTH if len(forms) > 1 else next(iter(forms), UNDETERMINED)


def _carrier(artefact: dict[str, object], legs: dict[str, dict[str, object]]) -> str:
    captured = _is_402(artefact) and any(member in artefact for member in LEG_MEMBERS)
    if not captured:  # A33, A34: nobody showed us the 402
        return UNDETERMINED
    return {(): NONE, ("body",): "v1-body", ("header",): "v2-header"}.get(tuple(legs), BOTH)


def _is_402(artefact: dict[str, object]) -> bool:
    return artefact.get("status", PAYMENT_REQUIRED) == PAYMENT_REQUIRED  # A32: missing counts as 402


def _payload_shape(artefact: dict[str, object]) -> str:
    payload = artefact.get("payload_obj")
    if not isinstance(payload, dict):
        return UNDETERMINED
    places = {"top-level": payload, "inside-accepted": payload.get("accepted")}
    return _union(
        {
            label
            for label, place in places.items()
            if isinstance(place, dict)
            and (place.get("scheme") is not None or place.get("network") is not None)
        }
    )


def _receipts(artefact: dict[str, object]) -> str:
    if "response_headers" not in artefact:
        return UNDETERMINED
    found = _known(_keys(artefact, "response_headers"), RECEIPT_NAMES)
    return _union(found) if found else NONE


def _client_names(artefact: dict[str, object], legs: dict[str, dict[str, object]]) -> set[str]:
    found = _known(_keys(artefact, "payload_headers"), CLIENT_NAMES)
    for challenge in legs.values():
        error = challenge.get("error")
        found |= names_in(error) if isinstance(error, str) else set()
    return found


# --- the whole ---------------------------------------------------------------------------------------------


def _mismatches(carrier: str, names: set[str], legs: dict[str, dict[str, object]]) -> list[str]:
    found = []
    for leg, challenge in legs.items():
        spoken, stated = _dialect(challenge), _stated_version(challenge)
        if spoken == "mixed":
            found.append(f"mixed-signal-leg:{leg}")
        elif spoken is not None and stated is not None and stated != spoken:
            found.append(f"x402version-contradiction:{leg}")
    own, opposite = {
        "v1-body": ("X-PAYMENT", "PAYMENT-SIGNATURE"),
        "v2-header": ("PAYMENT-SIGNATURE", "X-PAYMENT"),
    }.get(carrier, ("", ""))
    if opposite in names and own not in names:  # A25: the set as a whole
        found.append(f"client-header-opposite-carrier:{opposite}")
    return found


def _summary(artefact: dict[str, object], legs: dict[str, dict[str, object]]) -> str:
    """Sum up in the order of A40: not-a-402, undetermined, dual-stack, mixed, the single dialect."""
    if not _is_402(artefact):
        return "not-a-402"
    spoken = {_dialect(challenge) for challenge in legs.values()} - {None}
    if spoken == {"v1", "v2"}:
        return "dual-stack"
    if "mixed" in spoken:
        return "mixed"
    return next((dialect for dialect in spoken if dialect is not None), "undetermined")


def judge(artefact: dict[str, object]) -> Report:
    """Apply every rule to one admitted artefact."""
    legs = _legs(artefact) if _is_402(artefact) else {}  # A34: the legs of a non-402 are not read
    carrier, names = _carrier(artefact, legs), _client_names(artefact, legs)
    amounts: set[str] = set().union(*(_amount_forms(challenge) for challenge in legs.values()))
    networks: set[str] = set().union(*(_network_forms(challenge) for challenge in legs.values()))
    axes: dict[str, object] = {
        "challenge_carrier": carrier,
        "client_header_names": [name for name in CLIENT_NAMES if name in names] or UNDETERMINED,
        "payload_shape": _payload_shape(artefact),
        "amount_field_name": _union(amounts),
        "network_id_form": _union(networks),
        "receipt_headers": _receipts(artefact),
    }
    return Report(_summary(artefact, legs), axes, _mismatches(carrier, names, legs))


def report(artefact: dict[str, object]) -> dict[str, object]:
    """Report on one admitted artefact: `summary`, the six `axes`, and `mismatches` as `code:leg-or-name`."""
    return judge(artefact)._asdict()
