"""One authorization, one key, however it is spelled."""

import base64
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.core.canon import canonical, sha256_hex
from assay402.core.strictjson import JSON, MAX_DEPTH, read
from assay402.service.authorization import Authorization, InvalidPayload, read_authorization
from assay402.wire.solana import transaction_message
from service.test_attacks import permit2
from service.world import ALICE, PAY_TO, SOLANA, solana_transaction

USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
ACCEPTED = {
    "scheme": "exact", "network": "eip155:8453", "amount": "10000", "asset": USDC, "payTo": PAY_TO,
    "maxTimeoutSeconds": 300, "extra": {"name": "USD Coin", "version": "2"},
}  # fmt: skip
AUTHORIZATION = {
    "from": ALICE, "to": PAY_TO, "value": "10000", "validAfter": "0", "validBefore": "1900000000",
    "nonce": "0x" + "0a" * 32,
}  # fmt: skip
PAYMENT = {
    "x402Version": 2,
    "accepted": ACCEPTED,
    "payload": {"signature": "0x" + "ab" * 65, "authorization": AUTHORIZATION},
}


def read_sent(payment: Any) -> Authorization | InvalidPayload:
    sent = read(json.dumps(payment).encode())
    assert isinstance(sent, Mapping)
    return read_authorization(sent)


def known(payment: Any) -> Authorization:
    found = read_sent(payment)
    assert isinstance(found, Authorization)
    return found


def test_the_keys_are_what_each_chain_lets_happen_once() -> None:
    assert known(PAYMENT).key == f"eip3009 eip155:8453 {USDC.lower()} {ALICE} 0x{'0a' * 32}"
    of_permit2 = known({**PAYMENT, "payload": permit2(ACCEPTED)})
    assert of_permit2.key == f"permit2 eip155:8453 0x000000000022d473030f116ddee9f6b43ac78ba3 {ALICE} 7"
    transaction = solana_transaction()
    message = transaction_message(transaction)
    assert message is not None
    solana = known(
        {
            "x402Version": 2,
            "accepted": {
                **ACCEPTED,
                "network": SOLANA,
                "asset": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
            },
            "payload": {"transaction": transaction},
        }
    )
    assert solana.key == f"solana {SOLANA} message {sha256(message).hexdigest()}"
    assert (solana.payer, solana.amount, solana.valid_before) == (None, None, None)


def test_python_values_and_read_ones_are_the_same_payment() -> None:
    """A tool call hands its payment over as values, a header as text."""
    assert read_authorization(PAYMENT) == known(PAYMENT)  # type: ignore[arg-type]


def mixed_case(text: str, upper: list[bool]) -> str:
    return "".join(c.upper() if up else c for c, up in zip(text, upper, strict=False))


HEX = st.text("0123456789abcdefABCDEF", min_size=64, max_size=64)
SPELLINGS = st.one_of(
    st.sampled_from(["{}", "0x{}", "0X{}", "0x00{}", "0x{}00", " 0x{}", "0x{} ", "\\x{}", "0x0{}"]),
    st.just("0x{}"),
)


@settings(deadline=None, max_examples=200)
@given(
    nonce=st.text("0123456789abcdef", min_size=64, max_size=64),
    upper=st.lists(st.booleans(), min_size=64, max_size=64),
    spelling=SPELLINGS,
    payer_upper=st.booleans(),
    number=st.sampled_from(["{}", "0{}", "+{}", "{}.0", "{}e0", " {}", "{} "]),
    as_number=st.booleans(),
)
def test_respelled_payloads_of_one_authorization_never_give_two_keys(  # noqa: PLR0917
    nonce: str, upper: list[bool], spelling: str, payer_upper: bool, number: str, as_number: bool
) -> None:
    payer = "0x" + "ab" * 20
    plain = {**AUTHORIZATION, "from": payer, "nonce": f"0x{nonce}"}
    respelled: dict[str, Any] = {
        **plain,
        "nonce": spelling.format(mixed_case(nonce, upper)),
        "from": "0x" + payer[2:].upper() if payer_upper else payer,
        "value": 10000 if as_number else number.format("10000"),
    }
    one = known({**PAYMENT, "payload": {"signature": "0x" + "ab" * 65, "authorization": plain}})
    other = read_sent({**PAYMENT, "payload": {"signature": "0x" + "ab" * 65, "authorization": respelled}})
    assert isinstance(other, InvalidPayload) or other.key == one.key


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200), st.integers(min_value=0, max_value=6))
def test_no_text_around_a_transaction_gives_a_second_key(noise: bytes, cut: int) -> None:
    transaction = solana_transaction()
    raw = base64.b64decode(transaction)
    message = transaction_message(transaction)
    for changed in (raw + noise, noise + raw, raw[:-cut] if cut else raw):
        found = transaction_message(base64.b64encode(changed).decode())
        assert found in (None, message) or changed[: len(noise)] == noise


