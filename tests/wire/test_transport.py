"""Header values: which spellings of base64 are read, and which content codings are named."""

import base64

import pytest

from assay402.wire.transport import content_codings, decode_header, encode_header, is_coded

DATA = b'{"accepts":[{"a":"\xc3\xbf\xc3\xbe?>"}]}'
STANDARD = base64.b64encode(DATA).decode()
URL_SAFE = base64.urlsafe_b64encode(DATA).decode()


def test_the_sample_uses_letters_in_which_the_alphabets_differ() -> None:
    assert {"+", "/"} & set(STANDARD)
    assert {"-", "_"} & set(URL_SAFE)


@pytest.mark.parametrize(
    "value",
    [
        STANDARD,
        URL_SAFE,
        STANDARD.rstrip("="),
        URL_SAFE.rstrip("="),
        f" \t{STANDARD}\r\n",
    ],
)
def test_both_alphabets_are_read_with_and_without_padding(value: str) -> None:
    """Reading A2."""
    assert decode_header(value) == DATA


@pytest.mark.parametrize(
    "value",
    [
        '{"accepts":[1]}',
        "YQ===",
        "Y",
        "YWFhY",
        "YW Fh",
        "YW\nFh",
        "YQ==YQ==",
        "=YQ",
        "a+_a",
        "a/-a",
        "YWé",
        "\ud800",
        "eyJ4NDAy...",
    ],
)
def test_anything_else_is_not_base64(value: str) -> None:
    assert decode_header(value) is None


def test_nothing_decodes_to_nothing() -> None:
    assert decode_header("") == b""


def test_what_we_write_is_standard_padded_and_on_one_line() -> None:
    assert encode_header(DATA * 20) == base64.b64encode(DATA * 20).decode()
    assert decode_header(encode_header(DATA)) == DATA


@pytest.mark.parametrize(
    ("values", "codings", "coded"),
    [
        ([], (), False),
        (["", " , "], (), False),
        (["identity", "Identity"], ("identity", "identity"), False),
        (["GZip"], ("gzip",), True),
        (["identity, br", "gzip"], ("identity", "br", "gzip"), True),
    ],
)
def test_content_codings_are_named_in_order_and_identity_is_none(
    values: list[str], codings: tuple[str, ...], coded: bool
) -> None:
    assert content_codings(values) == codings
    assert is_coded(values) is coded
