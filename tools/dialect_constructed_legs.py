"""Hand-built artefacts about the legs: what servers send, which wrappings count, encodings, JSON edges.

The shapes are those of real servers; every value is invented. What each case expects is not written here: the
oracle says it, and the corpus shows it for review. The tables keep one case a line, so the formatter skips them.
"""

from dialect_shapes import (
    ABSENT,
    HTML,
    PAID,
    PAYEE,
    SOLANA,
    Case,
    case,
    coded,
    header,
    nested,
    padded_to,
    text,
    v1,
    v1_entry,
    v2,
    v2_entry,
    with_both_signs,
)


def leg_cases() -> list[Case]:
    """List every hand-built case about the legs, in the order of the corpus."""
    return [
        *_servers(),
        *_paid_exchanges(),
        *_wrapped(),
        *_odd_bodies(),
        *_odd_accepts(),
        *_encodings(),
        *_broken_encodings(),
        *_json_kept(),
        *_json_duplicates(),
        *_json_refused(),
    ]


def _servers() -> list[Case]:
    asks_v1, asks_v2 = "X-PAYMENT header is required", "PAYMENT-SIGNATURE header is required"
    bazaar = {"bazaar": {"info": {"input": {"type": "http", "method": "GET"}}}}
    solana = v1_entry(network="solana", extra={"feePayer": "payer"})
    return [
        case("sdk-v1-body", "A1, A22: the challenge of a version 1 server", status=402, body_obj=v1(error=asks_v1)),
        case("sdk-v2-header", "A1, A37: header and an empty body", status=402, body_obj={}, payment_required_header=header(v2(error=asks_v2))),
        case("sdk-v2-paywall", "A53: a page for browsers is a body without challenge", status=402, body_raw=HTML, payment_required_header=header(v2())),
        case("sdk-v2-body-not-pasted", "A37: the header alone is graded as captured", status=402, payment_required_header=header(v2())),
        case("v2-endpoint-only-body-pasted", "A37: what was not pasted is not guessed", status=402, body_obj={}),
        case("dual-stack", "A1, A55: each leg speaks its own dialect", status=402, body_obj=v1(), payment_required_header=header(v2())),
        case("dual-stack-inverted", "A16: opposite pure legs, the other way round", status=402, body_obj=v2(), header_obj=v1()),
        case("v2-in-both-legs", "A1: two legs, one dialect", status=402, body_obj=v2(), payment_required_header=header(v2())),
        case("v2-in-the-body", "A41: the carrier names the place, not the dialect", status=402, body_obj=v2(error="Payment required")),
        case("v1-in-the-header", "A41: the same for the header", status=402, body_obj={}, header_obj=v1()),
        case("v2-with-bazaar", "A1: extensions change nothing", status=402, header_obj=v2(extensions=bazaar)),
        case("v1-solana", "A9: a slug of another family", status=402, body_obj=v1(solana)),
        case("v2-solana", "A8: 32 characters of reference, the longest", status=402, header_obj=v2(v2_entry(network=SOLANA))),
        case("both-legs-disagree-on-price", "A41: no mismatch of the closed list", status=402, body_obj=v2(v2_entry(amount="1")), header_obj=v2()),
        case("payer-in-v1-body", "A1: members beyond the specification are ignored", status=402, body_obj=v1(payer=PAYEE, error="insufficient_funds")),
        case("foreign-scheme", "A17: an undeterminable body beside a pure header", status=402, body_obj=v1({"scheme": "card", "amountUsd": "1"}), header_obj=v2()),
    ]  # fmt: skip


