"""Hand-built artefacts about what the legs say: names, payloads, amounts, networks, receipts, the summary.

Read with `dialect_constructed_legs`; the same holds for both. The tables keep one case a line, so the
formatter skips them.
"""

from dialect_shapes import ABSENT, PAID, SOLANA, Case, Value, case, header, text, v1, v1_entry, v2, v2_entry


def axis_cases() -> list[Case]:
    """List every hand-built case about the axes and the summary, in the order of the corpus."""
    return [
        *_names_in_errors(),
        *_names_elsewhere(),
        *_name_mismatches(),
        *_payload_shapes(),
        *_amounts(),
        *_networks(),
        *_network_unions(),
        *_receipts(),
        *_versions(),
        *_spelt_versions(),
        *_summaries(),
        *_captures(),
    ]


def _names_in_errors() -> list[Case]:
    errors = [
        ("canonical", "A22: named as the contract spells it", "X-PAYMENT header is required"),
        ("other-case", "A22, A39: the canonical spelling is reported", "missing x-payment-tx"),
        ("all-three", "A39: in the contract's order", "X-Payment-Tx, X-Payment or payment-signature"),
        ("signature", "A22: the name of version 2", "Send PAYMENT-SIGNATURE."),
        ("longer-names", "A23: a part of a longer name is no name", "X-PAYMENT-RESPONSE, X-PAYMENT-REQUIRED, MY-X-PAYMENT, X-PAYMENTS"),
        ("digits-beside", "A23: digits are part of a token", "X-PAYMENT2 and 1PAYMENT-SIGNATURE"),
        ("dash-beside", "A23: so is a dash", "-X-PAYMENT and PAYMENT-SIGNATURE-"),
        ("underscores", "A23: underscores make another name", "X_PAYMENT, PAYMENT_SIGNATURE, X_Payment_Tx"),
        ("underscore-beside", "A23: but an underscore beside a name bounds it", "_X-PAYMENT_"),
        ("letters-beside", "A23: and so does a letter beyond ASCII", "éX-PAYMENTü"),
        ("punctuation", "A23: and punctuation", '("X-PAYMENT":"<token>");'),
        ("line-ends", "A23: and line ends", "pay\nPAYMENT-SIGNATURE\n"),
        ("long-s", "A22: only ASCII letters fold", "PAYMENT-\u017fIGNATURE"),
        ("wide-dash", "A23: another dash is not the dash", "X\u2011PAYMENT"),
        ("split", "A23: nothing is put together", "X-PAY MENT PAYMENT -SIGNATURE"),
    ]  # fmt: skip
    return [
        case(f"error-{name}", proves, status=402, body_obj=v1(error=error), **({"header_obj": v2()} if at and at % 4 == 0 else {}))
        for at, (name, proves, error) in enumerate(errors)
    ]  # fmt: skip


def _names_elsewhere() -> list[Case]:
    hints = {
        "message": "send PAYMENT-SIGNATURE",
        "hint": "or X-PAYMENT",
        "detail": "or X-Payment-Tx",
        "instruction": "X-PAYMENT",
    }
    return [
        case("names-in-hints", "A21: only `error` is the error string", status=402, body_obj=v1(error="pay first", **hints)),
        case("names-in-a-message", "A21: nor is `message` read in its absence", status=402, header_obj=v2(message="PAYMENT-SIGNATURE header is required")),
        case("names-without-challenge", "A21: the `error` of a leg without challenge", status=402, body_obj={"error": "PAYMENT-SIGNATURE header is required"}, header_obj=v2()),
        case("names-in-an-entry", "A21: `error` at the top only", status=402, body_obj=v1(v1_entry(error="X-PAYMENT", description="X-PAYMENT"))),
        case("names-in-an-error-list", "A21: an array is no string", status=402, header_obj=v2(error=["PAYMENT-SIGNATURE"])),
        case("names-in-both-legs", "A21, A27: each leg's error counts", status=402, body_obj=v1(error="X-PAYMENT"), header_obj=v2(error="PAYMENT-SIGNATURE")),
        case("names-none", "A21: the carrier never implies a name", status=402, header_obj=v2(error="")),
        case("keys-of-a-request", "A24: other keys are not reported", status=402, body_obj=v1(), payload_headers={"Content-Type": "text/plain", "Cookie": "a=b", "x-payment": PAID}),
        case("keys-unrelated", "A24: and evidence nothing alone", status=402, body_obj=v1(), payload_headers={"Accept": "*/*"}),
        case("keys-empty", "A24: an empty set neither", status=402, header_obj=v2(), payload_headers={}),
        case("keys-near", "A24, A23: keys are compared as wholes", status=402, header_obj=v2(), payload_headers={" X-PAYMENT": "", "X-PAYMENT:": "", "X_PAYMENT": "", "PAYMENT-\u017fIGNATURE": ""}),
        case("keys-and-error", "A39, A25: both sources together", status=402, header_obj=v2(error="PAYMENT-SIGNATURE"), payload_headers={"X-Payment-Tx": "0x1", "X-Payment": PAID}),
        case("keys-naming-values", "A24, A30: values are not read", status=402, body_obj=v1(), payload_headers={"Note": "X-PAYMENT", "X-PAYMENT-TX": header({"scheme": "exact"})}),
    ]  # fmt: skip


