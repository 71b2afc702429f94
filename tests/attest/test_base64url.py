"""One text for the same bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay402.attest.base64url import decode_url, encode_url


@given(st.binary())
def test_bytes_survive(data: bytes) -> None:
    """RFC 7515, section 2."""
    text = encode_url(data)
    assert decode_url(text) == data
    assert not set(text) & set("+/=")


@pytest.mark.parametrize("text", ["YQ==", "YR", "A", "a+/a", "YW Jj", "YWJj\n", "é", "YWJ\u0967", "."])
def test_any_other_text_is_refused(text: str) -> None:
    assert decode_url(text) is None