def _paid_exchanges() -> list[Case]:
    payload_v1 = {"x402Version": 1, "scheme": "exact", "network": "base", "payload": {"signature": "0x00"}}
    payload_v2 = {"x402Version": 2, "accepted": v2_entry(), "payload": {"signature": "0x00"}}
    return [
        case("paid-v1", "A1, A30: a whole version 1 exchange", status=402, body_obj=v1(), payload_obj=payload_v1, payload_headers={"X-PAYMENT": PAID}, response_headers={"X-PAYMENT-RESPONSE": PAID}),
        case("paid-v2", "A1, A29: a whole version 2 exchange", status=402, header_obj=v2(), payload_obj=payload_v2, payload_headers={"PAYMENT-SIGNATURE": PAID}, response_headers={"PAYMENT-RESPONSE": PAID}),
        case("paid-dual-stack", "A27: both carriers have no opposite", status=402, body_obj=v1(), header_obj=v2(), payload_obj=payload_v2, payload_headers={"PAYMENT-SIGNATURE": PAID}, response_headers={"PAYMENT-RESPONSE": PAID, "X-PAYMENT-RESPONSE": PAID}),
        case("paid-v1-to-a-v2-seller", "A41, A25: only the header name is a mismatch", status=402, header_obj=v2(), payload_obj=payload_v1, payload_headers={"X-PAYMENT": PAID}, response_headers={}),
        case("paid-v2-to-a-v1-seller", "A41, A25: the same the other way", status=402, body_obj=v1(), payload_obj=payload_v2, payload_headers={"PAYMENT-SIGNATURE": PAID}),
        case("receipts-of-the-other-version", "A41: receipts are never compared with the carrier", status=402, body_obj=v1(), response_headers={"PAYMENT-RESPONSE": PAID}),
    ]  # fmt: skip


def _wrapped() -> list[Case]:
    task = {"status": {"message": {"metadata": {"x402.payment.required": v2()}}}}
    tool = {
        "result": {
            "isError": True,
            "structuredContent": v2(),
            "content": [{"type": "text", "text": text(v2())}],
        }
    }
    own_header = {"X-PAYMENT-REQUIRED": header(v2()), "Content-Type": "application/json"}
    return [
        case("wrapped-in-detail", "A4: the framework's wrapper is not opened", status=402, body_obj={"detail": v1()}),
        case("unwrapped-by-the-submitter", "A4: what stood in `detail`, submitted alone", status=402, body_obj=v1(error=ABSENT)),
        case("wrapped-in-x402", "A4: nor is this one", status=402, body_obj={"error": "send X-PAYMENT", "x402": v2()}),
        case("wrapped-in-payment", "A4: nor is this one", status=402, body_obj={"payment": v2(), "message": "pay first"}),
        case("wrapped-in-resource", "A4: `accepts` one level down", status=402, body_obj={"x402Version": 2, "resource": {"accepts": [v2_entry()]}}),
        case("wrapped-in-error", "A4, A21: an object under `error` is no string", status=402, body_obj={"error": {"message": "PAYMENT-SIGNATURE", "accepts": [v2_entry()]}}),
        case("tool-result", "A4: a tool result", status=402, body_obj=tool),
        case("agent-task", "A4: an agent's task", status=402, body_obj=task),
        case("bare-requirement-header", "A4, A5: one flat entry in the header", status=402, body_obj={}, payment_required_header=header(v2_entry())),
        case("bare-requirement-body", "A4: one flat entry in the body", status=402, body_obj=v1_entry(x402Version=1)),
        case("bare-array-header", "A5: the array alone", status=402, body_obj={}, payment_required_header=header([v2_entry()])),
        case("bare-array-body", "A5, A53: the array alone", status=402, body_obj=[v1_entry()]),
        case("own-challenge-header", "A3, A31: another header's name is not the leg, and this set is no receipt", status=402, body_obj={}, response_headers=own_header),
        case("authenticate-challenge", "A3: nor is this one", status=402, body_obj={}, response_headers={"WWW-Authenticate": "X402 realm=report"}),
        case("challenge-among-paid-headers", "A56: this set is never the header leg", status=402, body_obj={}, response_headers={"PAYMENT-REQUIRED": header(v2())}),
        case("other-names-among-client-headers", "A3, A24: challenge headers are no client headers", status=402, body_obj=v1(), payload_headers={"PAYMENT-REQUIREMENTS": "x", "X-PAYMENT-REQUIREMENTS": "x"}),
        case("header-object-around-a-value", "A61: a decoded header is not decoded again", status=402, header_obj={"PAYMENT-REQUIRED": header(v2())}),
        case("siblings-of-accepts", "A6: requirements beside `accepts` are not read", status=402, body_obj={"x402Version": 1, "paymentRequirements": [v1_entry()], "network": "base", "amount": "1", "accepts": [{"scheme": "exact"}]}),
    ]  # fmt: skip