def _name_mismatches() -> list[Case]:
    return [
        case("opposite-in-the-body", "A25: the body carrier and only the other name", status=402, body_obj=v1(error="PAYMENT-SIGNATURE header is required")),
        case("opposite-in-the-header", "A25: the same for the header carrier", status=402, header_obj=v2(error="X-PAYMENT header is required")),
        case("opposite-and-own", "A25: both names contradict nothing", status=402, body_obj=v1(error="X-PAYMENT or PAYMENT-SIGNATURE")),
        case("opposite-and-transaction", "A25, A26: the third name is nobody's own", status=402, header_obj=v2(error="X-PAYMENT or X-Payment-Tx")),
        case("opposite-signature-and-transaction", "A25, A26: the same for the body carrier", status=402, body_obj=v1(error="PAYMENT-SIGNATURE or X-Payment-Tx")),
        case("transaction-in-the-body", "A26: never a mismatch", status=402, body_obj=v1(error="X-Payment-Tx")),
        case("transaction-in-the-header", "A26: never a mismatch", status=402, header_obj=v2(error="X-Payment-Tx")),
        case("opposite-by-key", "A25: a key of the request counts as much", status=402, header_obj=v2(), payload_headers={"x-payment": PAID}),
        case("opposite-of-both", "A27: two carriers have no opposite", status=402, body_obj=v1(error="PAYMENT-SIGNATURE"), header_obj=v2()),
        case("opposite-of-none", "A27: nor has none", status=402, body_obj={}, payload_headers={"X-PAYMENT": PAID}),
        case("v2-body-asks-for-signature", "A41, A25: judged by the carrier, not by the dialect", status=402, body_obj=v2(error="PAYMENT-SIGNATURE")),
        case("v2-body-asks-for-x-payment", "A41: so this contradicts nothing", status=402, body_obj=v2(error="X-PAYMENT")),
        case("a-mismatch-in-each-leg", "A38: in the order body, header", status=402, body_obj=v1(v1_entry(network="eip155:8453")), header_obj=v2(x402Version=1)),
        case("two-mismatches-of-one-leg", "A38: leg before client", status=402, header_obj=v2(v2_entry(network="base"), error="X-PAYMENT")),
        case("version-and-client", "A38: the same with a version", status=402, body_obj=v2(x402Version=1, error="PAYMENT-SIGNATURE")),
        case("two-mixed-legs", "A38, A17: one of each leg", status=402, body_obj=v1(v1_entry(network=SOLANA)), header_obj=v2(v2_entry(network="solana"))),
        case("two-contradictions", "A38: one of each leg", status=402, body_obj=v1(x402Version=2), header_obj=v2(x402Version=1)),
    ]  # fmt: skip


def _payload_shapes() -> list[Case]:
    pair: Value = {"scheme": "exact", "network": "base"}
    shapes: list[tuple[str, str, Value]] = [
        ("top-level", "A28: at the top", {"x402Version": 1, **pair, "payload": {}}),
        ("inside-accepted", "A29: inside `accepted`", {"x402Version": 2, "accepted": pair, "payload": {}}),
        ("both-places", "A28, A29: in both", {"network": "base", "accepted": {"scheme": "exact"}}),
        ("scheme-alone", "A28: one of the two is enough", {"scheme": "exact"}),
        ("network-alone", "A28: the other too", {"accepted": {"network": "base"}}),
        ("nulls", "A28, A11: null is absent", {"scheme": None, "network": None, "accepted": {"scheme": None}}),
        ("null-and-value", "A28, A11: one null beside one value", {"scheme": None, "network": "base", "accepted": None}),
        ("empty", "A28: neither place", {}),
        ("deeper", "A29: `payload.accepted` is another place", {"payload": {"accepted": pair, **pair}}),
        ("envelope", "A29: a facilitator's envelope is not opened", {"paymentPayload": {"accepted": pair}, "paymentRequirements": pair}),
        ("accepted-array", "A29: `accepted` is an object", {"accepted": [pair], "resource": {"url": "x"}}),
        ("accepted-text", "A29: text is none", {"scheme": "exact", "accepted": text(pair)}),
        ("odd-values", "A28, A12: the value does not matter", {"scheme": False, "accepted": {"network": 0}}),
    ]  # fmt: skip
    legs: list[Value] = [
        {"status": 402, "body_obj": v1()},
        {"header_obj": v2()},
        {"status": 402},
        {},
        {"status": 200},
    ]
    return [
        case(f"payload-{name}", proves, **legs[at % len(legs)], payload_obj=payload)
        for at, (name, proves, payload) in enumerate(shapes)
    ]