@pytest.mark.parametrize(
    "spell", [lambda t: t, lambda t: t.rstrip("="), lambda t: t.replace("+", "-").replace("/", "_")]
)
def test_a_transaction_is_the_same_in_every_base64(spell: Any) -> None:
    for seed in range(1, 9):
        transaction = solana_transaction(seed)
        assert transaction_message(spell(transaction)) == transaction_message(transaction) is not None


def legacy(transaction: str) -> str:
    raw = base64.b64decode(transaction)
    return base64.b64encode(raw[:129] + raw[130:-1]).decode()


def looked_up(transaction: str) -> str:
    raw = base64.b64decode(transaction)
    return base64.b64encode(raw[:-1] + bytes([1]) + bytes(32) + bytes([1, 5, 2, 6, 7])).decode()


@pytest.mark.parametrize("form", [legacy, looked_up])
def test_messages_of_the_old_form_and_with_look_up_tables_are_read_to_their_end(form: Any) -> None:
    text = form(solana_transaction())
    assert transaction_message(text) is not None
    assert transaction_message(base64.b64encode(base64.b64decode(text) + b"\x00").decode()) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        bytes([0]) + base64.b64decode(solana_transaction())[129:],
        bytes([1]) + bytes(64) + bytes([0x81, 1, 0, 0]),
        bytes([0x80, 0x80, 0x80, 1]),
        bytes([0x80, 0x80, 0x7F]),
        bytes([0xFF, 0xFF, 0xFF]),
        bytes([0x80, 0x00]),
        bytes(1_233),
    ],
)
def test_what_is_no_transaction_has_no_message(data: bytes) -> None:
    assert transaction_message(base64.b64encode(data).decode()) is None
    assert transaction_message("not base64!") is None


