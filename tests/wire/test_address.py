"""Addresses of the eip155 family carry their checksum in the case of their letters."""

import pytest

from assay402.wire.address import checksummed, is_evm_address

RIGHT = [
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
]


@pytest.mark.parametrize("address", RIGHT)
def test_the_examples_of_eip_55_are_addresses(address: str) -> None:
    assert checksummed(address.lower()) == address
    assert all(is_evm_address(each) for each in (address, address.lower(), "0x" + address[2:].upper()))
    assert not is_evm_address("0x" + address[2:].swapcase())


@pytest.mark.parametrize(
    "value", [None, 5, "", "0x", RIGHT[0][:-1], RIGHT[0] + "0", RIGHT[0][2:], RIGHT[0] + "\n"]
)
def test_anything_else_is_none(value: object) -> None:
    assert not is_evm_address(value)