def _amounts() -> list[Case]:
    return [
        case("amount-both-names", "A13: both names give no signal, the network decides", status=402, body_obj=v1(v1_entry(amount="2500"))),
        case("amount-both-names-caip", "A13, A41: the same beside CAIP-2", status=402, body_obj=v2(v2_entry(maxAmountRequired="2500"))),
        case("amount-both-names-only", "A14: nothing determinable, the version is no signal", status=402, body_obj=v2(v2_entry(maxAmountRequired="1", network=ABSENT))),
        case("amount-null-beside", "A11: null is absent", status=402, header_obj=v2(v2_entry(maxAmountRequired=None))),
        case("amount-null-alone", "A11: and leaves the network", status=402, body_obj=v1(v1_entry(maxAmountRequired=None))),
        case("amount-number", "A12: a number is a value", status=402, header_obj=v2(v2_entry(amount=2500))),
        case("amount-dollars", "A12: the content does not matter", status=402, body_obj=v1(v1_entry(maxAmountRequired="$0.01"))),
        case("amount-empty-and-false", "A12: nor does emptiness", status=402, body_obj=v1(v1_entry(maxAmountRequired="", network=ABSENT)), header_obj=v2(v2_entry(amount=False))),
        case("amount-other-spelling", "A12: names are compared exactly", status=402, body_obj=v1(v1_entry(maxAmountRequired=ABSENT, maxamountrequired="1", Amount="1", amount_usd="1"))),
        case("amount-no-network", "A1: the amount alone is a signal", status=402, body_obj=v1({"maxAmountRequired": "1"})),
        case("amount-v2-no-network", "A1: of either dialect", status=402, header_obj=v2({"amount": "1"})),
        case("amount-across-legs", "A55: one name in each leg is both", status=402, body_obj=v1(v1_entry(network=ABSENT)), header_obj=v2(v2_entry(network=ABSENT))),
        case("amount-one-leg-with-both", "A55: so is one leg with both names", status=402, body_obj=v1(v1_entry(amount="1")), header_obj=v2(v2_entry(amount=ABSENT))),
        case("amount-in-extra", "A6: deeper members are not read", status=402, body_obj=v1({"scheme": "exact", "extra": {"amount": "1", "network": "base"}})),
    ]  # fmt: skip


def _networks() -> list[Case]:
    networks: list[tuple[str, str, object]] = [
        ("caip-short", "A8: three characters and one", "abc:1"),
        ("caip-dashes", "A8: dashes in a namespace, underscores in a reference", "-a-1:_B-c"),
        ("caip-word", "A8: the form, not the meaning", "solana:mainnet"),
        ("caip-longest", "A8: eight and thirty-two", "starknet:" + "a" * 32),
        ("caip-33", "A8: thirty-three", "starknet:" + "a" * 33),
        ("caip-namespace-9", "A8: nine", "starknets:1"),
        ("caip-namespace-2", "A8: two", "ab:1"),
        ("caip-capital-namespace", "A8: a namespace is lowercase", "EIP155:8453"),
        ("caip-empty-reference", "A8: no reference", "eip155:"),
        ("caip-two-colons", "A8: a second colon", "eip155:8453:0"),
        ("caip-base64", "A8: base64 signs in a reference", "algorand:x/y+z="),
        ("caip-line-end", "A8: the whole text, to its end", "eip155:8453\n"),
        ("caip-blank", "A8: blanks are not trimmed", " eip155:8453"),
        ("caip-other-digits", "A8: ASCII digits", "eip155:\u0661\u0662"),
        ("slug-one-letter", "A9: one letter", "x"),
        ("slug-unknown", "A9: need not be known", "no-such-chain-9-"),
        ("slug-capital", "A9, A10: not lowercase", "Base"),
        ("slug-underscore", "A9, A10: no underscore", "base_sepolia"),
        ("slug-digits", "A9, A10: digits alone", "8453"),
        ("slug-dash-first", "A9, A10: a letter first", "-base"),
        ("slug-line-end", "A9, A10: the whole text", "base\n"),
        ("slug-accent", "A9, A10: ASCII letters", "basé"),
        ("slug-empty", "A10: nothing", ""),
        ("number", "A9, A10: a number", 8453),
        ("null", "A10, A11: null is absent", None),
        ("array", "A10: an array", ["base"]),
    ]  # fmt: skip
    return [
        case(f"network-{name}", proves, status=402, **_with_network(at, network))
        for at, (name, proves, network) in enumerate(networks)
    ]