CHANGES: dict[str, Any] = {
    "no accepted": lambda p: p.pop("accepted"),
    "no payload": lambda p: p.pop("payload"),
    "accepted null": lambda p: p.update(accepted=None),
    "network missing": lambda p: p["accepted"].pop("network"),
    "asset missing": lambda p: p["accepted"].pop("asset"),
    "asset with a wrong checksum": lambda p: p["accepted"].update(asset=USDC.swapcase().replace("0X", "0x")),
    "another family": lambda p: p["accepted"].update(network="cosmos:hub"),
    "solana without a transaction": lambda p: p["accepted"].update(network=SOLANA),
    "transaction that is none": lambda p: (
        p["accepted"].update(network=SOLANA), p.update(payload={"transaction": "AA=="})
    ),
    "half a surrogate": lambda p: p["accepted"].update(note="\ud800"),
    "extensions as text": lambda p: p.update(extensions="x"),
    "no authorization": lambda p: p["payload"].pop("authorization"),
    "value beyond 256 bits": lambda p: p["payload"]["authorization"].update(value=str(2**256)),
    "to is no address": lambda p: p["payload"]["authorization"].update(to="seller"),
    "nonce of other letters": lambda p: p["payload"]["authorization"].update(nonce="0x" + "zz" * 32),
    "a member missing": lambda p: p["payload"]["authorization"].pop("validAfter"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_no_payment_of_version_2_is_invalid(change: Any) -> None:
    payment = json.loads(json.dumps(PAYMENT))
    change(payment)
    assert read_sent(payment) == InvalidPayload()


PERMIT2_CHANGES: dict[str, Any] = {
    "another spender": lambda p: p["permit2Authorization"].update(spender=ALICE),
    "another token": lambda p: p["permit2Authorization"]["permitted"].update(token=ALICE),
    "nonce in hexadecimal": lambda p: p["permit2Authorization"].update(nonce="0x07"),
    "nonce with a leading zero": lambda p: p["permit2Authorization"].update(nonce="07"),
    "no witness": lambda p: p["permit2Authorization"].pop("witness"),
    "more in the witness": lambda p: p["permit2Authorization"]["witness"].update(extra="x"),
    "more permitted": lambda p: p["permit2Authorization"]["permitted"].update(extra="x"),
    "payer missing": lambda p: p["permit2Authorization"].update({"from": None}),
    "witness is text": lambda p: p["permit2Authorization"].update(witness="x"),
    "no signature": lambda p: p.pop("signature"),
}


@pytest.mark.parametrize("change", PERMIT2_CHANGES.values(), ids=PERMIT2_CHANGES)
def test_a_permit_of_another_shape_is_invalid(change: Any) -> None:
    payload = permit2(ACCEPTED)
    change(payload)
    assert read_sent({**PAYMENT, "payload": payload}) == InvalidPayload()


def test_a_name_that_stands_twice_is_invalid() -> None:
    text = json.dumps(PAYMENT).replace('"x402Version": 2', '"x402Version": 2, "x402Version": 2')
    inner = json.dumps(PAYMENT).replace('"value": "10000"', '"value": "10000", "value": "1"')
    listed = json.dumps({**PAYMENT, "extensions": {"a": {"info": [{"b": 1}]}}}).replace(
        '"b": 1', '"b": 1, "b": 2'
    )
    for sent in (text, inner, listed):
        value = read(sent.encode())
        assert isinstance(value, Mapping)
        assert read_authorization(value) == InvalidPayload()


def test_an_authorization_without_an_end_ends_with_the_calendar() -> None:
    endless = {**AUTHORIZATION, "validBefore": str(2**256 - 1)}
    found = known({**PAYMENT, "payload": {"signature": "0x" + "ab" * 65, "authorization": endless}})
    assert found.valid_before is not None
    assert found.valid_before.year == 9999


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
ANYTHING: st.SearchStrategy[JSON] = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "x402Version",
                    "accepted",
                    "payload",
                    "authorization",
                    "signature",
                    "network",
                    "asset",
                    "from",
                    "nonce",
                ]
            )
            | st.text(max_size=4),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.sampled_from(["x402Version", "accepted", "payload", "extensions"]), ANYTHING))
def test_the_reader_never_crashes(sent: Any) -> None:
    assert isinstance(read_authorization(sent), Authorization | InvalidPayload)


@settings(deadline=None, max_examples=200)
@given(ANYTHING)
def test_the_quick_digest_is_that_of_the_canonical_form(extensions: Any) -> None:
    try:
        sent = read(json.dumps({**PAYMENT, "extensions": {"x": extensions}}).encode())
    except ValueError:
        return
    assert isinstance(sent, Mapping)
    found = read_authorization(sent)
    if isinstance(found, Authorization):
        assert found.payload_sha256 == sha256_hex(canonical(sent))
        assert (
            read_authorization(json.loads(json.dumps({**PAYMENT, "extensions": {"x": extensions}}))) == found
        )


def test_values_nested_beyond_reason_are_invalid() -> None:
    deep: Any = {}
    for _ in range(200):
        deep = {"a": deep}
    assert read_authorization({**PAYMENT, "extensions": {"x": deep}}) == InvalidPayload()  # type: ignore[dict-item]


def test_a_payment_may_nest_as_deep_as_the_reader_takes_and_no_deeper() -> None:
    """A tool call hands values over, which no reader has bounded: both ways of the digest have the same end."""
    payment: Any = PAYMENT
    for last in ({"a": "x"}, {"a": 1.5}):
        deep: Any = last
        for _ in range(MAX_DEPTH - 2):
            deep = {"a": deep}
        taken = read_authorization({**payment, "extensions": deep})
        assert isinstance(taken, Authorization)
        assert read_authorization({**payment, "extensions": {"a": deep}}) == InvalidPayload()
