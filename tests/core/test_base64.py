"""Base64 has one text for the same bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay402.core.base64 import decode_canonical, decode_url, encode, encode_url


@given(st.binary())
def test_bytes_survive_encoding(data: bytes) -> None:
    assert decode_canonical(encode(data)) == data


@pytest.mark.parametrize(
    "text", ["YQ", "YR==", "YQ==\n", " YQ==", "-_8=", "YQ==YQ==", "é", "****", "A", "===="]
)
def test_any_other_text_is_refused(text: str) -> None:
    assert decode_canonical(text) is None


@given(st.binary())
def test_bytes_survive_the_alphabet_for_addresses(data: bytes) -> None:
    """RFC 7515, section 2."""
    text = encode_url(data)
    assert decode_url(text) == data
    assert not set(text) & set("+/=")


@pytest.mark.parametrize("text", ["YQ==", "YR", "A", "a+/a", "YW Jj", "YWJj\n", "é", "YWJ\u0967", "."])
def test_any_other_text_in_the_alphabet_for_addresses_is_refused(text: str) -> None:
    assert decode_url(text) is None