def _with_network(at: int, network: object) -> Value:
    """Put a network into a body without amount, into a version 1 body, or into a header, in turn."""
    if at % 3 == 0:
        return {"body_obj": v1({"scheme": "exact", "network": network})}
    return (
        {"body_obj": v1(v1_entry(network=network))}
        if at % 3 == 1
        else {"header_obj": v2(v2_entry(network=network))}
    )


def _network_unions() -> list[Case]:
    return [
        case("network-odd-beside-caip", "A58: the union of the forms carried", status=402, body_obj=v1(v1_entry(network="Base")), header_obj=v2()),
        case("network-odd-beside-slug", "A58: the same with a slug", status=402, body_obj=v1(), header_obj=v2(v2_entry(network=8453))),
        case("network-across-legs", "A55, A58: one form in each leg is both", status=402, body_obj=v1({"network": "base"}), header_obj=v2({"network": SOLANA})),
    ]  # fmt: skip


def _receipts() -> list[Case]:
    sets: list[tuple[str, str, Value]] = [
        ("v1", "A31: the name of version 1", {"X-PAYMENT-RESPONSE": PAID, "Date": "x"}),
        ("v2", "A31: the name of version 2", {"payment-response": PAID}),
        ("both", "A31: both", {"X-Payment-Response": PAID, "Payment-Response": PAID}),
        ("none", "A31: a set with neither", {"Content-Type": "application/json"}),
        ("empty", "A31: an empty set is a set", {}),
        ("near", "A31, A23: names are compared as wholes", {"PAYMENT-RESPONSES": "", "X-X-PAYMENT-RESPONSE": "", "PAYMENT_RESPONSE": "", "PAYMENT-RE\u017fPONSE": ""}),
        ("unreadable", "A31: values are never read", {"PAYMENT-RESPONSE": ""}),
        ("named-in-a-value", "A31: nor searched", {"Access-Control-Expose-Headers": "PAYMENT-RESPONSE"}),
        ("with-location", "A45: a 402 that names a place to go is a 402", {"Location": "https://seller.example/pay"}),
    ]  # fmt: skip
    legs: list[Value] = [
        {"body_obj": v1()},
        {"header_obj": v2()},
        {"status": 404, "body_raw": ""},
        {"status": 402, "body_raw": ""},
    ]
    return [
        case(f"receipts-{name}", proves, **legs[at % len(legs)], response_headers=headers)
        for at, (name, proves, headers) in enumerate(sets)
    ]


def _versions() -> list[Case]:
    return [
        case("version-1-on-v2", "A59, A18: the summary follows the fields", status=402, body_obj=v2(x402Version=1)),
        case("version-2-on-v1", "A59, A18: the other way round", status=402, body_obj=v1(x402Version=2)),
        case("version-2-on-v1-header", "A18: in the header", status=402, header_obj=v1(x402Version=2)),
        case("version-3", "A18: another integer contradicts nothing", status=402, header_obj=v2(x402Version=3)),
        case("version-text", "A18: text contradicts nothing", status=402, body_obj=v2(x402Version="1")),
        case("version-true", "A18: true is not 1", status=402, header_obj=v2(x402Version=True)),
        case("version-null", "A20, A18: nor is null", status=402, body_obj=v1(x402Version=None)),
        case("version-missing", "A20: nothing stated", status=402, header_obj=v2(x402Version=ABSENT)),
        case("version-of-mixed", "A19: a mixed leg has no pure dialect", status=402, body_obj=v1(v1_entry(network=SOLANA), x402Version=2)),
        case("version-of-undeterminable", "A19, A14: nor has this one", status=402, body_obj=v1({"scheme": "exact"}, x402Version=2)),
        case("version-of-an-entry", "A57: an entry's version is ignored", status=402, body_obj=v1(v1_entry(x402Version=2))),
        case("version-of-an-entry-alone", "A57: also where the leg states none", status=402, header_obj=v2(v2_entry(x402Version=1), x402Version=ABSENT)),
        case("version-misspelt", "A20: another member", status=402, body_obj=v2(x402Version=ABSENT, x402version=1)),
    ]  # fmt: skip