def _odd_bodies() -> list[Case]:
    return [
        case("body-null", "A53: a null body was submitted and carries none", status=402, body_obj=None),
        case("body-empty-array", "A53: an empty array", status=402, body_obj=[]),
        case("body-text-value", "A53: a JSON string that holds a challenge is a string", status=402, body_obj=text(v1())),
        case("body-number", "A53: a number", status=402, body_obj=402),
        case("body-false", "A53: a boolean, beside a good header", status=402, body_obj=False, header_obj=v2()),
        case("body-empty-text", "A53: an empty body was submitted", status=402, body_raw=""),
        case("body-html", "A53: a page", status=402, body_raw=HTML),
        case("body-plain-words", "A53, A21: words are no challenge and name nothing", status=402, body_raw="Payment Required: send X-PAYMENT"),
        case("body-json-in-a-string", "A53: text that holds JSON inside a JSON string", status=402, body_raw=text(text(v1()))),
    ]  # fmt: skip


def _odd_accepts() -> list[Case]:
    return [
        case("accepts-missing", "A1: no array, no challenge", status=402, body_obj={"x402Version": 1, "error": "X-PAYMENT"}),
        case("accepts-empty", "A1: an empty array carries none", status=402, body_obj=v2(accepts=[], error="PAYMENT-SIGNATURE")),
        case("accepts-null", "A1: null is no array", status=402, header_obj=v2(accepts=None)),
        case("accepts-object", "A5: an object is no array", status=402, body_obj=v1(accepts={"0": v1_entry()})),
        case("accepts-text", "A5: nor is a string", status=402, body_obj=v1(accepts="exact")),
        case("accepts-of-words", "A5: entries that are no objects still carry", status=402, header_obj=v2("exact", error="X-PAYMENT")),
        case("accepts-of-null", "A5: one null entry", status=402, body_obj=v1(None)),
        case("accepts-of-arrays", "A5: an entry inside an array is no entry", status=402, body_obj=v1([v1_entry()])),
        case("accepts-first-is-a-word", "A5, A7: the second entry is not read in its place", status=402, body_obj=v1("exact", v1_entry())),
        case("accepts-first-is-empty", "A7: nor after an empty one", status=402, header_obj=v2({}, v2_entry())),
        case("accepts-v1-then-v2", "A7: the first entry speaks", status=402, body_obj=v1(v1_entry(), v2_entry())),
        case("accepts-v2-then-v1", "A7: so the order changes the verdict", status=402, body_obj=v1(v2_entry(), v1_entry())),
        case("accepts-two-pure-entries", "A6, A7: amount and network of one entry", status=402, header_obj=v2(v2_entry(amount=ABSENT), v1_entry(network=ABSENT))),
        case("accepts-misspelt", "A1: names are compared exactly", status=402, body_obj={"x402Version": 1, "Accepts": [v1_entry()]}),
    ]  # fmt: skip


def _encodings() -> list[Case]:
    signs = with_both_signs()
    url_safe = signs.replace("+", "-").replace("/", "_")
    one, two, none = padded_to("="), padded_to("=="), padded_to("")
    return [
        case("base64-signs", "A2: the standard alphabet with its two signs", status=402, payment_required_header=signs),
        case("base64-url-safe", "A2: the URL-safe alphabet", status=402, payment_required_header=url_safe),
        case("base64-url-safe-unpadded", "A2: the same without padding", status=402, payment_required_header=url_safe.rstrip("=")),
        case("base64-one-pad-left-out", "A2: padding is optional", status=402, payment_required_header=one.rstrip("=")),
        case("base64-two-pads-left-out", "A2: padding is optional", status=402, payment_required_header=two.rstrip("=")),
        case("base64-half-padded", "A2: one of two", status=402, payment_required_header=two[:-1]),
        case("base64-needless-padding", "A2: two where none is due", status=402, payment_required_header=none + "=="),
        case("base64-blanks-around", "A2: surrounding blanks are trimmed", status=402, payment_required_header=" \t" + one + "\r\n"),
        case("base64-byte-order-mark", "A2, A50: one mark inside is dropped", status=402, payment_required_header=coded("\ufeff" + text(v2()))),
        case("base64-spaced-json", "A2: JSON with blanks inside and around", status=402, payment_required_header=coded("\n " + text(v2()).replace(",", " ,\t") + "\r\n")),
        case("base64-loose-bits", "A2: bits beyond the last byte are not looked at", status=402, payment_required_header=two[:-3] + chr(ord(two[-3]) + 1) + "=="),
        case("base64-words-beyond-ascii", "A2, A50: UTF-8 inside", status=402, payment_required_header=header(v2(error="paiement exigé 💶"))),
    ]  # fmt: skip


