"""Networks by their spelling."""

import pytest

from assay402.wire.network import LEGACY_NAMES, Network, network_form, network_of


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("eip155:8453", "CAIP-2"),
        ("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "CAIP-2"),
        ("abc:" + "x" * 32, "CAIP-2"),
        ("-a-:_", "CAIP-2"),
        ("base", "slug"),
        ("base-sepolia", "slug"),
        ("evm", "slug"),
        ("a", "slug"),
        ("a9-", "slug"),
        ("cloudflare:402", None),
        ("ab:1", None),
        ("abcdefghi:1", None),
        ("abc:" + "x" * 33, None),
        ("algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=", None),
        ("eip155:", None),
        (":8453", None),
        ("eip155:8453\n", None),
        ("eip155:84:53", None),
        ("EIP155:8453", None),
        ("base\n", None),
        (" base", None),
        ("Base", None),
        ("base_sepolia", None),
        ("8453", None),
        ("-base", None),
        ("bäse", None),
        ("", None),
        (8453, None),
        (None, None),
        (["base"], None),
    ],
)
def test_the_form_is_told_by_the_whole_spelling(value: object, form: str | None) -> None:
    """Readings A8, A9 and A10."""
    assert network_form(value) == form


def test_legacy_names_and_ids_name_networks() -> None:
    assert network_of("base") == network_of("eip155:8453") == Network(namespace="eip155", reference="8453")
    assert str(network_of("solana-devnet")) == "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
    assert network_of("nowhere") is None


def test_names_on_which_the_official_tables_disagree_stand_for_nothing() -> None:
    assert not {"story", "educhain", "skale-base-sepolia"} & LEGACY_NAMES.keys()


def test_every_legacy_name_is_a_slug_for_a_caip_2_id() -> None:
    assert {network_form(name) for name in LEGACY_NAMES} == {"slug"}
    assert {network_form(network_id) for network_id in LEGACY_NAMES.values()} == {"CAIP-2"}
