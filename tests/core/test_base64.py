"""Base64 has one text for the same bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay402.core.base64 import decode_canonical, encode


@given(st.binary())
def test_bytes_survive_encoding(data: bytes) -> None:
    assert decode_canonical(encode(data)) == data


@pytest.mark.parametrize(
    "text", ["YQ", "YR==", "YQ==\n", " YQ==", "-_8=", "YQ==YQ==", "é", "****", "A", "===="]
)
def test_any_other_text_is_refused(text: str) -> None:
    assert decode_canonical(text) is None