def _broken_encodings() -> list[Case]:
    good, signs = padded_to(""), with_both_signs()
    plain = text(v2())
    broken = [
        ("raw-json", "A2: JSON itself is not base64", plain),
        ("truncated", "A2: a paste that was cut", good[:40] + "..."),
        ("cut-inside", "A2: base64 that ends inside the JSON", good[: len(good) // 8 * 4]),
        ("of-words", "A2: base64 of something else", coded("Payment Required")),
        ("of-latin-1", "A2, A50: not UTF-8 inside", coded(text(v2(error="é")).encode("latin-1"))),
        ("of-utf-16", "A50: UTF-8 only", coded(plain.encode("utf-16"))),
        (
            "of-encoded-surrogate",
            "A50: a surrogate in bytes is not UTF-8",
            coded(plain.encode().replace(b"exact", b"\xed\xa0\x80")),
        ),
        ("of-base64", "A2: encoded twice", coded(good)),
        ("of-a-json-string", "A2: a string is no object", coded(text(plain))),
        ("of-two-marks", "A50: one mark is dropped, not two", coded("\ufeff\ufeff" + plain)),
        ("three-pads", "A2: no more than two pads", good + "==="),
        ("pad-inside", "A2: padding stands at the end", good[:8] + "=" + good[8:]),
        ("both-alphabets", "A2: one alphabet in a value", signs.replace("+", "-")),
        ("one-character-too-many", "A2: six bits are no byte", good + "A"),
        ("folded", "A2: blanks inside are not trimmed", good[:64] + "\r\n " + good[64:]),
        ("foreign-blank", "A2: only space, tab, CR and LF are blanks", good + "\u00a0"),
        ("quoted", "A2: quotation marks are not base64", f'"{good}"'),
        ("percent-pads", "A2: nor are percent escapes", good + "%3D"),
        ("joined", "A49: two values in one line break base64", good + ", " + good),
        ("empty", "A2: nothing at all", ""),
        ("only-pads", "A2: padding alone", " == "),
    ]
    return [
        case(
            f"header-{name}",
            proves,
            status=402,
            body_obj={} if at % 2 else v1(),
            payment_required_header=value,
        )
        for at, (name, proves, value) in enumerate(broken)
    ]


def _json_kept() -> list[Case]:
    plain_v1, plain_v2 = text(v1()), text(v2())
    kept = [
        ("mark", "A50: one byte order mark is dropped", "\ufeff" + plain_v1),
        ("blanks", "A50: blanks around", "\r\n\t " + plain_v1 + " \n"),
        ("depth-127", "A50: nesting within the limit", nested(127)),
        ("depth-128", "A50: nesting at the limit", nested(128)),
        ("brackets-in-text", "A50: brackets inside a string are not open", text(v2(error="[" * 200))),
        ("lone-surrogate", "A50: a lone surrogate is kept, and is no part of a name", plain_v1[:-1] + r',"error":"\ud83dX-PAYMENT\udc00"}'),
        ("surrogate-pair", "A50: a pair is one character", plain_v1[:-1] + r',"error":"\ud83d\ude00X-PAYMENT"}'),
        ("escaped-names", "A50: names are compared as read", plain_v1.replace("accepts", r"acc\u0065pts").replace("network", r"n\u0065twork")),
        ("escaped-values", "A50, A23: and so are values", plain_v1.replace('"base"', r'"\u0062ase"')[:-1] + r',"error":"X\u002dPAYMENT\/"}'),
        ("many-digits", "A50: no limit of digits", plain_v1[:-1] + ',"nonce":' + "7" * 4400 + "}"),
        ("large-exponent", "A50: numbers are never converted", plain_v2[:-1] + ',"weight":-1E+999999}'),
        ("line-separator", "A50: characters a script would escape", text(v1(error="\u2028X-PAYMENT\x7f"))),
    ]  # fmt: skip
    return [case(f"json-{name}", proves, status=402, body_raw=value) for name, proves, value in kept]


def _json_duplicates() -> list[Case]:
    def twice(name: str, first: str, last: str) -> str:
        plain = text(v1(accepts=ABSENT, x402Version=ABSENT))[:-1]
        rest = {"x402Version": "1", "accepts": text([v1_entry()])}
        members = [f'"{name}":{first}', *(f'"{key}":{value}' for key, value in rest.items() if key != name)]
        return plain + ",".join([*members, f'"{name}":{last}']) + "}"

    entries, entry = text([v1_entry()]), text(v1_entry())
    network = entry[:-1] + ',"network":"eip155:8453"}'
    dropped = entry[:-1] + ',"maxAmountRequired":null,"amount":"1"}'
    repeated = [
        ("accepts-then-null", "A50: the last duplicate wins, here none", twice("accepts", entries, "null")),
        ("null-then-accepts", "A50: and here the challenge", twice("accepts", "null", entries)),
        ("version", "A50, A18: of the version too", twice("x402Version", "1", "2")),
        ("version-then-text", "A50, A18: where the last is no integer", twice("x402Version", "2", '"2"')),
        ("error", "A50, A21: of the error too", twice("error", '"X-PAYMENT"', '"X-Payment-Tx"')),
        ("network", "A50: inside an entry", twice("accepts", "1", f"[{network}]")),
        ("amount", "A50, A11: a last null makes it absent", twice("accepts", "1", f"[{dropped}]")),
    ]
    return [
        case(f"json-twice-{name}", proves, status=402, body_raw=value) for name, proves, value in repeated
    ]


def _json_refused() -> list[Case]:
    plain = text(v1())
    open_end = plain[:-1]
    refused = [
        ("depth-129", "A50: one container more", nested(129)),
        ("depth-thousands", "A50: never a crash", "[" * 3000),
        ("not-a-number", "A50: refused", open_end + ',"price":NaN}'),
        ("infinity", "A50: refused", open_end + ',"price":-Infinity}'),
        ("two-marks", "A50: one mark, not two", "\ufeff\ufeff" + plain),
        ("mark-after-a-blank", "A50: a mark is dropped only in front", " \ufeff" + plain),
        ("cut", "A50: cut off", open_end),
        ("rest", "A50: something after the end", plain + "{}"),
        ("trailing-comma", "A50: a comma too many", open_end + ",}"),
        ("comment", "A50: a comment", "/* pay */" + plain),
        ("single-quotes", "A50: the wrong quotation marks", plain.replace('"', "'")),
        ("leading-zero", "A50, A18: a number with a leading zero", plain.replace('"x402Version":1', '"x402Version":01')),
        ("bare-point", "A50: digits on both sides of the point", open_end + ',"price":1.}'),
        ("control-character", "A50: a raw line end inside a string", open_end + ',"error":"X-PAYMENT\n"}'),
        ("escape", "A50: an escape that is none", open_end + r',"error":"\x41"}'),
        ("short-escape", "A50: four digits", open_end + r',"error":"\u12"}'),
        ("foreign-blank", "A50: other blanks are no blanks", plain + "\u00a0"),
        ("capital-word", "A50: literals are lowercase", open_end + ',"ok":True}'),
    ]  # fmt: skip
    return [
        case(
            f"json-{name}",
            proves,
            status=402,
            body_raw=value,
            **({"header_obj": v2()} if at % 3 == 0 else {}),
        )
        for at, (name, proves, value) in enumerate(refused)
    ]
