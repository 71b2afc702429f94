"""`assay terms` as a seller and a buyer meet it: output, files, exit codes."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay402 import terms
from cli.test_cli import assay
from tls_seller import Seller, answer, tls_seller
from vectors import cases

TERMS = b"# Terms\r\nexactly \xff these bytes\n"
HASH = "0x" + hashlib.sha256(TERMS).hexdigest()
URL = "https://shop.dev/terms.md"
CHALLENGE = {"x402Version": 2, "accepts": [{"scheme": "exact", "amount": "10000"}]}
PLACED = terms.place({"ref": {"type": "sha256", "value": HASH}, "termsUrl": URL}, CHALLENGE)["value"]

Write = Callable[[Any], str]


@pytest.fixture
def document(tmp_path: Path) -> Write:
    def write(value: Any) -> str:
        path = tmp_path / "document.json"
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return str(path)

    return write


@pytest.fixture(scope="module")
def seller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seller]:
    with tls_seller(tmp_path_factory.mktemp("tls"), {"/terms.md": answer(200, TERMS)}) as running:
        yield running


def offer(seller: Seller, value: str = HASH) -> Any:
    ad = {"ref": {"type": "sha256", "value": value}, "termsUrl": seller.url("/terms.md")}
    return terms.place(ad, CHALLENGE)["value"]


def test_a_file_is_hashed_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "terms.md"
    path.write_bytes(TERMS)
    assert assay("terms", "hash", str(path)).stdout == f"{HASH}\n".encode()
    run = assay("terms", "hash", "-", "--json", stdin=TERMS)
    assert json.loads(run.stdout) == {"atrHash": HASH, "bytes": len(TERMS)}


def test_a_placed_document_can_be_piped_on_and_the_warning_stands_beside_it(document: Write) -> None:
    """Decision 6: say loudly that the URL must serve the very bytes that were hashed."""
    run = assay("terms", "place", document(CHALLENGE), "--hash", HASH, "--url", URL)
    assert run.returncode == 0
    assert json.loads(run.stdout) == PLACED
    assert b"must serve the very bytes that were hashed" in run.stderr
    assert b"discovery document" in run.stderr
    line = assay("terms", "place", document(CHALLENGE), "--hash", HASH, "--url", URL, "--json")
    assert json.loads(line.stdout) == {"ok": True, "value": PLACED}
    assert line.stderr == b""
    assert assay("terms", "extract", "-", "--strict", stdin=run.stdout).returncode == 0


def test_what_the_document_spells_oddly_is_kept(document: Write) -> None:
    source = b'{"accepts":[{"amount":1.50e2}],"price":12345678901234567890123}'
    run = assay("terms", "place", document(source), "--hash", HASH, "--url", URL, "--json")
    assert b'"amount":1.50e2' in run.stdout
    assert b"12345678901234567890123" in run.stdout


def test_half_a_surrogate_pair_is_printed_as_it_was_spelled(document: Write) -> None:
    """A past bug: the layout of the document for people could not take it."""
    source = b'{"accepts":[{}],"a":"\\ud800"}'
    run = assay("terms", "place", document(source), "--hash", HASH, "--url", URL)
    assert run.returncode == 0
    assert b'"a":"\\ud800"' in run.stdout


def test_other_protocols_and_types_are_placed(document: Write) -> None:
    run = assay("terms", "place", document({}), "--protocol", "acp", "--type", "url", "--hash", URL, "--json")
    assert json.loads(run.stdout)["value"] == {"metadata": {"legal_context": f"lcp:url:{URL}"}}
    upper = HASH.upper().replace("0X", "0x")
    given = ("terms", "place", document({}), "--protocol", "visa-tap", "--hash", upper, "--json")
    assert json.loads(assay(*given).stdout)["value"]["headers"]["x-lcp-hash"] == HASH
    assert json.loads(assay(*given, "--faithful").stdout)["value"]["headers"]["x-lcp-hash"] == upper


def test_a_refused_placement_prints_no_document_and_says_why(document: Write) -> None:
    run = assay("terms", "place", document(CHALLENGE), "--hash", HASH)
    assert (run.returncode, run.stdout) == (1, b"")
    for words in (b"x402/terms-url-missing", b"accepts.0.extra.legalContextUrl", b"very bytes"):
        assert words in run.stderr
    line = json.loads(assay("terms", "place", document(CHALLENGE), "--hash", HASH, "--json").stdout)
    assert (line["refused"], line["haltClass"], line["code"]) == (
        True, "verification-failure", "x402/terms-url-missing",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (PLACED, [b"sha256", HASH.encode(), URL.encode()]),
        ({"accepts": [{"extra": {"atrHash": HASH}}]}, [b"no URL stands in"]),
    ],
)
def test_an_extracted_advertisement_is_shown(document: Write, value: Any, words: list[bytes]) -> None:
    run = assay("terms", "extract", document(value))
    assert run.returncode == 0
    assert [each for each in words if each not in run.stdout] == []


def test_a_protocol_without_a_place_for_a_url_says_so(document: Write) -> None:
    run = assay("terms", "extract", document({"headers": {"X-LCP-Hash": HASH}}), "--protocol", "visa-tap")
    assert b"no place for a URL" in run.stdout


def test_nothing_of_a_document_acts_on_the_terminal(document: Write) -> None:
    nasty = {"accepts": [{"extra": {"atrHash": HASH, "legalContextUrl": "https://a\x1b[2J\u202e"}}]}
    run = assay("terms", "extract", document(nasty))
    assert run.returncode == 0
    assert b"\x1b" not in run.stdout
    assert "\u202e" not in run.stdout.decode()


def test_a_strict_reader_refuses_what_a_faithful_one_reads(document: Write) -> None:
    value = json.loads(json.dumps(PLACED))
    value["accepts"][0]["extra"]["atrHash"] = "0x" + "00" * 32
    assert assay("terms", "extract", document(value)).returncode == 0
    run = assay("terms", "extract", document(value), "--strict")
    assert run.returncode == 1
    assert b"REFUSED: terms/hash-mismatch" in run.stdout


def test_matching_terms_are_verified_and_kept(document: Write, seller: Seller, tmp_path: Path) -> None:
    """Decision 3: `--save FILE` keeps exactly the bytes that were hashed."""
    kept = tmp_path / "kept.md"
    reach = ("--allow-private", "--ca-file", seller.ca_file)
    run = assay("terms", "verify", document(offer(seller)), *reach, "--save", str(kept))
    assert run.returncode == 0
    assert b"MATCH" in run.stdout
    assert kept.read_bytes() == TERMS
    line = assay("terms", "verify", document(offer(seller)), *reach, "--json")
    assert json.loads(line.stdout) == {
        "outcome": "match",
        "atrHash": HASH,
        "bytes": len(TERMS),
        "termsUrl": seller.url("/terms.md"),
        "advertisedAtrHash": HASH,
    }


def test_other_terms_are_declined_and_kept_all_the_same(
    document: Write, seller: Seller, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.md"
    challenge = document(offer(seller, "0x" + "00" * 32))
    run = assay(
        "terms", "verify", challenge, "--allow-private", "--ca-file", seller.ca_file, "--save", str(kept)
    )
    assert run.returncode == 1
    for words in (b"DECLINE: hash-mismatch", HASH.encode(), b"Do not pay"):
        assert words in run.stdout
    assert kept.read_bytes() == TERMS


def test_without_leave_a_private_address_is_declined(document: Write, seller: Seller, tmp_path: Path) -> None:
    kept = tmp_path / "kept.md"
    run = assay("terms", "verify", document(offer(seller)), "--ca-file", seller.ca_file, "--save", str(kept))
    assert run.returncode == 1
    assert b"atr-unfetchable" in run.stdout
    assert b"--allow-private" in run.stdout
    assert not kept.exists()
    trusted = assay("terms", "verify", document(offer(seller)), "--allow-private", "--json")
    assert json.loads(trusted.stdout)["detail"] == "tls"


def test_an_endpoint_is_verified_before_it_is_paid(seller: Seller) -> None:
    challenge = json.dumps(offer(seller)).encode()
    seller.answers["/pay"] = answer(402, challenge, "Content-Type: application/json")
    reach = ("--allow-private", "--ca-file", seller.ca_file)
    assert assay("terms", "verify", "--url", seller.url("/pay"), *reach).returncode == 0
    plain = assay("terms", "verify", "--url", seller.url("/pay").replace("https", "http"), *reach, "--json")
    assert plain.returncode == 1
    assert json.loads(plain.stdout)["detail"] == "x402/link-not-https"


def test_a_verification_is_recorded_and_replayed_to_the_same_bytes(
    document: Write, seller: Seller, tmp_path: Path
) -> None:
    recording = tmp_path / "run.json"
    reach = ("--allow-private", "--ca-file", seller.ca_file, "--record", str(recording))
    live = assay("terms", "verify", document(offer(seller)), *reach)
    assert assay("replay", str(recording)).stdout == live.stdout


def test_a_listing_is_written_served_and_discovered(seller: Seller, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    base.write_text(json.dumps({"contact": {"technical": "ops@shop.dev"}, "x-ours": 1}))
    written = assay(
        "terms", "well-known", str(base), "--terms", seller.url("/terms.md"), "--hash", HASH, "--format", "markdown",
        "--contact-legal", "legal@shop.dev", "--dispute-method", "arbitration", "--acceptance-required",
    )  # fmt: skip
    assert written.returncode == 0
    assert b"not the terms" in written.stderr
    assert json.loads(written.stdout) == {
        "terms": seller.url("/terms.md"),
        "termsFormat": "markdown",
        "atrHash": HASH,
        "acceptanceRequired": True,
        "disputeResolution": {"method": "arbitration"},
        "contact": {"technical": "ops@shop.dev", "legal": "legal@shop.dev"},
        "x-ours": 1,
    }
    seller.answers["/.well-known/legal-context.json"] = answer(200, written.stdout)
    reach = ("--allow-private", "--ca-file", seller.ca_file)
    run = assay("terms", "discover", seller.origin, *reach)
    assert run.returncode == 0
    assert b"OK: the listing promises what is served" in run.stdout
    assert json.loads(assay("terms", "discover", seller.origin, *reach, "--json").stdout)["ok"]
    seller.answers["/.well-known/legal-context.json"] = answer(
        200, written.stdout.replace(b"markdown", b"pdf")
    )
    run = assay("terms", "discover", seller.origin, *reach)
    assert run.returncode == 1
    assert b"NOT OK: listing-format-not-machine-readable" in run.stdout
    del seller.answers["/.well-known/legal-context.json"]
    run = assay("terms", "discover", seller.origin, *reach)
    assert run.returncode == 1
    assert b"listing-unfetchable" in run.stdout


def test_a_listing_that_readers_would_refuse_is_not_written() -> None:
    run = assay("terms", "well-known", "--terms", "http://shop.dev/t")
    assert (run.returncode, run.stdout) == (1, b"")
    assert b"listing-malformed" in run.stderr
    assert assay("terms", "well-known", "-", stdin=b"[]").returncode == 2


def test_json_lines_answer_each_line_in_the_shape_of_an_outcome() -> None:
    """The issue: one request a line, one outcome a line, in order; a bad line is answered and the run goes on."""
    given = [case for case in cases("terms/handed.json") if case["op"] == "place"]
    lines = [json.dumps(case["input"]).encode() for case in given]
    lines[3:3] = [b"{bad", b"", b"[]"]
    expected: list[Any] = [case["expect"].get("code", "ok") for case in given]
    expected[3:3] = ["not_json", "not_json", "terms/request-malformed"]
    run = assay("terms", "place", "--jsonl", "--faithful", stdin=b"\n".join(lines))
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0
    assert [each.get("code", "ok") for each in answers] == expected
    assert all(each.keys() <= {"ok", "value", "refused", "haltClass", "code", "detail"} for each in answers)
    stricter = assay("terms", "place", "--jsonl", stdin=b"\n".join(lines)).stdout.splitlines()
    names: list[Any] = [case["name"] for case in given]
    names[3:3] = [None] * 3
    pairs = zip(names, answers, map(json.loads, stricter), strict=True)
    differing = [name for name, faithful, strict in pairs if faithful != strict]
    assert differing == [case["name"] for case in cases("terms/stricter.json")]


def test_json_lines_are_extracted_faithfully_or_strictly() -> None:
    bad = json.loads(json.dumps(PLACED))
    bad["accepts"][0]["extra"]["atrHash"] = "0x" + "00" * 32
    lines = b"\n".join(
        json.dumps(each).encode()
        for each in (
            {"doc": bad},
            {"doc": PLACED, "protocol": "x402"},
            {"doc": {"headers": {}}, "protocol": "visa-tap"},
            {"doc": bad, "strict": False},
        )
    )
    for switch, code in ((["--faithful"], "ok"), ([], "ok"), (["--strict"], "terms/hash-mismatch")):
        run = assay("terms", "extract", "--jsonl", *switch, stdin=lines)
        codes = [json.loads(line).get("code", "ok") for line in run.stdout.splitlines()]
        assert codes == [code, "ok", "visa-tap/reference-absent", "ok"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["place"],
        ["place", "-"],
        ["place", "-", "--hash", HASH, "--protocol", "mcp"],
        ["place", "--jsonl", "--hash", HASH],
        ["place", "--allow-private"],
        ["extract"],
        ["extract", "-", "--strict", "--faithful"],
        ["verify"],
        ["verify", "-", "--url", "https://shop.dev/"],
        ["verify", "--url", "not a url"],
        ["verify", "--jsonl", "--ca-file", "x"],
        ["discover"],
        ["discover", "http://shop.dev"],
        ["hash", "no-such-file"],
    ],
)
def test_usage_errors_exit_two_and_print_nothing(arguments: list[str]) -> None:
    run = assay("terms", *arguments, stdin=b"{}")
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr
    assert b"Traceback" not in run.stderr


def test_files_that_cannot_be_used_are_told(document: Write, seller: Seller, tmp_path: Path) -> None:
    missing = assay("terms", "verify", document(PLACED), "--ca-file", str(tmp_path / "none.pem"))
    assert missing.returncode == 2
    assert b"ca_file_unreadable" in missing.stderr
    reach = ("--allow-private", "--ca-file", seller.ca_file)
    unwritable = assay("terms", "verify", document(offer(seller)), *reach, "--save", "/no/such/folder/terms")
    assert unwritable.returncode == 2
    assert b"can be written" in unwritable.stderr
    assert unwritable.stdout == b""


def test_a_file_is_kept_whole_and_never_looks_current_when_it_is_not(
    document: Write, seller: Seller, tmp_path: Path
) -> None:
    """What was not served now must not stand where the served bytes are looked for."""
    kept = tmp_path / "last-served.md"
    kept.write_bytes(b"of an earlier run")
    reach = ("--allow-private", "--ca-file", seller.ca_file, "--save", str(kept))
    seller.answers["/none.md"] = answer(404, b"")
    missing = terms.place(
        {"ref": {"type": "sha256", "value": HASH}, "termsUrl": seller.url("/none.md")}, CHALLENGE
    )["value"]
    run = assay("terms", "verify", document(missing), *reach)
    assert run.returncode == 1
    assert b".previous" in run.stderr
    assert not kept.exists()
    assert (tmp_path / "last-served.md.previous").read_bytes() == b"of an earlier run"
    assert assay("terms", "verify", document(missing), *reach).returncode == 1
    assert assay("terms", "verify", document(offer(seller)), *reach).returncode == 0
    assert kept.read_bytes() == TERMS
    assert sorted(path.name for path in tmp_path.iterdir() if "served" in path.name or "assay" in path.name) == [
        "last-served.md", "last-served.md.previous",
    ]  # fmt: skip


def test_what_is_no_file_is_not_kept_into(document: Write, tmp_path: Path) -> None:
    for place in ("-", str(tmp_path), "/dev/null", ""):
        run = assay("terms", "verify", document(PLACED), "--save", place)
        assert (run.returncode, run.stdout) == (2, b"")
        assert b"--save needs a file" in run.stderr
    assert Path("/dev/null").is_char_device()


def test_a_link_is_kept_through(document: Write, seller: Seller, tmp_path: Path) -> None:
    kept, link = tmp_path / "kept.md", tmp_path / "link.md"
    link.symlink_to(kept)
    reach = ("--allow-private", "--ca-file", seller.ca_file)
    assert assay("terms", "verify", document(offer(seller)), *reach, "--save", str(link)).returncode == 0
    assert link.is_symlink()
    assert kept.read_bytes() == TERMS


def test_a_url_of_the_discovery_document_is_warned_of(document: Write, seller: Seller) -> None:
    discovery = "https://shop.dev/.well-known/legal-context.json"
    for command in (
        ("place", document(CHALLENGE), "--hash", HASH, "--url", discovery),
        ("well-known", "--terms", discovery),
    ):
        run = assay("terms", *command)
        assert run.returncode == 0
        assert b"WARNING: this terms URL is the discovery document" in run.stderr
    assert b"WARNING" not in assay("terms", "place", document(CHALLENGE), "--hash", HASH, "--url", URL).stderr
    seller.answers["/.well-known/legal-context.json"] = answer(200, b"{}")
    ad = {"ref": {"type": "sha256", "value": HASH}, "termsUrl": seller.url("/.well-known/legal-context.json")}
    value = document(terms.place(ad, CHALLENGE)["value"])
    run = assay("terms", "verify", value, "--allow-private", "--ca-file", seller.ca_file)
    assert b"The link leads to the discovery document" in run.stdout


def test_a_protocol_without_a_place_for_a_url_is_told_nothing_of_urls(document: Write) -> None:
    run = assay("terms", "place", document({}), "--protocol", "visa-tap", "--hash", HASH)
    assert (run.returncode, run.stderr) == (0, b"")


def test_a_base_that_holds_something_else_is_not_overwritten_silently() -> None:
    base = b'{"terms": "https://shop.dev/t", "contact": "s"}'
    run = assay("terms", "well-known", "-", "--contact-legal", "legal@shop.dev", stdin=base)
    assert (run.returncode, run.stdout) == (2, b"")
    assert b"--contact-legal needs `contact` of the file to be an object" in run.stderr


def test_operations_that_always_ask_offer_neither_lines_nor_soft_exits(
    document: Write, seller: Seller, tmp_path: Path
) -> None:
    """0 means match, and nothing can be answered without the network."""
    for command in ("verify", "discover"):
        text = assay("terms", command, "--help").stdout
        assert b"--jsonl" not in text
        assert b"--exit-zero" not in text
    assert b"--jsonl" in assay("terms", "extract", "--help").stdout
    recording = tmp_path / "run.json"
    reach = ("--allow-private", "--ca-file", seller.ca_file, "--record", str(recording))
    assay("terms", "verify", document(offer(seller, "0x" + "00" * 32)), *reach)
    assert assay("replay", str(recording)).returncode == 1
    soft = assay("replay", str(recording), "--exit-zero")
    assert (soft.returncode, soft.stdout) == (2, b"")
    assert b"its exit code is its answer" in soft.stderr


def test_the_error_of_json_lines_names_what_may_stand_beside_them() -> None:
    run = assay("terms", "place", "--jsonl", "--hash", HASH, stdin=b"")
    assert b"beside it only --faithful and --exit-zero may be given" in run.stderr
    run = assay("terms", "extract", "--jsonl", "--protocol", "acp", stdin=b"")
    assert b"beside it only --strict and --faithful and --exit-zero may be given" in run.stderr


def test_a_name_twice_in_a_document_is_refused_where_it_matters(document: Write) -> None:
    twice = json.dumps(PLACED).replace('"atrHash"', '"atrHash": "0x", "atrHash"', 1).encode()
    assert assay("terms", "extract", document(twice)).returncode == 0
    for command in (
        ("extract", document(twice), "--strict"),
        ("place", document(twice), "--hash", HASH, "--url", URL),
        ("verify", document(twice)),
    ):
        run = assay("terms", *command)
        assert run.returncode == 1
        assert b"terms/name-repeated" in run.stdout + run.stderr
        assert b"Write every name once" in run.stdout + run.stderr


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x402/terms-url-missing", b"very bytes"),
        ("ack/receipt-already-issued", b"Place before"),
        ("terms/hash-mismatch", b"How to fix it"),
        ("atr-unfetchable", b"Do not pay"),
    ],
)
def test_codes_of_every_protocol_are_explained(code: str, words: bytes) -> None:
    run = assay("explain", code)
    assert run.returncode == 0
    assert words in run.stdout


def test_help_says_what_the_url_must_serve() -> None:
    """Decision 6."""
    for command in ("place", "verify", "well-known"):
        text = " ".join(assay("terms", command, "--help").stdout.decode().upper().split())
        assert "VERY BYTES" in text
        assert "DISCOVERY DOCUMENT" in text or "NOT THE TERMS" in text