def _spelt_versions() -> list[Case]:
    spellings = [
        ("1", "A18: the integer", "1"),
        ("1-point-0", "A18, A50: 1.0 is no integer", "1.0"),
        ("1e0", "A18, A50: nor is 1e0", "1e0"),
        ("2", "A18: the integer that fits", "2"),
        ("2-point-0", "A18, A50: contradicts nothing either", "2.0"),
        ("10", "A18: ten is not one", "10"),
        ("minus-1", "A18: nor is minus one", "-1"),
    ]
    plain = text(v2())
    return [
        case(f"version-spelt-{name}", proves, status=402, body_raw=plain.replace('"x402Version":2', f'"x402Version":{spelling}'))
        for name, proves, spelling in spellings
    ]  # fmt: skip


def _summaries() -> list[Case]:
    mixed_body, mixed_header = v1(v1_entry(network="eip155:1")), v2(v2_entry(network="base"))
    blank: Value = {"scheme": "exact"}
    return [
        case("summary-mixed-alone", "A15: a mixed leg is determined", status=402, body_obj=mixed_body),
        case("summary-mixed-header", "A15: also in the header", status=402, header_obj=mixed_header),
        case("summary-mixed-and-v2", "A17: mixed beside a pure leg", status=402, body_obj=mixed_body, header_obj=v2()),
        case("summary-mixed-and-v1", "A17: mixed beside the other", status=402, body_obj=v1(), header_obj=mixed_header),
        case("summary-mixed-and-blank", "A17: mixed beside an undeterminable leg", status=402, body_obj=v1(blank), header_obj=mixed_header),
        case("summary-blank-and-v1", "A17: the pure one", status=402, body_obj=v1(), header_obj=v2(blank)),
        case("summary-two-blanks", "A40, A14: two legs and nothing to read", status=402, body_obj=v1(blank), header_obj=v2(blank)),
        case("summary-mixed-without-the-other", "A40, A1: a leg without challenge changes nothing", status=402, body_obj=mixed_body, payment_required_header="?"),
        case("summary-dual-by-amounts", "A16, A55: opposite by amount names alone", status=402, body_obj=v1({"maxAmountRequired": "1"}), header_obj=v2({"amount": "1"})),
        case("summary-dual-with-contradiction", "A40, A38: dual-stack with a mismatch", status=402, body_obj=v1(x402Version=2), header_obj=v2()),
    ]  # fmt: skip


def _captures() -> list[Case]:
    paid: Value = {
        "payload_obj": {"accepted": v2_entry()},
        "payload_headers": {"X-PAYMENT": PAID},
        "response_headers": {"PAYMENT-RESPONSE": PAID},
    }
    names = "PAYMENT-SIGNATURE or X-PAYMENT"
    return [
        case("status-missing-body", "A32: a challenge without status is a 402", body_obj=v1()),
        case("status-missing-header", "A32: the same for the header", payment_required_header=header(v2())),
        case("status-missing-empty-body", "A32: also where nothing is in it", body_raw=""),
        case("status-missing-payload", "A33: a payload alone captured nothing", payload_obj={"scheme": "exact"}),
        case("status-402-payload", "A33: nor with the status", status=402, payload_obj={"accepted": {"network": "base"}}),
        case("payload-with-everything-else", "A33, A30, A31: what does not come from the 402 is reported", **paid),
        case("payload-and-a-name", "A33, A27: no carrier, no opposite", status=402, payload_obj={}, payload_headers={"X-PAYMENT": PAID, "PAYMENT-SIGNATURE": PAID}),
        case("status-200", "A32, A34: another status, although the legs are perfect", status=200, body_obj=v1(error=names), header_obj=v2()),
        case("status-404-all", "A34: payload, names and receipts are still reported", status=404, header_obj=v2(error="PAYMENT-SIGNATURE"), **paid),
        case("status-200-payload", "A34: a payload with another status", status=200, **paid),
        case("status-302", "A45: a redirect", status=302, body_raw=""),
        case("status-100", "A34: the lowest", status=100, body_obj=None),
        case("status-999", "A34: the highest", status=999, body_obj=v1(v1_entry(network=SOLANA), error="PAYMENT-SIGNATURE")),
        case("six-axes", "A66, A65: six axes; a name is evidence, not acceptance", status=402, body_obj=v1(error="PAYMENT-SIGNATURE not supported"), payload_obj={"scheme": "exact"}, response_headers={}),
        case("nothing-said", "A67, A10: an odd network is not repeated", status=402, body_obj=v1({"network": "a secret network", "payTo": "a secret payee"}, error="a secret error")),
    ]  # fmt: skip
