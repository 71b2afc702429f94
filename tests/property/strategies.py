"""What the property tests draw from."""

import base64
import json
from typing import Any

from hypothesis import strategies as st

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
JSON_VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)

NUMBER_SPELLINGS = st.from_regex(
    r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,4})?", fullmatch=True
)


@st.composite
def json_texts(draw: st.DrawFn, depth: int = 3) -> str:
    """Draw a compact JSON text with repeated names, odd number spellings and lone surrogates."""
    kind = draw(st.integers(0, 5 if depth else 3))
    if kind == 0:
        return draw(NUMBER_SPELLINGS)
    if kind == 1:
        return draw(st.sampled_from(["null", "true", "false", '"\\ud800"', '"\\udfff"']))
    if kind in (2, 3):
        return json.dumps(draw(st.text(max_size=6)), ensure_ascii=False)
    if kind == 4:
        return "[" + ",".join(draw(st.lists(json_texts(depth - 1), max_size=4))) + "]"
    names = draw(st.lists(st.sampled_from(["a", "b", "", "accepts", "é"]), max_size=4))
    return (
        "{"
        + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{draw(json_texts(depth - 1))}" for name in names)
        + "}"
    )


NETWORKS: st.SearchStrategy[Any] = st.sampled_from(
    ["eip155:8453", "base", "Base", "cloudflare:402", "", None, 8453]
)
ENTRIES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "network": NETWORKS,
        "amount": st.sampled_from(["1", 1, None, ""]),
        "maxAmountRequired": st.sampled_from(["1", 1, None, ""]),
        "scheme": st.just("exact"),
    },
)
ERRORS: st.SearchStrategy[Any] = st.sampled_from(
    [
        "send X-PAYMENT",
        "PAYMENT-SIGNATURE or x-payment-tx",
        "X-PAYMENT-RESPONSE",
        "",
        None,
        1,
        {"X-PAYMENT": 1},
    ]
)
LEGS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"accepts": st.lists(ENTRIES | st.just("exact"), max_size=2)},
    optional={"x402Version": st.sampled_from([1, 2, "1", 2.0, True, None, 3]), "error": ERRORS},
)
PAYLOADS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "scheme": st.sampled_from(["exact", None]),
        "network": NETWORKS,
        "accepted": st.fixed_dictionaries({}, optional={"scheme": st.just("exact"), "network": NETWORKS})
        | st.sampled_from([None, []]),
    },
)
HEADER_SETS: st.SearchStrategy[Any] = st.dictionaries(
    st.sampled_from(
        [
            "X-PAYMENT",
            "payment-signature",
            "X-Payment-Tx",
            "Cookie",
            "PAYMENT-RESPONSE",
            "x-payment-response",
            "Via",
        ]
    ),
    st.just("v"),
    max_size=3,
)


def with_raw_forms(artefact: dict[str, Any], raw_body: bool, raw_header: bool) -> dict[str, Any]:
    """Give a leg as text or as a header value instead of decoded, where that was drawn."""
    made = dict(artefact)
    if raw_body and "body_obj" in made:
        made["body_raw"] = json.dumps(made.pop("body_obj"))
    if raw_header and "header_obj" in made:
        made["payment_required_header"] = base64.b64encode(
            json.dumps(made.pop("header_obj")).encode()
        ).decode()
    return made


ARTEFACTS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from([402, 402, 402, 200]),
        "body_obj": LEGS | st.sampled_from([{}, None, [], "text"]),
        "header_obj": LEGS,
        "payload_obj": PAYLOADS,
        "payload_headers": HEADER_SETS,
        "response_headers": HEADER_SETS,
    },
).filter(lambda artefact: bool({"body_obj", "header_obj", "payload_obj"} & artefact.keys()))
